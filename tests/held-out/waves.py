"""Waves of random rows of the kinds where more variety is worth most: table("w2") and table("w3"); fixed seeds, so always the same."""
from typing import NamedTuple

import random, zlib
from scenarios import path, bdp, cost      # noqa: F401
from fresh import sndbuf_for, doubled, build


def F(tx, cc="cubic", **kw):
    return dict(tx=tx, cc=cc, **kw)


class Wave(NamedTuple):
    seed: int
    prefix: str
    salt: str          # of the rows' own seeds
    cycles: int        # seven rows each


WAVES = {"w2": Wave(20261121, "f-w", "", 14), "w3": Wave(20261203, "f-v", "v", 10)}


def rows(wave):
    out = []
    R = random.Random(wave.seed)

    def add(kind, id, desc, p, f, cause, sub="", **kw):
        r = random.Random(zlib.crc32((wave.salt + id).encode()))
        s = dict(id=wave.prefix + id, group=kind, desc=desc, seed=r.randrange(100003), notes="", path=p, flows=[f], cause=cause, sub=sub, net=1 + r.randrange(250))
        x = r.random()
        if x < 0.12:
            s["offload"] = dict(tso=False, gro=False)
        elif x < 0.24:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        elif x < 0.30:
            s["sysctl"] = {"net.ipv4.tcp_sack": 0}
        if r.random() < 0.2:
            s["cap"] = dict(rcv=True, mid=True)
        s.update(kw)
        out.append(s)

    def pth(**kw):
        rate = round(R.uniform(6, 46), 1)
        rtt = round(min(R.uniform(10, 160), 6000 / rate), 1)
        p = path(rate, rtt, R.uniform(0.9, 1.6), **kw)
        d = R.uniform(0.85, 1.15)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p, rate, rtt

    for i in range(wave.cycles):
        cyc = ("reader", "sndbuf", "app-rate", "rwnd", "app-pause", "sndbuf2", "cwnd" if i % 2 else "mix")
        for kind in cyc:
            cc = R.choice(("cubic", "cubic", "reno", "bbr", "htcp"))
            p, rate, rtt = pth()
            B = bdp(rate, rtt)
            ack = R.random() < 0.25
            if kind == "sndbuf":                   # small writes with TCP_NODELAY
                cc = R.choice(("cubic", "reno", "westwood", "bbr"))
                lo = R.choice((700, 1200, 1448, 2500, 5000, 10000))
                fr = R.uniform(0.1, 0.9)
                v = sndbuf_for(fr * B, "w2k" if lo < 3000 else "w8k", cc)
                op = R.choice(("bulk", "ebulk"))
                add("sndbuf", f"s{i}-{cc}", f"SO_SNDBUF {v} ({fr:.2f} BDP), writes of {lo}..{lo * 3} B, {op}", p, F(f"wsize:{lo}:{lo * 3};{op}:5s", cc, sndbuf=v, nodelay=True, noquickack=ack), "sndbuf", f"{fr:.2f} BDP")
            elif kind == "sndbuf2":                # large writes
                cc = R.choice(("cubic", "reno", "cubic", "vegas"))
                fr = R.uniform(0.2, 0.9)
                w = R.choice((32768, 65536, 131072, 262144))
                v = sndbuf_for(fr * B, "128k", cc)
                op = R.choice(("bulk", "ebulk"))
                kw = {}
                f = F(f"{op}:5s", cc, sndbuf=v, wsize=w)
                if R.random() < 0.35:
                    f.pop("sndbuf")
                    kw = dict(sysctl_snd={"net.ipv4.tcp_wmem": f"4096 16384 {2 * v}"})
                if R.random() < 0.2:
                    f["lowat"] = R.choice((16384, 65536, 131072))
                add("sndbuf", f"l{i}-{cc}", f"send buffer {2 * v} ({fr:.2f} BDP), writes of {w} B, {op}", p, f, "sndbuf", f"{fr:.2f} BDP", **kw)
            elif kind == "rwnd":
                fr = R.uniform(0.08, 0.95)
                w = max(6000, int(fr * B))
                f = F("bulk:5s", cc, rcvwin=w, noquickack=ack)
                if R.random() < 0.3:
                    f.update(wsize=R.choice((1500, 4000, 9000)), nodelay=True)
                if R.random() < 0.3:
                    p["fwd_loss"] = "0.02%"
                    f["tx"] = "bulk:8s"
                add("rwnd", f"r{i}-{cc}", f"receive window {w} ({fr:.2f} BDP)", p, f, "rwnd", f"{fr:.2f} BDP")
            elif kind == "reader":
                fr = R.uniform(0.1, 0.85)
                rb = int(max(16000, R.uniform(0.6, 2.5) * B))
                ck = R.choice((1000, 4000, 15000, 40000))
                if i % 3 == 2:
                    rx = ";".join(f"readfor:{R.uniform(0.3, 1.2):.2f};sleep:{R.uniform(0.4, 2):.2f}" for _ in range(4)) + ";read"
                    add("reader", f"z{i}-{cc}", "reader stops and goes", p, F("bulk:6s", cc, rcvbuf=rb // 2, sndbuf=300000, rx=rx), "rwnd", "stopping reader")
                else:
                    v = int(fr * rate * 1e6 / 8 * 0.95)
                    add("reader", f"z{i}-{cc}", f"reader takes {v} B/s in {ck} B chunks", p, F("bulk:5s", cc, rcvbuf=rb // 2, sndbuf=300000, rx=f"slow:{v}:7:{ck}"), "rwnd", "slow reader")
            elif kind == "app-rate":
                fr = R.uniform(0.05, 0.9)
                ck = R.choice((200, 700, 1500, 3500, 8000, 20000, 65536))
                if ck < 1000:
                    fr = min(fr, 0.12)
                v = int(fr * rate * 1e6 / 8 * 0.955)
                nd = R.random() < 0.5
                if i % 4 == 3:
                    p["fwd_loss"] = f"{R.choice((0.05, 0.1, 0.2))}%"
                add("app-rate", f"a{i}-{cc}", f"writer at {v} B/s ({fr:.2f} of the path) in {ck} B chunks", p, F(f"rate:{v}:6:{ck}", cc, nodelay=nd, noquickack=ack, **(dict(lowat=16384) if i % 5 == 1 else {})), "app", f"rate {fr:.2f}")
            elif kind == "app-pause":
                if i % 2:
                    b, idle = R.choice((4000, 20000, 80000, 300000)), round(R.uniform(0.05, 0.9), 3)
                    dur = idle + b * 8 / (rate * 1e6) + 3 * rtt / 1e3
                    add("app-pause", f"p{i}-{cc}", f"{b} B, {idle} s pauses", p, F(f"onoff:{b}:{idle}:{max(4, int(5 / dur))}", cc), "app", "on/off")
                else:
                    b, think, st = R.choice((1500, 12000, 45000, 150000)), round(R.uniform(0, 0.3), 3), round(R.uniform(0, 0.2), 3)
                    dur = think + st + b * 8 / (rate * 1e6) + 2 * rtt / 1e3
                    add("app-pause", f"q{i}-{cc}", f"{b} B answers, client thinks {think} s, server {st} s", p,
                        dict(cc=cc, passive=True, nodelay=True, snd_rx=f"serve:300:{b}:{st}", rcv_tx=f"rpc:300:{b}:{max(5, int(5 / dur))}:{think}", rx="none"), "app", "rpc")
            elif kind == "cwnd":
                k = i // 2 % 4
                if k == 0:
                    p["fwd_loss"] = f"{R.choice((0.3, 0.7, 1.2))}%"
                    add("cwnd", f"c{i}-{cc}", "random loss", p, F("bulk:6s", cc), "cwnd", "loss")
                elif k == 1:
                    add("cwnd", f"c{i}-{cc}", "bottleneck, small writes", p, F("wsize:1000:6000;bulk:6s", cc, nodelay=True), "cwnd", "bandwidth")
                elif k == 2:
                    p.pop("qbytes")
                    p["qbytes"], p["qpkts"] = 10 ** 7, R.choice((10, 18, 30))
                    add("cwnd", f"c{i}-{cc}", "shallow queue", p, F("ebulk:6s", cc), "cwnd", "shallow")
                else:
                    add("cwnd", f"c{i}-{cc}", "bottleneck", p, F("bulk:6s", cc, lowat=65536), "cwnd", "bandwidth")
            else:
                w, v = int(0.4 * B), sndbuf_for(0.4 * B, "w4k", cc)
                k = i // 2 % 4
                q = int(0.4 * rate * 1e6 / 8)
                if k == 0:
                    add("mix", f"m{i}-{cc}", "receive window, then paced writer", p, F(f"bulk:3s;rate:{q}:4:6000", cc, sndbuf=300000, rx=f"rcvwin:{max(12000, w)};readfor:3;rcvwin:2000000;read"), "mixed", "rwnd,app")
                elif k == 1:
                    add("mix", f"m{i}-{cc}", "send buffer, pause, send buffer", p, F("wsize:4096;bulk:2s;drain;sleep:2;bulk:2s", cc, sndbuf=v, nodelay=True), "mixed", "sndbuf,app,sndbuf")
                elif k == 2:
                    add("mix", f"m{i}-{cc}", "paced writer, then bulk on the bottleneck", p, F(f"rate:{q}:4:5000;bulk:3s", cc, sndbuf=400000), "mixed", "app,cwnd")
                else:
                    add("mix", f"m{i}-{cc}", "send buffer, then receive window", p, F("sndbuf:%d;wsize:4096;bulk:3s;sndbuf:1500000;bulk:3s" % v, cc, nodelay=True, rx=f"readfor:3;rcvwin:{max(12000, w)};read"), "mixed", "sndbuf,rwnd")
    return out


def table(which):
    if which in WAVES:
        return rows(WAVES[which])
    if which == "iv2":          # interventions for the doubtful of the second wave and for two of the first that are not bbr
        base = [s for s in rows(WAVES["w2"]) if s["flows"][0]["cc"] == "bbr" and s["group"] in ("sndbuf", "rwnd", "reader") and "stopping" not in s["sub"]]
        base += [s for s in build() if s["id"] in ("f-s-nagle-3k", "f-s-6-reno-ebulk")]
        return [d for s in base if (d := doubled(s))]
    raise KeyError(which)


if __name__ == "__main__":
    for w in (*WAVES, "iv2"):
        t = table(w)
        print(w, len(t), f"{sum(map(cost, t)):.0f} MB")
        for s in t:
            print(s["id"], s["desc"], {k: v for k, v in s["path"].items()}, s["flows"][0].get("tx", ""), list(s.get("cap", {})), list(s.get("offload", {})))
