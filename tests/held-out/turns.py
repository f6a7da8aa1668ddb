"""Send buffers near the congestion window, and writers that may be taken for blocked ones: table("turn1"), and
table("turn2") for another kernel. Every row has the captures of the receiver and of the way beside the sender's.

The buffer holds 0.7 to 1.5 times what the path and its queue hold, so that it and the window are the limit in turn; or
a writer gives a chunk at even times, several in a round trip or one in several, for which it never waits.
"""
import random
from scenarios import path, bdp
from fresh import sndbuf_for
from vantage import row, skew

ROWS_PER_KIND = 12


def rows(name, seed):
    out, r = [], random.Random(seed)

    def add(kind, desc, cause, sub, flow, p):
        s = row(name, out, r, kind, desc, p, flow, cause, sub)
        x = r.random()
        if x < 0.15:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        elif x < 0.3:
            s["offload"] = dict(tso=False, gro=False)
        out.append(s)

    def some_path():
        rate = round(10 ** r.uniform(0.3, 1.7), 1)
        rtt, queue = round(min(10 ** r.uniform(1, 2.2), 7000 / rate), 1), r.uniform(0.5, 2.5)
        p = path(rate, rtt, queue)
        skew(p, rtt, r)
        return p, rate, rtt, bdp(rate, rtt), queue

    for i in range(ROWS_PER_KIND):
        cc = r.choice(("cubic", "cubic", "reno", "htcp", "westwood", "bbr"))
        p, rate, rtt, b, queue = some_path()
        part, size = r.uniform(0.7, 1.5), r.choice((8192, 16384, 65536, 131072))
        v = sndbuf_for(part * b * (1 + queue), "128k", cc)
        add("sndbuf", f"SO_SNDBUF {v}: {part:.2f} of path and queue ({1 + queue:.1f} BDP), writes of {size} B", "sndbuf", f"{part:.2f}",
            dict(tx=f"{r.choice(('bulk', 'bulk', 'ebulk'))}:7s", cc=cc, sndbuf=v, wsize=size), p)
        p, rate, rtt, b, queue = some_path()
        share, times = r.uniform(0.2, 0.85), r.choice((0.2, 0.33, 0.5, 0.8, 1.0, 1.3, 2.0, 3.0))
        v = int(share * rate * 1e6 / 8 * 0.955)
        chunk = max(1500, int(v * rtt / 1e3 * times))
        add("app", f"{v} B/s ({share:.2f} of the path) in {chunk} B chunks, each {times} RTT", "app", f"{times} RTT",
            dict(tx=f"rate:{v}:7:{chunk}", cc=cc, nodelay=r.random() < 0.5), p)
    return out


def table(which):
    return rows(which, {"turn1": 20261140, "turn2": 20261141}[which])
