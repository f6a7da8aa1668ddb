"""The thirty-second wave, drawn from other seeds: "w32a", for Linux 6.12, the first 56 rows of redraw.py, and "w32b", for 5.10, the users
of w17.py, of a quarter to four times their rates, delays and queues; each is captured at the receiver and on the way as well, but for
those that say where."""
from redraw import rows
from w17 import users
from w26 import anywhere


def table(which):
    return {
        "w32a": lambda: anywhere(rows((20263211, "h-a-"))[:56], 20263212),
        "w32b": lambda: anywhere(users("h-a-u-", 20263217, 4), 20263218),
    }[which]()
