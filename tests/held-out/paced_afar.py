"""Windows and send buffers of 0.2 to 0.7 of what the path holds, of senders that a timer paces and of others, each captured at three places:
table("q1"), and table("q2") for another kernel. Half of the paths hold up the ACKs: a slow way back, a lossy one, or receivers that merge."""
import random
from scenarios import bdp, path, cost      # noqa: F401

SEEDS = {"q1": 20262901, "q2": 20262902}


def back(r):
    return r.choice(({}, {}, {}, dict(rev_rate_mbit=round(r.uniform(0.3, 2), 2), rev_qbytes=8000),
                     dict(rev_loss=f"{r.randrange(1, 8)}%"), dict(rev_jitter_ms=round(r.uniform(0.2, 2), 2))))


def rows(which):
    r, out = random.Random(SEEDS[which]), []
    for n in range(44):
        rate, rtt = round(10 ** r.uniform(0.4, 1.9), 2), round(10 ** r.uniform(0.9, 2.3), 1)
        part = r.uniform(0.2, 0.7)
        held = max(12000, int(part * bdp(rate, rtt)))
        cc = ("bbr", "bbr", "cubic", "bbr", "reno")[n % 5]
        kind = ("rwnd", "rwnd", "sndbuf", "rwnd", "mixed")[n // 2 % 5]
        octets = int(min(5e6, max(4e5, held / rtt * 1e3 * 5)))
        flow = dict(tx=f"bulk:{octets}", cc=cc)
        if r.random() < 0.4:
            flow["wsize"] = r.choice((3000, 8192, 20000, 65536))
        if kind == "rwnd":
            flow["rcvwin"] = held
        elif kind == "sndbuf":
            flow["sndbuf"] = held
        else:    # a writer's timer, beside a window that it fills now and then
            flow["rcvwin"] = held
            each = max(1500, int(held / rtt * r.uniform(0.7, 1.3) * 1000))
            flow["tx"] = f"rate:{each}:5:10000"
        off = r.choice((dict(gro=False), {}, {}))
        p = path(rate, rtt, r.uniform(0.3, 2), **back(r))
        d = r.uniform(0.6, 1.4)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        s = dict(id=f"{which}-{kind}{n}-{cc}", group=kind, desc=f"{kind} {part:.2f} of the path", seed=r.randrange(100003), notes="",
                 net=1 + r.randrange(250), path=p, flows=[flow], cause=kind, sub="", cap=dict(rcv=True, mid=True, mid_at=r.choice(("r0", "r1"))))
        if off:
            s["offload"] = off
        out.append(s)
    return out


def table(which):
    return rows(which)
