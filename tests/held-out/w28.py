"""The twenty-eighth wave, drawn from other seeds: "w28a", for Linux 5.10, the first 60 rows of redraw.py, and "w28b", for 7.2, the users
of w17.py, of a quarter to four times their rates, delays and queues; each is captured at the receiver and on the way as well, but for those
that say where."""
from redraw import rows
from w17 import users
from w26 import anywhere


def table(which):
    return {
        "w28a": lambda: anywhere(rows((20262811, "g-y-"))[:60], 20262812),
        "w28b": lambda: anywhere(users("g-y-u-", 20262817, 4), 20262818),
    }[which]()
