"""Paced senders: table("p1") and table("p2"), 42 random rows each of the four causes from two fixed seeds; table("ivp1"),
table("ivp2"): those with a buffer or a window, with that doubled.

Two in three are bbr, the others cubic or reno under SO_MAX_PACING_RATE; one in six has the sender's fq qdisc pace in the
socket's place. Rates 2 to 900 Mbit/s, round trips 2 to 300 ms, both spread evenly over their logarithms.
"""
import random
from scenarios import path, bdp, cost      # noqa: F401
from fresh import sndbuf_for, doubled

SEEDS = {"p1": 20261121, "p2": 20261122}
OCTETS = 7e6                               # what a flow moves at most, so that captures stay small


class Table:
    def __init__(self, name):
        self.name, self.r, self.out = name, random.Random(SEEDS[name]), []

    def some_path(self):
        r = self.r
        while True:
            rate, rtt = 10 ** r.uniform(0.3, 2.95), 10 ** r.uniform(0.3, 2.48)
            if 8000 < bdp(rate, rtt) < 2.5e6:
                break
        p = path(round(rate, 2), round(rtt, 2), r.uniform(0.5, 2.5))
        d = r.uniform(0.7, 1.3)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p, rate, rtt, bdp(rate, rtt)

    def sender(self, rate):
        """Who paces: bbr, or the socket's own bound; and what rate in octets per second is left."""
        r = self.r
        if r.random() < 0.67:
            return dict(cc="bbr"), rate * 125e3
        bound = int(r.uniform(0.3, 0.9) * rate * 125e3)
        return dict(cc=r.choice(("cubic", "reno")), pacing=bound), bound

    def add(self, kind, desc, p, flow, cause, sub):
        r = self.r
        n = sum(s["cause"] == cause for s in self.out)
        s = dict(id=f"{self.name}-{cause}{n}-{flow['cc']}", group=kind, desc=desc, seed=r.randrange(100003), notes="", path=p, flows=[flow],
                 cause=cause, sub=sub, net=1 + r.randrange(250))
        x = r.random()
        if x < 0.17:
            s["snd_qdisc"] = "fq"
        elif x < 0.27:
            s["offload"] = dict(tso=False, gro=False)
        elif x < 0.37:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        self.out.append(s)


def seconds(octets_per_s):
    return round(max(1.2, min(6.0, OCTETS / octets_per_s)), 2)


def send_buffer(t, i):
    r = t.r
    p, rate, rtt, b = t.some_path()
    who, left = t.sender(rate)
    product = left * rtt / 1e3
    part = min(r.uniform(0.12, 0.88), 400e3 / product)
    last = seconds(left * part)
    if i % 2:
        w = r.choice((700, 1448, 2600, 5000, 9000))
        v = sndbuf_for(part * product, "w2k" if w < 3000 else "w8k", who["cc"])
        f = dict(tx=f"wsize:{w}:{2 * w};{r.choice(('bulk', 'ebulk'))}:{last}s", sndbuf=v, nodelay=r.random() < 0.7, **who)
    else:
        w = r.choice((16384, 40000, 65536, 131072))
        v = sndbuf_for(part * product, "128k", "bbr")
        f = dict(tx=f"{r.choice(('bulk', 'ebulk'))}:{last}s", sndbuf=v, wsize=w, **who)
    t.add("sndbuf", f"SO_SNDBUF {v} ({part:.2f} of the product), writes of {w} B", p, f, "sndbuf", f"{part:.2f}")


def receive_window(t, i):
    r = t.r
    p, rate, rtt, b = t.some_path()
    who, left = t.sender(rate)
    product = left * rtt / 1e3
    part = min(r.uniform(0.12, 0.9), 400e3 / product)
    if i % 4 == 3:
        v = int(part * left)
        f = dict(tx=f"bulk:{seconds(v)}s", rcvbuf=int(max(16000, min(r.uniform(0.6, 2.0) * b, 300e3))) // 2, sndbuf=400000,
                 rx=f"slow:{v}:7:{r.choice((2500, 9000, 30000))}", **who)
        t.add("reader", f"reader takes {v} B/s", p, f, "rwnd", "slow reader")
        return
    w = max(6000, int(part * product))
    f = dict(tx=f"bulk:{seconds(left * part)}s", rcvwin=w, noquickack=r.random() < 0.25, **who)
    if i % 3 == 1:
        f.update(wsize=r.choice((3000, 7000)), nodelay=True)
    t.add("rwnd", f"receive window {w} ({part:.2f} of the product)", p, f, "rwnd", f"{part:.2f}")


def application(t, i):
    r = t.r
    p, rate, rtt, b = t.some_path()
    who, left = t.sender(rate)
    if i % 2:
        octets, pause = r.choice((5000, 25000, 90000, 250000)), round(r.uniform(0.03, 0.6), 3)
        n = max(4, int(5 / (pause + octets / left + 3 * rtt / 1e3)))
        t.add("app-pause", f"{octets} B, {pause} s pauses", p, dict(tx=f"onoff:{octets}:{pause}:{n}", **who), "app", "on/off")
        return
    part, chunk = r.uniform(0.08, 0.85), r.choice((700, 1448, 2900, 6000, 14480, 40000, 100000))
    v = int(min(part * left, chunk * 1500))
    t.add("app-rate", f"writer at {v} B/s in {chunk} B chunks", p,
          dict(tx=f"rate:{v}:{seconds(v)}:{chunk}", nodelay=r.random() < 0.5, **who), "app", f"rate {v / left:.2f}")


def congestion(t, i):
    r = t.r
    p, rate, rtt, b = t.some_path()
    who, left = t.sender(rate)
    f = dict(tx=f"{r.choice(('bulk', 'ebulk'))}:{seconds(left)}s", **who)
    if i % 3 == 0:
        p["fwd_loss"] = f"{r.choice((0.1, 0.4, 1.5))}%"
    elif i % 3 == 1:
        f.update(tx=f"wsize:1500:6000;{f['tx']}", nodelay=True)
    t.add("cwnd", ("random loss", "small writes", "bottleneck")[i % 3], p, f, "cwnd", ("loss", "bandwidth", "bandwidth")[i % 3])


def mixture(t, i):
    """Two causes of about 60 to 40."""
    r = t.r
    while True:
        p, rate, rtt, b = t.some_path()
        if rate < 120:
            break
    who, left = t.sender(rate)
    product = left * rtt / 1e3
    a, z = round(2.4 * r.uniform(0.9, 1.1), 2), round(1.6 * r.uniform(0.9, 1.1), 2)
    v, q = sndbuf_for(min(0.4 * product, 150e3), "w4k", who["cc"]), int(min(0.35 * left, 8e5))
    w = max(12000, int(min(0.4 * product, 200e3)))
    tx = (f"rate:{q}:{a}:4500;sndbuf:{v};wsize:4096;bulk:{z}s", f"wsize:4096;bulk:{a}s;drain;sleep:{z};bulk:0.1s",
          f"rate:{q}:{a}:4500;bulk:{z}s", f"bulk:{a}s;rate:{q}:{z}:4500")[i % 4]
    f = dict(tx=tx, nodelay=True, **who)
    if i % 4 == 1:
        f["sndbuf"] = v
    elif i % 4 == 3:
        f["rx"] = f"rcvwin:{w};readfor:{a};rcvwin:2000000;read"
    what = ("app,sndbuf", "sndbuf,app", "app,cwnd", "rwnd,app")[i % 4]
    t.add("mix", what, p, f, "mixed", what)


def rows(name):
    t = Table(name)
    for i in range(10):
        for make in (send_buffer, receive_window, application, congestion):
            make(t, i)
        if i % 5 == 0 or i % 5 == 3:
            mixture(t, i)
    return t.out


def table(which):
    if which.startswith("iv"):
        base = [s for s in rows(which[2:]) if s["group"] in ("sndbuf", "rwnd", "reader")]
        return [d for s in base if (d := doubled(s))]
    return rows(which)


if __name__ == "__main__":
    for name in ("p1", "p2", "ivp1", "ivp2"):
        for s in table(name):
            print(name, s["id"], s["desc"], s["path"], s["flows"][0])
