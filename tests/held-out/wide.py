"""The fourth and fifth wave: table("w4"), table("w5"): rates, delays and writers outside the ranges of the earlier tables; fixed seeds, so
always the same. table("iv4"), table("iv5"): their doubtful flows with the limit doubled.

Rates 2.7 to 340 Mbit/s and delays 3 to 260 ms (fresh.py and waves.py: 6 to 50, 10 to 160), mixtures near 60 to 40,
writers whose pieces do not divide one another.  What moves much is short, so that every capture stays small.
"""
from typing import NamedTuple

import random, zlib
from scenarios import path, bdp, cost      # noqa: F401
from fresh import sndbuf_for, doubled

RATES = (3, 17, 70, 330)
DELAYS = (4, 14, 33, 64, 128, 245)
CONTROLS = ("cubic", "reno", "bbr", "htcp", "westwood", "vegas")


def F(tx, cc="cubic", **kw):
    return dict(tx=tx, cc=cc, **kw)


class Wave(NamedTuple):
    seed: int
    prefix: str
    salt: str          # of the rows' own seeds
    cycles: int        # eight rows each


WAVES = {"4": Wave(20261404, "f-x", "w4", 11), "5": Wave(20261505, "f-y", "w5", 7)}


class Table:
    def __init__(self, wave):
        self.wave, self.R, self.out = wave, random.Random(wave.seed), []

    def add(self, kind, id, desc, p, f, cause, sub="", **kw):
        r = random.Random(zlib.crc32((self.wave.salt + id).encode()))
        s = dict(id=self.wave.prefix + id, group=kind, desc=desc, seed=r.randrange(100003), notes="", path=p, flows=[f], cause=cause, sub=sub, net=1 + r.randrange(250))
        x = r.random()
        if x < 0.10:
            s["offload"] = dict(tso=False, gro=False)
        elif x < 0.20:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        elif x < 0.25:
            s["sysctl"] = {"net.ipv4.tcp_sack": 0}
        if r.random() < 0.15:
            s["cap"] = dict(rcv=True, mid=True)
        s.update(kw)
        self.out.append(s)

    def path(self, rates=RATES, delays=DELAYS, most=1.6e6):
        """A path of at most `most` octets of product, a queue of 0.6 to 2.2 of it, delays split unevenly."""
        while True:
            rate, rtt = self.R.choice(rates) * self.R.uniform(0.9, 1.1), self.R.choice(delays) * self.R.uniform(0.85, 1.15)
            if bdp(rate, rtt) <= most:
                break
        p = path(round(rate, 2), round(rtt, 1), self.R.uniform(0.6, 2.2))
        d = self.R.uniform(0.7, 1.3)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p, rate, rtt


def seconds(rate, part=1.0, octets=12e6):
    """How long a flow that gets `part` of the path's rate may last: 2.5 to 7 s, about `octets` at most."""
    return round(max(2.5, min(7.0, octets / (rate * part * 125e3))), 2)


def send_buffer(t, i):
    R, cc = t.R, t.R.choice(CONTROLS)
    p, rate, rtt = t.path(delays=(33, 64, 128, 245))
    B = bdp(rate, rtt)
    fr = R.uniform(0.12, 0.88)
    most = min(fr, 400e3 / B)                  # keep fast paths' buffers to what a capture of a few MB holds
    kind = i % 4
    op = ("bulk", "ebulk")[i // 4 % 2]
    last = seconds(rate, most)
    if kind == 0:
        lo = R.choice((600, 900, 1448, 2300, 4500))
        v = sndbuf_for(most * B, "w2k" if lo < 3000 else "w8k", cc)
        f = F(f"wsize:{lo}:{lo * 2};{op}:{last}s", cc, sndbuf=v, nodelay=True)
        desc = f"writes of {lo}..{2 * lo} B"
    elif kind == 1:
        w = R.choice((24000, 50000, 200000, 500000))
        v = sndbuf_for(most * B, "128k", cc)
        f = F(f"ebulk:{last}s", cc, sndbuf=v, wsize=w)
        desc = f"epoll, partial writes of up to {w} B"
    elif kind == 2:
        v = sndbuf_for(most * B, "128k", cc)
        f = F(f"{op}:{last}s", cc, wsize=R.choice((40000, 100000)), lowat=R.choice((12000, 30000, 90000)))
        t.add("sndbuf", f"s{i}-{cc}", f"tcp_wmem {2 * v} ({most:.2f} BDP), TCP_NOTSENT_LOWAT", p, f, "sndbuf", f"{most:.2f} BDP", sysctl_snd={"net.ipv4.tcp_wmem": f"4096 16384 {2 * v}"})
        return
    else:
        w = R.choice((3000, 7000, 11000))
        v = sndbuf_for(most * B, "w4k" if w < 5000 else "w8k", cc)
        f = F(f"{op}:{last}s", cc, sndbuf=v, wsize=w, noquickack=bool(i % 8 == 3))
        desc = f"writes of {w} B, Nagle on"
    t.add("sndbuf", f"s{i}-{cc}", f"SO_SNDBUF {v} ({most:.2f} BDP), {desc}, {op}", p, f, "sndbuf", f"{most:.2f} BDP")


def receive_window(t, i):
    R, cc = t.R, t.R.choice(CONTROLS)
    p, rate, rtt = t.path()
    B = bdp(rate, rtt)
    if i % 2:
        most = min(R.uniform(0.1, 0.9), 350e3 / B)
        w = max(5000, int(most * B))
        f = F(f"bulk:{seconds(rate, w / B)}s", cc, rcvwin=w, noquickack=i % 4 == 1)
        if i % 3 == 0:
            f.update(wsize=R.choice((2000, 5500)), nodelay=True)
        t.add("rwnd", f"r{i}-{cc}", f"receive window {w} ({w / B:.2f} BDP)", p, f, "rwnd", f"{w / B:.2f} BDP")
    elif i % 4 == 0:
        v = int(min(R.uniform(0.15, 0.8) * rate * 125e3, 3e6))
        rb = int(max(20000, min(R.uniform(0.5, 2) * B, 300e3)))
        t.add("reader", f"z{i}-{cc}", f"reader takes {v} B/s", p, F("bulk:4s", cc, rcvbuf=rb // 2, sndbuf=250000, rx=f"slow:{v}:6:{R.choice((2500, 9000, 30000))}"), "rwnd", "slow reader")
    else:
        rx = ";".join(f"readfor:{R.uniform(0.2, 0.8):.2f};sleep:{R.uniform(0.3, 1.5):.2f}" for _ in range(4)) + ";read"
        if rate > 100:
            p["rate_mbit"] = rate = 28
        t.add("reader", f"z{i}-{cc}", "reader stops and goes", p, F("bulk:5s", cc, rcvbuf=60000, sndbuf=250000, rx=rx), "rwnd", "stopping reader")


def application(t, i):
    R, cc = t.R, t.R.choice(CONTROLS)
    p, rate, rtt = t.path()
    kind = i % 5
    if kind in (0, 1):                         # paced writer
        v = int(min(R.uniform(0.08, 0.85) * rate * 125e3, 2.5e6))
        ck = R.choice((300, 1100, 2900, 6000, 13000, 40000, 100000))
        if ck < 1000:
            v = min(v, 120000)
        t.add("app-rate", f"a{i}-{cc}", f"writer at {v} B/s ({v / rate / 125e3:.2f} of the path) in {ck} B chunks", p,
              F(f"rate:{v}:5:{ck}", cc, nodelay=R.random() < 0.5, **(dict(lowat=20000) if i % 3 == 1 else {})), "app", f"rate {v / rate / 125e3:.2f}")
    elif kind == 2:
        b, idle = R.choice((3000, 15000, 60000, 250000)), round(R.uniform(0.03, 0.7), 3)
        n = max(4, int(5 / (idle + b / (rate * 125e3) + 3 * rtt / 1e3)))
        t.add("app-pause", f"p{i}-{cc}", f"{b} B, {idle} s pauses", p, F(f"onoff:{b}:{idle}:{n}", cc), "app", "on/off")
    elif kind == 3:
        b, think, st = R.choice((900, 8000, 33000, 120000)), round(R.uniform(0, 0.25), 3), round(R.uniform(0, 0.25), 3)
        n = max(5, int(5 / (think + st + b / (rate * 125e3) + 2 * rtt / 1e3)))
        t.add("app-pause", f"q{i}-{cc}", f"{b} B answers, client thinks {think} s, server {st} s", p,
              dict(cc=cc, passive=True, nodelay=True, snd_rx=f"serve:250:{b}:{st}", rcv_tx=f"rpc:250:{b}:{n}:{think}", rx="none"), "app", "rpc")
    else:                                      # a writer of two speeds with loss on the way
        v = int(min(0.3 * rate * 125e3, 1e6))
        p["fwd_loss"] = f"{R.choice((0.03, 0.08))}%"
        t.add("app-rate", f"t{i}-{cc}", f"writer at {v} and {v // 3} B/s, light loss", p, F(f"rate:{v}:3:5000;rate:{v // 3}:3:1700", cc), "app", "two rates")


def congestion(t, i):
    R = t.R
    cc = CONTROLS[i % 6]
    p, rate, rtt = t.path(rates=(3, 17, 70), delays=(14, 33, 64, 128))
    kind = i % 5
    if kind == 0:
        p["fwd_loss"] = f"{R.choice((0.2, 0.5, 1.5))}%"
        t.add("cwnd", f"c{i}-{cc}", "random loss", p, F(f"bulk:{seconds(rate, 0.7)}s", cc), "cwnd", "loss")
    elif kind == 1:
        t.add("cwnd", f"c{i}-{cc}", "bottleneck, small writes", p, F(f"wsize:1500:5000;bulk:{seconds(rate)}s", cc, nodelay=True), "cwnd", "bandwidth")
    elif kind == 2:
        p["qbytes"], p["qpkts"] = 10 ** 7, R.choice((8, 14, 25))
        t.add("cwnd", f"c{i}-{cc}", "shallow queue", p, F(f"ebulk:{seconds(rate)}s", cc), "cwnd", "shallow")
    elif kind == 3:
        p["aqm"] = R.choice(("codel", "fq_codel", "pie"))
        t.add("cwnd", f"c{i}-{cc}", f"bottleneck with {p['aqm']}", p, F(f"bulk:{seconds(rate)}s", cc, lowat=40000), "cwnd", "bandwidth")
    else:
        t.add("cwnd", f"c{i}-{cc}", "bottleneck", p, F(f"bulk:{seconds(rate)}s", cc), "cwnd", "bandwidth")


def mixture(t, i):
    """Two causes of about 60 to 40."""
    R, cc = t.R, t.R.choice(CONTROLS)
    p, rate, rtt = t.path(rates=(17, 70), delays=(33, 64, 128))
    B = bdp(rate, rtt)
    a = round(3.6 * R.uniform(0.92, 1.08), 2)
    b = round(2.4 * R.uniform(0.92, 1.08), 2)
    w, v = max(12000, int(min(0.35 * B, 200e3))), sndbuf_for(min(0.35 * B, 150e3), "w4k", cc)
    q = int(min(0.3 * rate * 125e3, 8e5))
    kind = i % 6
    if kind == 0:
        t.add("mix", f"m{i}-{cc}", "receive window 60, paced writer 40", p, F(f"bulk:{a}s;rate:{q}:{b}:4500", cc, sndbuf=300000, rx=f"rcvwin:{w};readfor:{a};rcvwin:2000000;read"), "mixed", "rwnd,app")
    elif kind == 1:
        t.add("mix", f"m{i}-{cc}", "paced writer 60, send buffer 40", p, F(f"rate:{q}:{a}:4500;sndbuf:{v};wsize:4096;bulk:{b}s", cc, nodelay=True), "mixed", "app,sndbuf")
    elif kind == 2:
        t.add("mix", f"m{i}-{cc}", "send buffer 60, pause 40", p, F(f"wsize:4096;bulk:{a}s;drain;sleep:{b};bulk:0.1s", cc, sndbuf=v, nodelay=True), "mixed", "sndbuf,app")
    elif kind == 3:
        p["rate_mbit"] = 17
        t.add("mix", f"m{i}-{cc}", "paced writer 60, bottleneck 40", p, F(f"rate:{q}:{a}:4500;bulk:{b}s", cc, sndbuf=400000), "mixed", "app,cwnd")
    elif kind == 4:
        t.add("mix", f"m{i}-{cc}", "send buffer 60, receive window 40", p, F(f"sndbuf:{v};wsize:4096;bulk:{a}s;sndbuf:1500000;bulk:{b}s", cc, nodelay=True, rx=f"readfor:{a};rcvwin:{w};read"), "mixed", "sndbuf,rwnd")
    else:
        p["rate_mbit"] = 17
        t.add("mix", f"m{i}-{cc}", "receive window 60, bottleneck 40", p, F(f"bulk:{round(a + b, 2)}s", cc, sndbuf=400000, rx=f"rcvwin:{w};readfor:{a};rcvwin:2000000;read"), "mixed", "rwnd,cwnd")


ORDER = (send_buffer, application, receive_window, mixture, application, send_buffer, receive_window, congestion)


def rows(wave):
    t, n = Table(wave), {}
    for _ in range(wave.cycles):
        for make in ORDER:
            make(t, n.get(make, 0))
            n[make] = n.get(make, 0) + 1
    return t.out


def table(which):
    wave = WAVES[which[-1]]
    if which.startswith("w"):
        return rows(wave)
    if which.startswith("iv"):
        base = [s for s in rows(wave) if s["flows"][0]["cc"] == "bbr" and s["group"] in ("sndbuf", "rwnd", "reader") and "stopping" not in s["sub"]]
        return [d for s in base if (d := doubled(s))]
    raise KeyError(which)


if __name__ == "__main__":
    for w in ("w4", "iv4", "w5", "iv5"):
        t = table(w)
        print(w, len(t), f"{sum(map(cost, t)):.0f} MB")
        for s in t:
            print(s["id"], s["desc"], {k: v for k, v in s["path"].items()}, s["flows"][0].get("tx", ""), list(s.get("cap", {})), list(s.get("offload", {})))
