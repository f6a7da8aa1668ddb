"""The thirty-first wave, drawn from other seeds: "w31a", for Linux 7.2, the first 56 rows of redraw.py, and "w31b", for 6.12, the users
of w17.py, of a quarter to four times their rates, delays and queues; each is captured at the receiver and on the way as well, but for
those that say where."""
from redraw import rows
from w17 import users
from w26 import anywhere


def table(which):
    return {
        "w31a": lambda: anywhere(rows((20263111, "g-z-"))[:56], 20263112),
        "w31b": lambda: anywhere(users("g-z-u-", 20263117, 4), 20263118),
    }[which]()
