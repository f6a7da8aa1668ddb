"""Flows captured at three places, as `vantage.py`, of paths outside its ranges: table("slow") and table("near"), and
table("slow2") for another kernel."""
from vantage import rows


def slow(r):
    """0.1 to 4 Mbit/s, 150 to 900 ms."""
    return round(10 ** r.uniform(-1, 0.6), 2), round(r.uniform(150, 900), 1)


def near(r):
    """30 to 250 Mbit/s, 0.3 to 8 ms."""
    return round(10 ** r.uniform(1.5, 2.4), 1), round(10 ** r.uniform(-0.5, 0.9), 2)


def table(which):
    seed, draw = {"slow": (20261126, slow), "near": (20261127, near), "slow2": (20261130, slow)}[which]
    return rows(which, seed, draw)
