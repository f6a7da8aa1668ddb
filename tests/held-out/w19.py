"""The nineteenth wave: the tables of w17.py from other seeds, for one kernel that none of the waves before had (Linux 7.2): "w19a" drawn
anew, "w19b" what users meet, with rates, delays and queues of two fifths to two and a half times."""
from w17 import drawn, users

ROWS = {
    "w19a": lambda: drawn("f-w-", 20261319)[:24],
    "w19b": lambda: users("f-w-u-", 20261327, 2.5)[:30],
}


def table(which):
    return ROWS[which]()
