"""The twenty-sixth wave: "w26a", for Linux 6.12, the first 64 rows of redraw.py from another seed, and "w26b", for 7.2, the users of
w17.py from another, of two fifths to two and a half times their rates, delays and queues; each is captured at the receiver and on the way
as well, but for those that say where."""
import random
from redraw import rows
from w17 import users


def anywhere(table, seed):
    r = random.Random(seed)
    told = lambda s: "cap" in s or "post" in s
    return [s if told(s) else {**s, "cap": dict(rcv=True, mid=True, mid_at=r.choice(("r0", "r1")))} for s in table]


def table(which):
    return {
        "w26a": lambda: anywhere(rows((20262611, "f-y-"))[:64], 20262612),
        "w26b": lambda: anywhere(users("f-y-u-", 20262617, 2.5), 20262618),
    }[which]()
