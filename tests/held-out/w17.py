"""The seventeenth wave: table("w17a"): rows as in redraw.py, paced.py, wide.py and vantage.py from other seeds; "w17b": more of what users
meet and no other table has; "w17c": the same with rates, delays and queues of half to twice. Each row has a kernel: "w17a-6.12",
"w17a-6.1", "w17a-5.10" and the same of the others are the rows to run on it. "iv17-6.12" and so on: the doubtful ones of all with the
limit doubled."""
import random
import redraw, paced, wide, vantage
from scenarios import path, cost      # noqa: F401
from fresh import doubled
from w16 import mingled

KERNELS = ("6.12", "6.1", "6.12", "6.12", "6.1", "6.12", "5.10", "6.1", "6.12")


def drawn(prefix, seed):
    """Rows of the earlier tables' kinds, mingled so that any prefix is a fair sample."""
    cheap = lambda rows: [s for s in rows if s["path"]["rate_mbit"] <= 200 and cost(s) < 40]
    own = cheap(redraw.rows((seed + 1, prefix)))[:30]
    paced.SEEDS["p17"] = seed + 2
    wide.WAVES["7"] = wide.Wave(seed + 3, prefix + "x", "w17", 2)
    rest = cheap(paced.rows("p17"))[:5] + cheap(wide.rows(wide.WAVES["7"]))[:6] + cheap(vantage.rows("v17", seed + 4))[::4][:5]
    return mingled(own, rest, prefix, seed + 5)


class Users:
    def __init__(self, prefix, seed, spread):
        self.prefix, self.r, self.spread, self.out = prefix, random.Random(seed), spread, []

    def about(self, v, by=0.2):
        far = self.spread ** self.r.uniform(-1, 1) if self.spread > 1 else 1
        return v * far * self.r.uniform(1 - by, 1 + by)

    def path(self, rate, rtt, queue=1.0, **kw):
        p = path(round(self.about(rate), 3), round(self.about(rtt), 2), self.about(queue, 0.4) if queue else None, **kw)
        d = self.r.uniform(0.7, 1.3)
        p["fwd_ms"], p["rev_ms"] = round(p["fwd_ms"] * d, 3), round(p["rev_ms"] * (2 - d), 3)
        return p

    def add(self, id, kind, desc, p, flows, cause, sub="", **kw):
        s = dict(id=self.prefix + id, group=kind, desc=desc, seed=self.r.randrange(100003), notes="", net=1 + self.r.randrange(250), path=p,
                 flows=flows if isinstance(flows, list) else [flows], cause=cause, sub=sub)
        self.out.append({**s, **kw})


def F(tx, cc="cubic", **kw):
    return dict(tx=tx, cc=cc, **kw)


def answers(t, sizes, client, server=(0.002,), cc="cubic", **kw):
    """One connection that answers requests for objects of these sizes, each after a pause of the client's and of the server's own."""
    own, asks = ["rpc:0:400:1:0.004"], []
    for n in sizes:
        own.append(f"rpc:{n}:400:1:{t.r.choice(server)}")
        asks.append(f"rpc:400:{n}:1:{t.r.choice(client)}")
    asks.append("rpc:400:3000:1:0")
    return dict(passive=True, nodelay=True, snd_rx="none", tx=";".join(own) + ";bulk:3000", rcv_tx=";".join(asks), rx="none", cc=cc, **kw)


def granted(window, piece, pieces, **kw):
    """A writer that the other end's application grants more only as it has read: the channel window of SSH."""
    return dict(tx=f"bulk:{window - piece};rpc:{piece}:16:{pieces}:0", snd_rx="none", rcv_tx=f"serve:{piece}:16:0", rx="none", nodelay=True, **kw)


def initial_window(s, segments):
    """The sender's route with another initial window (the testbed puts snd_qdisc into a shell line of the sender's namespace)."""
    return {**s, "snd_qdisc": f"noqueue && ip route change default via 10.{s['net']}.0.1 initcwnd {segments}"}


def steps(every, rates):
    return [dict(t=round((k + 1) * every, 2), rate_mbit=v) for k, v in enumerate(rates)]


def web(t):
    t.add("http11", "objects", "24 objects of 20 to 130 kB, asked for one after the other", t.path(45, 34),
          answers(t, [t.r.randrange(20000, 130000) for _ in range(24)], (0.0,)), "app", "objects")
    t.add("http11-far", "objects", "14 objects of 60 to 400 kB, far away", t.path(70, 120), answers(t, [t.r.randrange(60000, 400000) for _ in range(14)], (0.0, 0.02)), "mixed", "objects")
    t.add("push", "objects", "several streams over one connection, frames of 16 kB", t.path(26, 55),
          F("ebulk:180000;sleep:0.06;ebulk:700000;sleep:0.25;ebulk:90000;sleep:0.03;ebulk:1500000;sleep:0.4;ebulk:300000;ebulk:1.2s", wsize=16393, lowat=32768, nodelay=True, passive=True), "mixed", "cwnd,app")
    t.add("dash", "objects", "segments of a film every two seconds, cubic", t.path(14, 38), answers(t, (500000, 900000, 900000, 1300000), (0.8, 1.1), (0.01,)), "app", "segments")
    t.add("dash-keep", "objects", "the same without slow start after idle, path changes", t.path(18, 60, 2.0), answers(t, (600000, 600000, 1000000, 600000), (0.5, 0.9), (0.02,)), "mixed", "segments",
          sysctl={"net.ipv4.tcp_slow_start_after_idle": 0}, events=steps(1.5, (7, 12, 5, 18)))
    t.add("cdn", "short", "five transfers of 15 to 900 kB near by", t.path(90, 14), [F(f"bulk:{n}", t.r.choice(("cubic", "bbr")), passive=True, start=1.1 * i) for i, n in enumerate((15000, 70000, 200000, 450000, 900000))], "cwnd", "slowstart")
    t.add("cdn-iw30", "short", "four transfers with an initial window of 30", t.path(60, 70), [F(f"bulk:{n}", passive=True, start=1.5 * i) for i, n in enumerate((40000, 120000, 400000, 1000000))], "cwnd", "slowstart")
    t.out[-1] = initial_window(t.out[-1], 30)
    t.add("lowat-server", "lowat", "TCP_NOTSENT_LOWAT 128 kB, epoll, fq", t.path(32, 66), F("ebulk:5s", lowat=131072, passive=True, nodelay=True), "cwnd", "bandwidth", snd_qdisc="fq")
    t.add("shaped-server", "app-rate", "server hands out 300 kB bursts at 2 MB/s", t.path(60, 44), F("rate:2000000:4:300000", passive=True), "app", "rate-limited writer")
    t.add("paced-server", "cwnd-pacing", "SO_MAX_PACING_RATE under fq", t.path(45, 36), F("bulk:4s", pacing=1700000, passive=True), "mixed", "pacing", snd_qdisc="fq")


def services(t):
    t.add("replica", "mix", "database log: records of 900 B, then a backlog, then records", t.path(22, 48), F("rate:180000:2.5:900;bulk:4500000;rate:260000:2:1300", nodelay=True), "mixed", "app,cwnd,app")
    t.add("replica-sync", "app-rpc", "64 kB of log, confirmed before the next", t.path(40, 26), dict(tx="rpc:65536:40:70:0", cc="cubic", snd_rx="none", rcv_tx="serve:65536:40:0.003", rx="none", nodelay=True), "app", "confirmed")
    t.add("queue-1m", "app-rpc", "messages of 1 MB, each confirmed", t.path(36, 52), dict(tx="rpc:1000000:20:8:0", cc="cubic", snd_rx="none", rcv_tx="serve:1000000:20:0.02", rx="none"), "mixed", "confirmed")
    t.add("query", "app-rpc", "answers of 3 to 250 kB after 5 to 60 ms", t.path(50, 22), answers(t, [t.r.choice((3000, 12000, 40000, 110000, 250000)) for _ in range(30)], (0.0, 0.01), (0.005, 0.02, 0.06)), "app", "objects")
    t.add("rsync", "app-rpc", "90 kB out, 40 kB back, again and again", t.path(24, 40, rev_rate_mbit=24, rev_qbytes=90000), dict(tx="rpc:90000:40000:40:0.003", cc="cubic", snd_rx="none", rcv_tx="serve:90000:40000:0.006", rx="none"), "app", "both ways")
    t.add("scp-2m", "app-grant", "channel window of 2 MB on a long path", t.path(130, 190), granted(2000000, 100000, 90, cc="cubic"), "app", "granted")
    t.add("scp-128k", "app-grant", "channel window of 128 kB", t.path(50, 70), granted(131072, 16384, 320, cc="cubic"), "app", "granted")
    t.add("scp-256k-bbr", "app-grant", "channel window of 256 kB, bbr", t.path(60, 90), granted(262144, 32768, 200, cc="bbr"), "app", "granted")
    t.add("sendfile", "app-onoff", "files of 1 to 3 MB in writes of 1 MB, pauses", t.path(55, 32), F("bulk:1200000;sleep:0.35;bulk:3000000;sleep:0.7;bulk:2000000;sleep:0.2;bulk:2500000", wsize=1048576), "mixed", "cwnd,app")
    t.add("idles", "app-idle", "idle for seconds, keep-alives, no slow start after idle", t.path(30, 58), F("bulk:400000;sleep:5;bulk:900000;sleep:7;bulk:250000;sleep:1.5;bulk:1200000", keepalive=True), "app", "idle",
          sysctl={"net.ipv4.tcp_keepalive_time": 2, "net.ipv4.tcp_keepalive_intvl": 2, "net.ipv4.tcp_slow_start_after_idle": 0})


def paths(t):
    t.add("vpn1280", "mtu", "backup through a tunnel of 1280 B", t.path(28, 46, mtu=1280, fwd_loss="0.05%"), F("bulk:5s", wsize=65536), "cwnd", "bandwidth")
    t.add("vpn1400-win", "mtu", "tunnel of 1400 B, receive window", t.path(40, 64, mtu=1400), F("bulk:4s", rcvwin=110000), "rwnd", "")
    t.add("vpn1360-buf", "mtu", "tunnel of 1360 B, send buffer", t.path(36, 85, mtu=1360), F("bulk:5s", sndbuf=70000, wsize=32768), "sndbuf", "")
    t.add("wifi", "odd", "aggregates of 2 to 5 ms, rate changes", t.path(40, 16, 3.0, fwd_slot="2ms 5ms", rev_slot="1ms 4ms"), F("bulk:5s"), "cwnd", "bandwidth", events=steps(1.0, (18, 55, 30, 12)))
    t.add("wifi-win", "odd", "aggregates of 2 to 5 ms, receive window", t.path(60, 18, 2.0, fwd_slot="2ms 5ms", rev_slot="1ms 4ms"), F("bulk:4s", rcvwin=70000), "rwnd", "")
    t.add("wifi-app", "odd", "aggregates of 2 to 5 ms, writer", t.path(50, 12, 2.0, fwd_slot="2ms 5ms", rev_slot="1ms 4ms"), F("rate:1800000:4:12000", nodelay=True), "app", "rate-limited writer")
    t.add("wifi-buf", "odd", "aggregates of 2 to 5 ms, send buffer", t.path(60, 24, 2.0, fwd_slot="2ms 5ms", rev_slot="1ms 4ms"), F("bulk:4s", sndbuf=30000, wsize=8192, nodelay=True), "sndbuf", "")
    t.add("lte", "bandwidth", "a queue of 1 MB, rate changes twice a second", t.path(20, 50, qbytes=1000000), F("bulk:6s"), "cwnd", "bandwidth", events=steps(0.5, (12, 30, 8, 16, 25, 5, 10, 22, 14)))
    t.add("lte-bbr", "bandwidth", "the same, bbr", t.path(20, 60, qbytes=900000), F("bulk:5s", "bbr"), "cwnd", "bandwidth", events=steps(0.6, (10, 28, 9, 15, 6, 20)))
    t.add("lte-app", "app-rate", "the same, writer that the path mostly carries", t.path(24, 44, qbytes=800000), F("rate:1000000:6:20000", nodelay=True), "app", "rate-limited writer", events=steps(0.7, (14, 30, 11, 18, 6, 25, 12)))
    t.add("sat", "bandwidth", "600 ms", t.path(15, 600, 0.6), F("bulk:14s"), "cwnd", "bandwidth")
    t.add("sat-buf", "sndbuf", "600 ms, send buffer", t.path(12, 600), F("bulk:10s", sndbuf=110000, wsize=16384), "sndbuf", "")
    t.add("sat-win-bbr", "rwnd", "600 ms, receive window, bbr", t.path(10, 600), F("bulk:10s", "bbr", rcvwin=160000), "rwnd", "")
    t.add("asym", "odd", "uplink of ACKs slow and lossy", t.path(35, 45, rev_rate_mbit=0.4, rev_qbytes=8000, rev_loss="4%"), F("bulk:5s"), "cwnd", "bandwidth")
    t.add("asym-win", "odd", "uplink of ACKs slow and lossy, receive window", t.path(35, 60, rev_rate_mbit=0.35, rev_qbytes=8000, rev_loss="6%"), F("bulk:5s", rcvwin=90000), "rwnd", "")
    t.add("asym-buf", "odd", "uplink of ACKs slow, send buffer", t.path(35, 60, rev_rate_mbit=0.4, rev_qbytes=12000), F("bulk:5s", sndbuf=60000), "sndbuf", "")
    t.add("police-bbr", "cwnd-policer", "bbr through a policer", t.path(80, 48, police_mbit=round(t.about(9), 3), police_burst=int(t.about(60000))), F("bulk:6s", "bbr"), "cwnd", "policer")
    t.add("police-buf", "cwnd-policer", "send buffer below a policer's rate", t.path(80, 50, police_mbit=round(t.about(16), 3), police_burst=int(t.about(90000))), F("bulk:5s", sndbuf=22000, wsize=8192), "sndbuf", "")
    t.add("fqcodel-two", "cwnd-aqm", "fq_codel, second flow joins", t.path(22, 32, qbytes=10 ** 7, aqm="fq_codel limit 2000"), [F("bulk:6s"), F("bulk:2.5s", start=2.0, passive=True)], "cwnd", "bandwidth")
    t.add("codel", "cwnd-aqm", "cubic through codel, writer beside", t.path(16, 26, qbytes=10 ** 7, aqm="codel limit 2000"), [F("bulk:6s"), F("rate:90000:4:1500", start=1.2, nodelay=True)], "cwnd", "bandwidth")
    t.add("join", "multi", "three flows that come and go, one behind a window", t.path(26, 42, 1.5), [F("bulk:7s"), F("bulk:3.5s", "bbr", start=1.5), F("bulk:3s", start=3.0, rcvwin=26000)], "cwnd", "cross", notes="flow 2 rwnd-limited")


def ends(t):
    t.add("disk", "reader", "reader takes 1 MB, then writes it for 0.3 s, buffers tuned by the kernel", t.path(60, 30), F("bulk:4s", rx=";".join("readn:1048576;sleep:0.3" for _ in range(20)) + ";read"), "mixed", "stalling reader")
    t.add("disk-buf", "reader", "reader takes 512 kB, then writes it, SO_RCVBUF", t.path(45, 20), F("bulk:5s", rcvbuf=150000, rx=";".join(f"readn:524288;sleep:{t.r.choice((0.05, 0.12, 0.3))}" for _ in range(30)) + ";read"), "rwnd", "stalling reader")
    t.add("clamp", "rwnd", "TCP_WINDOW_CLAMP alone", t.path(40, 55), F("bulk:4s", clamp=75000), "rwnd", "")
    t.add("rcvbuf8k", "rwnd", "SO_RCVBUF of 8 kB before connect", t.path(20, 35), F("bulk:4s", rcvbuf=8192), "rwnd", "")
    t.add("rcvbuf4k", "rwnd", "SO_RCVBUF of 4 kB, not two segments", t.path(20, 24), F("bulk:3s", rcvbuf=4096), "rwnd", "")
    t.add("tso0-buf", "sndbuf", "no TSO, send buffer", t.path(60, 38), F("bulk:4s", sndbuf=50000, wsize=20000), "sndbuf", "", offload=dict(tso=False, gro=False))
    t.add("delack-buf", "sndbuf", "delayed ACKs, writes of 2 kB", t.path(30, 44), F("bulk:4s", sndbuf=24000, wsize=2000, nodelay=True, noquickack=True), "sndbuf", "")
    t.add("delack-rpc", "app-rpc", "answers of 5 kB without TCP_NODELAY, delayed ACKs", t.path(25, 20), dict(cc="cubic", passive=True, snd_rx="serve:150:5000", rcv_tx="rpc:150:5000:90:0.004", rx="none", noquickack=True), "app", "rpc")
    t.add("nots-buf", "sndbuf", "no timestamps, send buffer", t.path(44, 60), F("ebulk:4s", sndbuf=64000, wsize=16384), "sndbuf", "", sysctl={"net.ipv4.tcp_timestamps": 0})
    t.add("nots-app", "app-onoff", "no timestamps, bursts", t.path(32, 48), F("onoff:220000:0.22:14"), "app", "on/off", sysctl={"net.ipv4.tcp_timestamps": 0})
    t.add("nosack-win", "rwnd", "no SACK, receive window, loss", t.path(30, 36, fwd_loss="0.1%"), F("bulk:5s", rcvwin=60000), "rwnd", "", sysctl={"net.ipv4.tcp_sack": 0})
    t.add("gro150", "bandwidth", "receiver coalesces at 150 Mbit/s", t.path(150, 12), F("bulk:1.6s"), "cwnd", "bandwidth", offload=dict(tso=True, gro=True, gro_flush_us=400), poll_us=1000)
    t.add("gro150-win", "rwnd", "receiver coalesces, window", t.path(150, 12), F("bulk:1.6s", rcvwin=150000), "rwnd", "", offload=dict(tso=True, gro=True, gro_flush_us=400), poll_us=1000)
    t.add("mss1220", "odd", "segments of 1220 B, reno, shallow queue", t.path(24, 30, None, qbytes=10 ** 7, qpkts=18), F("bulk:5s", "reno", mss=1220), "cwnd", "shallow")
    t.add("chat-bulk", "odd", "bulk, and messages the other way", t.path(18, 30, rev_rate_mbit=6, rev_qbytes=40000), F("bulk:4s", rcv_tx="rate:9000:4:150"), "cwnd", "bandwidth")


def users(prefix, seed, spread):
    t = Users(prefix, seed, spread)
    kinds = []
    for make in (web, services, paths, ends):
        before = len(t.out)
        make(t)
        kinds.append(t.out[before:])
    rows = [((i + 0.5) / len(k), n, s) for n, k in enumerate(kinds) for i, s in enumerate(k)]
    return [s for _, _, s in sorted(rows, key=lambda r: r[:2])]       # any prefix a fair sample




ROWS = {
    "w17a": lambda: drawn("f-t-", 20261170),
    "w17b": lambda: users("f-t-u-", 20261176, 1),
    "w17c": lambda: users("f-u-u-", 20261186, 1.9),
}


def table(which):
    which, _, kernel = which.partition("-")
    rows = [s for name in ROWS for s in ROWS[name]()] if which == "iv17" else ROWS[which]()
    rows = [s for i, s in enumerate(rows) if not kernel or KERNELS[i % len(KERNELS)] == kernel]
    if which != "iv17":
        return rows
    paced_ones = [s for s in rows if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing"))]
    return [d for s in paced_ones if s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"] and not s.get("post") and (d := doubled(s))]


if __name__ == "__main__":
    for w in (*ROWS, "iv17"):
        for k in ("", "-6.12", "-6.1", "-5.10"):
            t = table(w + k)
            print(w + k, len(t), sum(len(s["flows"]) for s in t), f"{sum(map(cost, t)):.0f} MB")
            for s in t if not k else ():
                print(s["id"], s["group"], s["cause"], s["path"], [f["cc"] for f in s["flows"][:2]], f"{cost(s):.0f}")
