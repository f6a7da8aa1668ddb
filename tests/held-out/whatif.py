"""Pairs for the what-if: table("whatif"): every row a flow held back by one limit, followed by the same flow with exactly that
limit lifted (id + "+lift"). Random parameters from a fixed seed, so always the same table. table("lossy"): 24 more, windows and send
buffers of a part of what the random loss beside them leaves.

Ids: x-r receive window, x-z slow reader, x-s send buffer, x-a application, x-l random loss; a trailing word names what else is
near. y-r and y-s: those of table("lossy").
"""
import math, random, zlib
from scenarios import path, bdp, cost      # noqa: F401
from fresh import sndbuf_for

SEG = 1448
FAR = 8                     # a lifted window or buffer is this many times what the path and its queue hold


def F(tx, cc="cubic", **kw):
    return dict(tx=tx, cc=cc, **kw)


def loss_for(share, rate, rtt, cc):
    """Percent of loss at which the average window is `share` of the BDP (Mathis 1997; RFC 9438 s5.1)."""
    w = max(4.0, share * bdp(rate, rtt) / SEG)
    p = 1.5 / w ** 2
    if cc == "cubic":
        p = max(p, (1.054 * (rtt / 1e3) ** 0.75 / w) ** (4 / 3))
    return f"{min(4.0, max(0.03, 100 * p)):.3g}%"       # at least a handful of losses in the life of a flow


def rows():
    out = []
    R = random.Random(20261127)

    def add(kind, p, cc, desc, base, lifted, cause, near="", path_lifted=None):
        id = f"x-{kind}{sum(s['id'].startswith('x-' + kind) for s in out) // 2:02d}-{cc}" + (f"-{near}" if near else "")
        r = random.Random(zlib.crc32(id.encode()))
        s = dict(id=id, group="whatif", desc=desc, seed=r.randrange(100003), notes="", path=p, flows=[base], cause=cause, sub=near, net=1 + r.randrange(250))
        x = r.random()
        if x < 0.15:
            s["offload"] = dict(tso=False, gro=False)
        elif x < 0.30:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        elif x < 0.35:
            s["sysctl"] = {"net.ipv4.tcp_sack": 0}
        out.append(s)
        if "net.ipv4.tcp_sack" in s.get("sysctl", {}):      # without SACK the repair of slow start's overshoot takes a round trip per segment
            lifted, s = {**lifted, "tx": "bulk:120s"}, {**s, "limit": 600}
        out.append({**s, "id": id + "+lift", "flows": [lifted], "path": path_lifted or p})

    def pth():
        rate = round(math.exp(R.uniform(math.log(5), math.log(150))), 1)
        rtt = round(min(R.uniform(5, 150), 6000 / rate), 1)
        p = path(rate, rtt, R.uniform(0.8, 1.8))
        d = R.uniform(0.85, 1.15)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p, rate, rtt, bdp(rate, rtt)

    for i in range(19):
        for kind in ("r", "s", "a", "l"):
            p, rate, rtt, B = pth()
            far = int(FAR * (B + p["qbytes"]))
            cc = R.choice(("cubic", "cubic", "reno", "bbr"))
            if kind == "l" and cc == "bbr":
                cc = "cubic"
            near = {"r": {4: "loss", 9: "loss", 13: "loss", 16: "snd"}, "s": {3: "rwnd", 8: "loss", 12: "rwnd", 17: "loss"},
                    "a": {2: "rwnd", 7: "loss", 11: "rwnd", 14: "snd"}, "l": {1: "rwnd", 6: "rwnd", 10: "rwnd", 15: "snd"}}[kind].get(i, "")
            if near == "loss" and cc == "bbr":
                cc = "reno"
            fr = R.uniform(0.08, 0.75 if near == "" else 0.4)
            if near == "loss":
                p["fwd_loss"] = loss_for(min(0.85, R.uniform(1.6, 2.6) * fr), rate, rtt, cc)
            more = {}
            if near == "rwnd":
                more["rcvwin"] = int(max(12000, min(0.9, R.uniform(1.5, 2.5) * fr) * B))
            if near == "snd":
                more["sndbuf"] = sndbuf_for(max(12000, min(0.9, R.uniform(1.5, 2.5) * fr) * B), "128k", cc)
            if kind == "r" and i % 5 == 2:
                v = int(fr * rate * 1e6 / 8 * 0.95)
                rb = int(max(16000, R.uniform(0.8, 2.5) * B))
                ck = R.choice((1000, 4000, 15000, 40000))
                add("z", p, cc, f"reader takes {v} B/s in {ck} B chunks", F("bulk:10s", cc, rcvbuf=rb // 2, rx=f"slow:{v}:14:{ck}"), F("bulk:10s", cc, rcvwin=far), "rwnd", near)
            elif kind == "r":
                w = max(6000, int(fr * B))
                add("r", p, cc, f"receive window {w} ({fr:.2f} BDP)", F("bulk:12s", cc, rcvwin=w, **more), F("bulk:12s", cc, rcvwin=far, **more), "rwnd", near)
            elif kind == "s":
                w = R.choice((1400, 4000, 8000, 32768, 131072, 131072, 131072))
                v = sndbuf_for(fr * B, "w2k" if w < 2000 else "w4k" if w < 5000 else "w8k" if w < 9000 else "128k", cc)
                more.update(wsize=w, nodelay=w < 9000)
                add("s", p, cc, f"SO_SNDBUF {v} ({fr:.2f} BDP), writes of {w} B", F("bulk:12s", cc, sndbuf=v, **more), F("bulk:12s", cc, sndbuf=far, **more), "sndbuf", near)
            elif kind == "a":
                if i % 4 == 1:
                    b = int(R.uniform(0.5, 4) * B)
                    idle = round(b * 8 / (rate * 1e6) * (1 / fr - 1), 3)
                    n = max(4, int(9 / (idle + b * 8 / (rate * 1e6) + 3 * rtt / 1e3)))
                    add("a", p, cc, f"{b} B, {idle} s pauses", F(f"onoff:{b}:{idle}:{n}", cc, **more), F("bulk:12s", cc, **more), "app", near)
                else:
                    ck = R.choice((700, 1500, 3500, 8000, 20000, 65536))
                    v = int(fr * rate * 1e6 / 8 * 0.955)
                    add("a", p, cc, f"writer at {v} B/s ({fr:.2f} of the path) in {ck} B chunks", F(f"rate:{v}:12:{ck}", cc, nodelay=R.random() < 0.5, **more),
                        F("bulk:12s", cc, wsize=max(ck, 8000), **more), "app", near)
            else:
                q = {**p, "fwd_loss": loss_for(fr, rate, rtt, cc)}
                add("l", q, cc, f"random loss {q['fwd_loss']} ({fr:.2f} BDP)", F("bulk:12s", cc, **more), F("bulk:12s", cc, **more), "cwnd", near, path_lifted=p)
    return out


def lossy():
    """0.3 to 6 % of loss, 1 to 60 ms: the loss is the next limit, with windows of 5 to 20 segments."""
    out, R = [], random.Random(20261203)
    for i in range(24):
        loss = round(10 ** R.uniform(-0.5, 0.8), 3)
        rtt = round(10 ** R.uniform(0, 1.8), 2)
        cc = R.choice(("cubic", "cubic", "reno"))
        held = max(3 * SEG, R.uniform(0.25, 0.6) * SEG * (150 / loss) ** 0.5)
        rate = round(min(150, R.uniform(4, 12) * held * 8 / rtt / 1e3), 1)
        p = path(rate, rtt, R.uniform(1, 2), fwd_loss=f"{loss}%")
        far = int(FAR * (bdp(rate, rtt) + p["qbytes"]) + 100 * SEG)
        kind = R.choice("rrs")
        base, lifted = (dict(rcvwin=int(held)), dict(rcvwin=far)) if kind == "r" else (
            dict(sndbuf=sndbuf_for(held, "w4k", cc), wsize=4000), dict(sndbuf=far, wsize=4000))
        id = f"y-{kind}{i:02d}-{cc}"
        s = dict(id=id, group="whatif", desc=f"{loss} % loss, {kind} {int(held)} B", seed=R.randrange(100003), notes="", path=p,
                 flows=[F("bulk:12s", cc, **base)], cause="rwnd" if kind == "r" else "sndbuf", sub="loss", net=1 + R.randrange(250))
        out += [s, {**s, "id": id + "+lift", "flows": [F("bulk:12s", cc, **lifted)]}]
    return out


def table(which):
    return {"whatif": rows, "lossy": lossy}[which]()


if __name__ == "__main__":
    t = rows()
    print(len(t) // 2, "pairs", f"{sum(map(cost, t)):.0f} MB")
    for s in t:
        print(s["id"], "|", s["desc"], "|", {k: v for k, v in s["path"].items()}, s["flows"][0], s.get("offload", ""), s.get("sysctl", ""))
