"""What a sender's own host holds back. "slow": pacing so slow that all is acknowledged before the timer fires, and writers
that look alike; "shaped": a qdisc that holds the rate below two bursts a round trip; "beside": the sender's qdisc together
with each limit. Each captured at both ends. "host-1", "host-2": 24 random rows each of all of these;
"iv-host-1" and so on: those with a buffer or a window, with that doubled."""
import random

from fresh import doubled
from scenarios import path

BOTH_ENDS = dict(rcv=True)


class Table:
    def __init__(self, prefix, seed, net):
        self.prefix, self.seed, self.net, self.out = prefix, seed, net, []

    def add(self, id, p, flow, cause, **kw):
        n = len(self.out)
        self.out.append(dict(id=self.prefix + id, group="host", desc=id, seed=self.seed + n * 13, notes="", path=p, flows=[flow],
                             cause=cause, sub="pacing", net=self.net + n, cap=BOTH_ENDS, **kw))


def bulk(seconds, cc="cubic", **kw):
    return dict(tx=f"bulk:{seconds}s", cc=cc, **kw)


def slow():
    t = Table("f-p-", 7700, 1)
    lossy = dict(path(20, 30, 1.0), fwd_loss="0.3%")
    for i, (p, pacing, cc, kw) in enumerate((
            (path(20, 6, 1.0), 150000, "cubic", {}), (path(20, 6, 1.0), 300000, "cubic", {}), (path(40, 4, 1.0), 450000, "reno", {}),
            (path(10, 12, 1.0), 180000, "cubic", dict(snd_qdisc="fq")),
            (path(30, 3, 1.0), 700000, "cubic", dict(offload=dict(tso=False, gro=False))), (path(15, 20, 1.0), 100000, "cubic", {}),
            (path(25, 8, 1.0), 260000, "bbr", {}), (path(25, 5, 1.0), 400000, "cubic", dict(sysctl={"net.ipv4.tcp_timestamps": 0})),
            (lossy, 120000, "reno", {}), (path(20, 15, 1.0), 210000, "cubic", {}))):
        t.add(f"pace{i}", p, bulk(5, cc, pacing=pacing), "mixed", **kw)
    for i, (rate, rtt, octets, chunk, nodelay) in enumerate((
            (20, 6, 220000, 2896, True), (20, 6, 220000, 1448, True), (20, 10, 200000, 4344, False), (30, 8, 300000, 5792, True),
            (20, 6, 220000, 2000, True))):
        t.add(f"app{i}", path(rate, rtt, 1.0), dict(tx=f"rate:{octets}:5:{chunk}", cc="cubic", nodelay=nodelay), "app")
    return t.out


def shaped():
    t = Table("f-q-", 8800, 31)
    for i, (rate, rtt, qdisc, cc) in enumerate((
            (20, 6, "fq maxrate 1500kbit", "cubic"), (20, 20, "fq maxrate 2mbit", "cubic"), (40, 5, "fq maxrate 6mbit", "reno"),
            (20, 10, "fq maxrate 1mbit", "bbr"), (20, 8, "tbf rate 2mbit burst 3100 latency 300ms", "cubic"),
            (20, 40, "fq maxrate 4mbit", "cubic"))):
        t.add(f"fq{i}", path(rate, rtt, 1.0), bulk(5, cc), "mixed", snd_qdisc=qdisc)
    return t.out


def beside():
    t = Table("f-h-", 9900, 51)
    fq = dict(snd_qdisc="fq")
    t.add("rwnd-bbr", path(40, 30, 1.0), bulk(4, "bbr", rcvwin=60000), "rwnd", **fq)
    t.add("rwnd-pace", path(40, 30, 1.0), bulk(4, rcvwin=60000, pacing=2500000), "mixed", **fq)
    t.add("rwnd-paced", path(40, 30, 1.0), bulk(4, rcvwin=60000, pacing=1200000), "mixed", **fq)
    t.add("snd-bbr", path(40, 40, 1.0), bulk(4, "bbr", sndbuf=40000), "sndbuf", **fq)
    t.add("snd-pace", path(40, 40, 1.0), bulk(4, sndbuf=40000, pacing=1500000), "mixed", **fq)
    t.add("app-bbr", path(40, 25, 1.0), dict(tx="rate:1200000:4:20000", cc="bbr"), "app", **fq)
    t.add("app-fq", path(30, 35, 1.0), dict(tx="rate:600000:4:65536", cc="cubic"), "app", **fq)
    t.add("app-small", path(20, 30, 1.0), dict(tx="rate:200000:4:3000", cc="bbr", nodelay=True), "app", **fq)
    t.add("onoff-bbr", path(30, 40, 1.0), dict(tx="onoff:150000:0.2:15", cc="bbr"), "app", **fq)
    t.add("app-tbf", path(40, 20, 1.0), dict(tx="rate:400000:4:10000", cc="cubic"), "app", snd_qdisc="tbf rate 5mbit burst 6000 latency 200ms")
    t.add("rwnd-tbf", path(40, 20, 1.0), bulk(4, rcvwin=30000), "rwnd", snd_qdisc="tbf rate 5mbit burst 6000 latency 400ms")
    t.add("snd-tbf", path(40, 40, 1.0), bulk(4, sndbuf=20000), "sndbuf", snd_qdisc="tbf rate 5mbit burst 6000 latency 400ms")
    t.add("bw-bbr", path(8, 30, 2.0), bulk(5, "bbr"), "cwnd", **fq)
    t.add("rpc-bbr", path(20, 30, 1.0), dict(cc="bbr", passive=True, snd_rx="serve:200:40000", rcv_tx="rpc:200:40000:60:0", rx="none"), "app", **fq)
    return t.out


def drawn(prefix, seed, rows=24):
    """Random ones: the rate that the host holds is 5 to 90 % of the path's, and any limit may stand beside it."""
    r = random.Random(seed)
    t = Table(prefix, seed % 9973, 101)
    for i in range(rows):
        rate, rtt = round(r.uniform(6, 60), 1), round(r.uniform(3, 70), 1)
        held = rate * 1e6 * r.uniform(0.05, 0.9)
        product = rate * 1e6 / 8 * rtt / 1e3
        cc = r.choice(("cubic", "cubic", "reno", "bbr"))
        how = r.choice(("pacing", "fq pacing", "fq maxrate", "tbf", "fq"))
        qdisc = {"pacing": None, "fq pacing": "fq", "fq": "fq", "fq maxrate": f"fq maxrate {int(held)}bit",
                 "tbf": f"tbf rate {int(held)}bit burst {r.choice((3100, 8000, 20000))} latency {r.choice((60, 300))}ms"}[how]
        flow = dict(cc=cc)
        if "pacing" in how:
            flow["pacing"] = int(held / 8)
        what = r.choice(("bulk", "bulk", "rwnd", "sndbuf", "app"))
        kw = dict(snd_qdisc=qdisc) if qdisc else {}
        if what == "app":
            flow.update(tx=f"rate:{int(held / 8 * r.uniform(0.2, 0.7))}:4:{r.choice((1200, 4096, 10000, 30000))}", nodelay=r.random() < 0.5)
        else:
            flow.update(tx="bulk:4s")
            if what == "rwnd":
                flow["rcvwin"] = max(8000, int(product * r.uniform(0.2, 0.8)))
            if what == "sndbuf":
                flow["sndbuf"] = max(8000, int(product * r.uniform(0.2, 0.6)))
        t.add(f"{what}-{how.replace(' ', '')}{i}", path(rate, rtt, 1.0), flow, {"bulk": "cwnd"}.get(what, what), **kw)
    return t.out


TABLES = {"slow": slow, "shaped": shaped, "beside": beside,
          "host-1": lambda: drawn("f-j-", 20262301), "host-2": lambda: drawn("f-k-", 20262302)}


def table(which):
    if which.startswith("iv-"):
        buffered = [s for s in TABLES[which[3:]]() if s["cause"] in ("sndbuf", "rwnd")]
        return [d for s in buffered if (d := doubled(s))]
    return TABLES[which]()
