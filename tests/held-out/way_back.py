"""Queues on the way back, of the flow's own ACKs on a line too slow for them or of an upload beside it, and on the way there, beside jitter and lost ACKs:
table("back1"), and table("back2") for another kernel; 30 random rows each."""
import random
from scenarios import bdp, path, cost      # noqa: F401

SEEDS = {"back1": 20262911, "back2": 20262912, "back3": 20261127}


def rows(which):
    r, out = random.Random(SEEDS[which]), []
    for n in range(30):
        rate, rtt = round(r.uniform(8, 60), 2), round(r.uniform(10, 90), 1)
        kind = ("rwnd", "sndbuf", "cwnd")[n % 3]
        where = ("acks", "upload", "there", "acks", "upload", "both", "there", "acks", "upload", "none")[n // 3]
        part = r.uniform(1.2, 2) if where in ("there", "both") else r.uniform(0.4, 0.9)
        held = max(30000, int(part * bdp(rate, rtt)))
        flow = dict(tx="bulk:6s", cc=r.choice(("cubic", "reno", "cubic")))
        if kind == "rwnd":
            flow["rcvwin"] = held
        elif kind == "sndbuf":
            flow["sndbuf"] = held
        back = {}
        flows = [flow]
        if where in ("acks", "both"):    # an ACK of 66 octets for each two segments, and 0.4 to 0.9 of what they need
            acks = min(rate, held * 8e-3 / rtt) / 2 / 1500 * 78
            back = dict(rev_rate_mbit=round(acks * r.uniform(0.4, 0.9), 3), rev_qbytes=r.choice((4000, 8000, 16000)))
        elif where == "upload":
            up = round(r.uniform(1, 6), 2)
            back = dict(rev_rate_mbit=up, rev_qbytes=int(up * 1e6 / 8 * r.uniform(0.03, 0.15)))
            flows.append(dict(tx="rate:2000:6:500", cc="cubic", rcv_tx="bulk:4s", start=r.choice((0, 1))))
        elif r.random() < 0.6:
            back = r.choice((dict(rev_jitter_ms=round(r.uniform(0.3, 3), 2)), dict(rev_loss=f"{r.randrange(1, 8)}%")))
        loss = dict(fwd_loss=f"{r.choice((0.05, 0.1))}%") if r.random() < 0.25 else {}
        p = path(rate, rtt, r.uniform(0.5, 2) if where != "both" else 2.0, **back, **loss)
        out.append(dict(id=f"{which}-{where}{n}-{kind}", group=where, desc=f"{kind}, queue: {where}", seed=r.randrange(100003), notes="",
                        net=1 + r.randrange(250), path=p, flows=flows, cause=kind, sub="", cap=dict(rcv=True, mid=True, mid_at="r0")))
    return out


def table(which):
    return rows(which)
