"""w17's tables from other seeds, with rates, delays and queues of an eighth to eight times: "w25"; each row is captured at the receiver
and on the way as well."""
import random
from w17 import drawn, users


def table(which):
    r, rows = random.Random(20261128), users("f-e-u-", 20261128, 8) + drawn("f-e-", 20261129)[:24]
    return [{**s, "cap": dict(rcv=True, mid=True, mid_at=r.choice(("r0", "r1")))} for s in rows]
