"""The sixteenth wave: table("w16a"): rows as in redraw.py, paced.py, wide.py and vantage.py from other seeds; table("w16b"): what users
meet and no other table has; "iv16": the doubtful ones of both with the limit doubled."""
import random
import redraw, paced, wide, vantage
from scenarios import path, cost      # noqa: F401
from fresh import doubled

GRO = dict(tso=True, gro=True, gro_flush_us=300)
ECN = {"net.ipv4.tcp_ecn": 1}


def drawn():
    """Rows of the earlier tables' kinds, mingled so that any prefix is a fair sample."""
    cheap = lambda rows: [s for s in rows if s["path"]["rate_mbit"] <= 200 and cost(s) < 40]
    own = cheap(redraw.rows((20261161, "f-s-")))[:28]
    paced.SEEDS["p16"] = 20261162
    wide.WAVES["6"] = wide.Wave(20261163, "f-s-x", "w16", 2)
    rest = cheap(paced.rows("p16"))[:6] + cheap(wide.rows(wide.WAVES["6"]))[:5] + cheap(vantage.rows("v16", 20261164))[::5][:4]
    return mingled(own, rest, "f-s-", 20261165)


def mingled(own, rest, prefix, seed):
    """`own` with `rest`, as long as there is any, after every second row; each id begins with `prefix`."""
    rest = [s if s["id"].startswith(prefix) else {**s, "id": prefix + s["id"]} for s in rest]
    random.Random(seed).shuffle(rest)
    out = []
    for i, s in enumerate(own):
        out.append(s)
        if i % 2 and rest:
            out.append(rest.pop(0))
    return out + rest


class Users:
    def __init__(self):
        self.r, self.out = random.Random(20261166), []

    def about(self, v, by=0.15):
        return v * self.r.uniform(1 - by, 1 + by)

    def path(self, rate, rtt, queue=1.0, **kw):
        p = path(round(self.about(rate), 3), round(self.about(rtt), 2), queue, **kw)
        d = self.r.uniform(0.8, 1.2)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p

    def add(self, id, kind, desc, p, flows, cause, sub="", **kw):
        s = dict(id="f-s-u-" + id, group=kind, desc=desc, seed=self.r.randrange(100003), notes="", net=1 + self.r.randrange(250), path=p,
                 flows=flows if isinstance(flows, list) else [flows], cause=cause, sub=sub)
        self.out.append({**s, **kw})


def objects(t, sizes, think):
    """One connection that answers requests for objects of these sizes, each after the client's pause and the server's own."""
    server, client = ["rpc:0:400:1:0.004"], []
    for n in sizes:
        server.append(f"rpc:{n}:400:1:{t.r.choice((0.002, 0.03, 0.08))}")
        client.append(f"rpc:400:{n}:1:{t.r.choice(think)}")
    client.append("rpc:400:3000:1:0")
    return dict(passive=True, nodelay=True, snd_rx="none", tx=";".join(server) + ";bulk:3000", rcv_tx=";".join(client), rx="none")


def users():
    t = Users()
    F = lambda tx, cc="cubic", **kw: dict(tx=tx, cc=cc, **kw)
    # two limits in turn, in one flow
    t.add("slowfast", "mix", "reader slow, then fast", t.path(18, 45), F("bulk:7s", sndbuf=400000, rcvbuf=120000, rx="slow:400000:3.5:8192;rcvbuf:1500000;read"), "mixed", "rwnd,cwnd")
    t.add("fastslow", "mix", "reader fast, then slow, buffers tuned by the kernel", t.path(14, 35), F("bulk:8s", rx="readfor:3.5;slow:350000:9:16384"), "mixed", "cwnd,rwnd")
    t.add("growbuf", "mix", "SO_SNDBUF grown in mid-flow", t.path(24, 60), F("sndbuf:20000;bulk:3.2s;sndbuf:600000;bulk:3s"), "mixed", "sndbuf,cwnd")
    t.add("growbuf-small", "mix", "SO_SNDBUF grown in mid-flow, small writes", t.path(30, 80), F("sndbuf:30000;bulk:2.5s;sndbuf:60000;bulk:2.5s;sndbuf:110000;bulk:2s", wsize=8000, nodelay=True), "sndbuf", "steps")
    # buffers tuned by the kernel
    t.add("auto-long", "auto", "buffers tuned by the kernel on a long fast path, first seconds", t.path(60, 210), F("bulk:4s"), "cwnd", "slowstart")
    t.add("auto-long-bbr", "auto", "the same, bbr", t.path(45, 240), F("bulk:4s", "bbr"), "cwnd", "slowstart")
    t.add("auto-lossy", "auto", "the same, with loss", t.path(40, 180, fwd_loss="0.05%"), F("bulk:5s"), "cwnd", "loss")
    # short transfers
    t.add("short", "short", "five transfers of 20 to 300 kB", t.path(22, 48), [F(f"bulk:{n}", t.r.choice(("cubic", "cubic", "bbr")), start=1.2 * i) for i, n in enumerate((20000, 47000, 90000, 170000, 300000))], "cwnd", "slowstart")
    t.add("short-far", "short", "four transfers of 30 to 250 kB, far away", t.path(80, 190), [F(f"bulk:{n}", start=2.2 * i, passive=bool(i % 2)) for i, n in enumerate((30000, 64000, 130000, 250000))], "cwnd", "slowstart")
    t.add("short-slow", "short", "three transfers over a slow line", t.path(1.6, 60), [F(f"bulk:{n}", start=2.5 * i) for i, n in enumerate((25000, 80000, 200000))], "cwnd", "bandwidth")
    # several objects over one connection
    t.add("keepalive", "objects", "eight objects, client thinks", t.path(28, 42), {**objects(t, (18000, 240000, 3000, 90000, 600000, 9000, 150000, 40000), (0.05, 0.3, 0.6)), "cc": "cubic"}, "app", "objects")
    t.add("keepalive-far", "objects", "objects, far away, no pauses", t.path(50, 160), {**objects(t, (30000, 500000, 12000, 900000, 60000, 300000), (0.0, 0.01)), "cc": "cubic"}, "mixed", "objects")
    t.add("video", "objects", "segments of a film, bbr", t.path(16, 30), {**objects(t, (700000,) * 5, (0.9, 1.1)), "cc": "bbr"}, "app", "objects")
    # a server that stalls
    t.add("upload-stall", "reader", "upload to a server that stalls reading", t.path(25, 38), F("bulk:7s", rx="readfor:0.8;sleep:0.7;readfor:0.6;sleep:1.6;readfor:0.4;sleep:0.4;read"), "rwnd", "stalling reader")
    t.add("upload-chunks", "reader", "server writes each 256 kB to a slow disk", t.path(40, 25), F("bulk:5s", rx=";".join("readn:262144;sleep:0.11" for _ in range(30)) + ";read"), "rwnd", "stalling reader")
    # deep queues, low rates
    t.add("bloat5s", "bandwidth", "a queue of five seconds", t.path(1.5, 40, qbytes=900000), F("bulk:14s"), "cwnd", "bandwidth")
    t.add("bloat5s-up", "bandwidth", "the same beside a small stream", t.path(2.2, 30, qbytes=1100000), [F("bulk:12s"), F("rate:20000:8:600", start=3, nodelay=True)], "cwnd", "bandwidth")
    t.add("low64k", "bandwidth", "64 kbit/s", t.path(0.064, 120, qbytes=24000), F("bulk:110000"), "cwnd", "bandwidth")
    t.add("low200k", "bandwidth", "200 kbit/s, bbr", t.path(0.2, 70, qbytes=30000), F("bulk:350000", "bbr"), "cwnd", "bandwidth")
    t.add("low500k", "bandwidth", "500 kbit/s with loss", t.path(0.5, 90, qbytes=40000, fwd_loss="1%"), F("bulk:800000", "reno"), "cwnd", "bandwidth")
    t.add("low300k-rwnd", "rwnd", "300 kbit/s far away, small window", t.path(0.6, 550), F("bulk:250000", rcvwin=9000), "rwnd", "")
    # a local network
    t.add("lan", "lan", "200 Mbit/s, 1 ms", t.path(190, 1, qbytes=250000), F("bulk:1.2s"), "cwnd", "bandwidth", poll_us=1000)
    t.add("lan-win", "lan", "a window of 14 kB in a local network", t.path(190, 1, qbytes=250000), F("bulk:1.5s", rcvwin=14000), "rwnd", "", poll_us=1000)
    t.add("lan-buf", "lan", "a small send buffer in a local network", t.path(190, 1.5, qbytes=250000), F("bulk:1.5s", sndbuf=9000, wsize=4000, nodelay=True), "sndbuf", "", poll_us=1000)
    t.add("lan-rate", "lan", "a writer of 40 Mbit/s in a local network", t.path(190, 1, qbytes=250000), F("rate:5000000:1.5:65536"), "app", "rate-limited writer", poll_us=1000)
    # captures of a receiver that coalesces
    only = dict(cap=dict(rcv=True), offload=GRO, post=[dict(op="only", keep=["rcv"])])
    t.add("gro-bw", "gro", "receiver's capture, coalesced, bottleneck", t.path(70, 22), F("bulk:3s"), "cwnd", "bandwidth", **only)
    t.add("gro-win", "gro", "receiver's capture, coalesced, window", t.path(80, 30), F("bulk:3s", rcvwin=120000), "rwnd", "", **only)
    t.add("gro-buf", "gro", "receiver's capture, coalesced, send buffer", t.path(70, 36), F("bulk:3s", sndbuf=60000), "sndbuf", "", **only)
    t.add("gro-app", "gro", "receiver's capture, coalesced, writer", t.path(70, 28), F("rate:2500000:3:30000"), "app", "rate-limited writer", **only)
    # paths that lose, reorder, mark, change
    t.add("bbr-loss3", "loss", "3 % random loss, bbr", t.path(20, 40, fwd_loss="3%"), F("bulk:5s", "bbr"), "cwnd", "bandwidth")
    t.add("bbr-loss3-win", "loss", "3 % random loss, bbr into a window", t.path(20, 70, fwd_loss="3%"), F("bulk:5s", "bbr", rcvwin=60000), "rwnd", "")
    t.add("reorder8", "odd", "8 % overtake by all of the delay one way", t.path(28, 50, fwd_reorder="8%"), F("bulk:5s"), "cwnd", "bandwidth")
    t.add("reorder-win", "odd", "3 % overtake, window", t.path(28, 60, fwd_reorder="3%"), F("bulk:4s", rcvwin=70000), "rwnd", "")
    t.add("ecn-codel", "ecn", "two flows with ECN through codel", t.path(18, 36, qbytes=10 ** 7, aqm="codel limit 2000 ecn"), [F("bulk:7s"), F("bulk:4s", "reno", start=1.5)], "cwnd", "bandwidth", sysctl=ECN)
    t.add("ecn-fq", "ecn", "ECN and fq_codel, bulk beside a writer", t.path(12, 28, qbytes=10 ** 7, aqm="fq_codel limit 2000 ecn"), [F("bulk:6s"), F("rate:150000:4:3000", start=1, nodelay=True)], "cwnd", "bandwidth", sysctl=ECN)
    t.add("cell", "bandwidth", "rate changes every second", t.path(12, 60, qbytes=300000), F("bulk:8s"), "cwnd", "bandwidth",
          events=[dict(t=k + 1.0, rate_mbit=v) for k, v in enumerate((4, 15, 7, 2, 9, 18))])
    t.add("tls", "sndbuf", "records of 16 kB, epoll, kernel's buffer capped", t.path(35, 75), F("ebulk:4s", wsize=16401, nodelay=True), "sndbuf", "records", sysctl_snd={"net.ipv4.tcp_wmem": "4096 16384 180000"})
    t.add("tiny", "app-rate", "messages of 180 B, 2000 a second", t.path(20, 24), F("rate:360000:3:180", nodelay=True), "app", "messages")
    return t.out


def table(which):
    if which == "w16a":
        return drawn()
    if which == "w16b":
        return users()
    paced_ones = [s for s in drawn() + users() if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing"))]
    return [d for s in paced_ones if s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"] and not s.get("post") and (d := doubled(s))]


if __name__ == "__main__":
    for w in ("w16a", "w16b", "iv16"):
        t = table(w)
        print(w, len(t), sum(len(s["flows"]) for s in t), f"{sum(map(cost, t)):.0f} MB")
        for s in t:
            print(s["id"], s["group"], s["cause"], s["path"], [f["cc"] for f in s["flows"][:2]], f"{cost(s):.0f}")
