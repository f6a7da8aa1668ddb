"""Queues of seconds in front of the tap: table("q1") and table("q2"), random rows of the four causes from fixed seeds.

Rates of a cellular uplink or a full home line, buffers of 1.5 to 6 s. What limits fills the queue for a second and more in three rows of
four; every row has the captures of the receiver and of the way beside the sender's.
"""
import random
from scenarios import path
from vantage import row, skew


def rows(name, seed):
    out, r = [], random.Random(seed)

    def add(kind, desc, cause, sub, flow, p):
        out.append(row(name, out, r, kind, desc, p, flow, cause, sub))

    def some_path():
        rate, rtt = round(10 ** r.uniform(-0.3, 0.7), 2), round(r.uniform(20, 250), 1)
        seconds = r.uniform(1.5, 6)
        p = path(rate, rtt, 1.0, qbytes=int(seconds * rate * 1e6 / 8))
        skew(p, rtt, r)
        return p, rate * 1e6 / 8, rtt / 1e3, seconds

    for _ in range(4):
        cc = r.choice(("cubic", "cubic", "reno", "htcp"))
        p, rate, rtt, seconds = some_path()
        add("bandwidth", f"a queue of {seconds:.1f} s", "cwnd", "bandwidth", dict(tx="bulk:25s", cc=cc), p)
        p, rate, rtt, seconds = some_path()
        held = r.uniform(0.3, 0.8) * seconds
        w = int(rate * (rtt + held))
        add("rwnd", f"receive window {w}, {held:.1f} s of it in the queue", "rwnd", "in the queue", dict(tx="bulk:20s", cc=cc, rcvwin=w), p)
        p, rate, rtt, seconds = some_path()
        held = r.uniform(0.3, 0.8) * seconds
        v = int(rate * (rtt + held))
        add("sndbuf", f"SO_SNDBUF {v}, {held:.1f} s of it in the queue", "sndbuf", "in the queue", dict(tx="bulk:20s", cc=cc, sndbuf=v), p)
        p, rate, rtt, seconds = some_path()
        octets, pause = int(r.uniform(0.4, 0.9) * seconds * rate), round(r.uniform(1.2, 2.5) * seconds, 2)
        add("app", f"{octets} B, pauses of {pause} s", "app", "on/off", dict(tx=f"onoff:{octets}:{pause}:4", cc=cc), p)
    return out


def table(which):
    return rows(which, {"q1": 20261125, "q2": 20261131}[which])
