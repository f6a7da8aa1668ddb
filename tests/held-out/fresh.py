"""Fresh validation captures: table("fresh"), table("iv") (interventions: the doubtful flows with the limit doubled),
table("k61") (the subset made with a second kernel).

No row repeats the parameters of scenarios.py.  Kinds are interleaved, so that any prefix is a fair sample.
Every kind is a list; a row's place is (index + 0.5) / length of its kind.
"""
import random, re, zlib
from scenarios import path, bdp, cost          # noqa: F401 (cost is used by run.py)

SMALL = {"w1k": 1000, "w2k": 2000, "w4k": 4096, "w8k": 8000, "w16k": 16384}


def sndbuf_for(target, writer, cc):
    """SO_SNDBUF value (the kernel doubles it) under which about `target` payload bytes stay in flight."""
    if writer in SMALL:
        w = SMALL[writer]
        v = target / (2 * 0.85 * w / (w + 1280))
    elif cc == "bbr":
        v = target / 1.05
    else:
        v = (target - 40000) / 1.6 if target > 72000 else target * 0.28
    return max(4608, int(v))


def build():
    kinds = {}
    seen = set()

    def add(kind, id, desc, path, flows, cause, sub="", **kw):
        r = random.Random(zlib.crc32(id.encode()))
        path = dict(path)
        for k in ("fwd_ms", "rev_ms"):
            path[k] = round(path[k] * r.uniform(0.93, 1.07), 3)
        if path.get("qbytes", 10 ** 7) < 10 ** 7:
            path["qbytes"] = int(path["qbytes"] * r.uniform(0.9, 1.1))
        s = dict(id="f-" + id, group=kind, desc=desc, seed=r.randrange(100003), notes="", path=path, flows=[dict(f) for f in flows],
                 cause=cause, sub=sub, net=1 + r.randrange(250))
        s.update(kw)
        assert s["id"] not in seen, id
        seen.add(s["id"])
        kinds.setdefault(kind, []).append(s)

    def F(tx, cc="cubic", **kw):
        return dict(tx=tx, cc=cc, **kw)

    three = dict(rcv=True, mid=True)
    notso = dict(tso=False, gro=False)
    nots = {"net.ipv4.tcp_timestamps": 0}
    nosack = {"net.ipv4.tcp_sack": 0}

    # ---- send buffer: 0.1 .. 0.9 BDP x three algorithms, writers and paths rotate ----------
    paths = ((32, 75), (24, 110), (45, 55), (18, 140), (36, 90))
    writers = ("128k", "w4k", "ebulk", "w1k", "w16k", "w2k", "w8k")
    order = [4, 8, 1, 6, 2, 9, 3, 7, 5]                   # tenths, a fair prefix first
    for i, d in enumerate(order):
        for j, cc in enumerate(("cubic", "reno", "bbr")):
            k = i * 3 + j
            rate, rtt = paths[(i + 2 * j) % 5]
            w = writers[(2 * i + 3 * j) % 7]
            tgt = d / 10 * bdp(rate, rtt)
            v = sndbuf_for(tgt, w, cc)
            kw = dict(sndbuf=v)
            if w in SMALL:
                kw.update(wsize=SMALL[w], nodelay=True)
            add("sndbuf", f"s-{d}-{cc}-{w}", f"SO_SNDBUF {v} aimed at 0.{d} BDP of {rate} Mbit/s {rtt} ms, {cc}, writer {w}",
                path(rate, rtt, 1.2), [F("ebulk:6s" if w == "ebulk" else "bulk:6s", cc, **kw)], "sndbuf", f"0.{d} BDP {w}",
                cap=three if k in (0, 4, 8, 13) else {}, **(dict(offload=notso) if k in (7, 16) else {}), **(dict(sysctl=nots) if k in (3, 20) else {}))
    for id, desc, p, f, kw in (
        ("wmem-96k", "autotuned send buffer, tcp_wmem capped at 96 kB", path(28, 95, 1.2), F("bulk:6s"), dict(sysctl_snd={"net.ipv4.tcp_wmem": "4096 16384 98304"})),
        ("wmem-240k-reno", "autotuned send buffer, tcp_wmem capped at 240 kB, server side", path(44, 105, 1.2), F("bulk:6s", "reno", passive=True),
         dict(sysctl_snd={"net.ipv4.tcp_wmem": "4096 16384 240000"}, cap=three)),
        ("wmem-150k-bbr", "autotuned send buffer, tcp_wmem capped at 150 kB, bbr", path(26, 115, 1.2), F("bulk:6s", "bbr"), dict(sysctl_snd={"net.ipv4.tcp_wmem": "4096 16384 150000"})),
        ("mixw-htcp", "writes of 1 to 16 kB, htcp, no TSO", path(33, 65, 1.2), F("wsize:1000:16000;bulk:6s", "htcp", sndbuf=52000, nodelay=True), dict(offload=notso)),
        ("mixw-vegas", "writes of 1 to 16 kB, vegas", path(22, 85, 1.2), F("wsize:1500:12000;bulk:6s", "vegas", sndbuf=41000, nodelay=True), {}),
        ("nagle-3k", "writes of 3 kB with Nagle", path(27, 70, 1.2), F("bulk:6s", sndbuf=30000, wsize=3000), {}),
        ("nosack-w6k", "no SACK, writes of 6 kB", path(38, 48, 1.2), F("bulk:6s", sndbuf=45000, wsize=6000, nodelay=True), dict(sysctl=nosack, cap=dict(usec=True))),
        ("loss-w4k", "small writes, send buffer and 0.06% loss", path(26, 60, 1.2, fwd_loss="0.06%"), F("bulk:8s", sndbuf=40000, wsize=4000, nodelay=True), {}),
        ("ipv6-e", "IPv6, epoll writer", path(23, 105, 1.2, ipv6=True), F("ebulk:6s", sndbuf=80000), dict(cap=dict(rcv=True))),
        ("noquick", "receiver delays its acknowledgements", path(31, 57, 1.2), F("bulk:6s", sndbuf=60000, wsize=8192, nodelay=True, noquickack=True), {}),
        ("west-64k", "westwood, 64 kB writes", path(42, 66, 1.2), F("bulk:6s", "westwood", sndbuf=90000, wsize=65536), {}),
        ("lan", "5 ms path, small buffer", path(48, 5, 4.0), F("bulk:3s", sndbuf=9000, wsize=1448, nodelay=True), dict(poll_us=1000)),
        ("bbr-w1400", "bbr, writes of 1400 B", path(14, 64, 1.2), F("bulk:6s", "bbr", sndbuf=46000, wsize=1400, nodelay=True), {}),
        ("lowat-sb", "TCP_NOTSENT_LOWAT and a small send buffer", path(34, 72, 1.2), F("bulk:6s", sndbuf=64000, lowat=131072), {}),
    ):
        add("sndbuf", "s-" + id, desc, p, [f], "sndbuf", id, **kw)

    # ---- receive window ----------------------------------------------------------------------
    rw = [(0.5, 24, 70, "cubic"), (0.3, 42, 35, "bbr"), (0.8, 16, 130, "reno"), (0.15, 36, 90, "cubic"), (0.6, 28, 45, "bbr"), (0.9, 22, 62, "cubic"),
          (0.4, 13, 85, "vegas"), (0.25, 46, 24, "reno"), (0.7, 33, 55, "htcp"), (0.1, 27, 120, "bbr"), (0.55, 9, 160, "cubic"), (0.35, 48, 12, "cubic"),
          (0.85, 31, 38, "bbr"), (0.2, 19, 200, "reno"), (0.45, 38, 66, "westwood"), (0.65, 44, 28, "cubic"), (0.5, 7, 230, "bbr"), (0.75, 26, 75, "illinois")]
    for i, (fr, rate, rtt, cc) in enumerate(rw):
        w = int(fr * bdp(rate, rtt))
        T = 6 if rtt < 150 else 9
        add("rwnd", f"r-{int(fr * 100)}-{rate}m-{rtt}-{cc}", f"receive window {w} = {fr} BDP of {rate} Mbit/s {rtt} ms, {cc}", path(rate, rtt, 1.2),
            [F(f"bulk:{T}s", cc, rcvwin=w, **(dict(passive=True) if i in (7, 12) else {}))], "rwnd", f"{fr} BDP",
            cap=three if i in (0, 1, 4, 8) else {}, **(dict(offload=notso) if i in (5, 15) else {}), **(dict(sysctl=nots) if i in (3, 12) else dict(sysctl=nosack) if i == 7 else {}))
    for id, desc, p, f, kw in (
        ("rcvbuf-90k", "SO_RCVBUF 90 kB", path(37, 65, 1.2), F("bulk:6s", rcvbuf=90000), {}),
        ("rmem-180k", "autotuned, tcp_rmem capped at 180 kB", path(28, 88, 1.2), F("bulk:6s"), dict(sysctl_rcv={"net.ipv4.tcp_rmem": "4096 131072 180000"})),
        ("rmem-120k-bbr", "autotuned, tcp_rmem capped at 120 kB, bbr", path(34, 58, 1.2), F("bulk:6s", "bbr"), dict(sysctl_rcv={"net.ipv4.tcp_rmem": "4096 65536 120000"})),
        ("nows", "no window scaling", path(17, 95, 1.2), F("bulk:6s", "reno"), dict(sysctl={"net.ipv4.tcp_window_scaling": 0})),
        ("nows-bbr", "no window scaling, bbr, no timestamps", path(33, 44, 1.2), F("bulk:6s", "bbr"), dict(sysctl={"net.ipv4.tcp_window_scaling": 0, **nots})),
        ("loss", "receive window and 0.03% loss", path(25, 50, 1.2, fwd_loss="0.03%"), F("bulk:8s", rcvwin=70000), {}),
        ("ipv6-noquick", "IPv6, delayed acknowledgements", path(21, 78, 1.2, ipv6=True), F("bulk:6s", rcvwin=80000, noquickack=True), {}),
        ("small-w4k", "small writes into a small window", path(30, 52, 1.2), F("bulk:6s", rcvwin=60000, wsize=4000, nodelay=True), dict(cap=dict(rcv=True))),
        ("ackloss", "receive window, 10% of acknowledgements lost", path(26, 42, 1.2, rev_loss="10%"), F("bulk:6s", rcvwin=66000), {}),
        ("mtu9000", "MTU 9000", path(45, 30, 1.5, mtu=9000), F("bulk:5s", rcvwin=90000), {}),
    ):
        add("rwnd", "r-" + id, desc, p, [f], "rwnd", id, **kw)

    # ---- slow and stopping readers -------------------------------------------------------------
    for id, desc, p, f, kw in (
        ("slow400k", "reader takes 400 kB/s in 10 kB chunks", path(22, 36, 1.2), F("bulk:7s", rcvbuf=80000, rx="slow:400000:9:10000"), dict(cap=three)),
        ("zero1", "reader stops once for 3 s", path(17, 55, 1.2), F("bulk:6s", rcvbuf=120000, rx="readfor:1.5;sleep:3;read"), {}),
        ("slow-bbr", "reader takes 700 kB/s, bbr", path(27, 48, 1.2), F("bulk:7s", "bbr", rcvbuf=150000, rx="slow:700000:9:20000"), {}),
        ("slow120k-auto", "reader takes 120 kB/s, autotuned", path(11, 66, 1.2), F("bulk:8s", sndbuf=400000, rx="slow:120000:12:2000"), {}),
        ("zero-many", "reader stops and goes", path(26, 33, 1.2), F("bulk:8s", "reno", rcvbuf=50000, rx="readfor:0.7;sleep:0.4;readfor:0.5;sleep:1.7;readfor:0.8;sleep:0.25;readfor:0.4;sleep:1.1;read"),
         dict(cap=dict(rcv=True))),
        ("zero-bbr", "reader stops, bbr", path(19, 72, 1.2), F("bulk:8s", "bbr", rcvbuf=90000, rx="readfor:1;sleep:2;readfor:1;sleep:2.5;read"), {}),
        ("slow-tiny", "reader takes 30 kB/s in 500 B chunks", path(13, 28, 1.2), F("bulk:6s", sndbuf=100000, rcvbuf=20000, rx="slow:30000:8:500"), {}),
        ("slow-1m-64k", "reader takes 1.3 MB/s in 64 kB chunks, no TSO, no timestamps", path(35, 62, 1.2), F("bulk:6s", "reno", rcvbuf=220000, rx="slow:1300000:8:65536"), dict(offload=notso, sysctl=nots)),
        ("slow-vegas", "reader takes 550 kB/s, vegas", path(15, 45, 1.2), F("bulk:7s", "vegas", rcvbuf=100000, rx="slow:550000:9:8000"), {}),
        ("zero-long", "reader stops for 8 s: persist timer backs off", path(23, 41, 1.2), F("bulk:9s", sndbuf=150000, rcvbuf=64000, rx="readfor:1.2;sleep:8;read"), {}),
        ("slow-near", "reader takes 85% of the path rate", path(16, 50, 1.2), F("bulk:7s", rcvbuf=200000, rx="slow:1650000:9:16384"), {}),
        ("slow-passive", "download with a slow reader", path(29, 26, 1.2), F("bulk:6s", passive=True, rcvbuf=70000, rx="slow:800000:8:12000"), dict(cap=dict(mid=True))),
    ):
        add("reader", "z-" + id, desc, p, [f], "rwnd", "reader " + id, **kw)

    # ---- application: paced writers --------------------------------------------------------------
    ap = [(0.5, 12, 60, 4000, "cubic", 1), (0.3, 25, 45, 32768, "bbr", 0), (0.8, 14, 35, 10000, "cubic", 0), (0.05, 16, 80, 200, "cubic", 1), (0.6, 18, 55, 2000, "bbr", 1),
          (0.15, 32, 28, 65536, "cubic", 0), (0.9, 11, 70, 16384, "cubic", 0), (0.4, 22, 95, 8000, "reno", 1), (0.7, 15, 42, 1448, "bbr", 1), (0.2, 8, 120, 1000, "cubic", 0),
          (0.85, 17, 26, 3000, "bbr", 0), (0.1, 36, 64, 500, "bbr", 1), (0.45, 28, 18, 24000, "cubic", 1), (0.65, 13, 88, 65536, "bbr", 0), (0.35, 9, 150, 6000, "cubic", 1),
          (0.75, 24, 52, 48000, "reno", 0), (0.9, 16, 38, 12000, "bbr", 0), (0.25, 44, 15, 5000, "westwood", 1), (0.55, 7, 105, 2896, "cubic", 0), (0.05, 42, 33, 65536, "bbr", 0),
          (0.8, 19, 75, 65536, "htcp", 0), (0.12, 6, 48, 300, "reno", 0), (0.5, 34, 22, 65536, "bbr", 0), (0.7, 21, 66, 7000, "cubic", 0)]
    for i, (fr, rate, rtt, ck, cc, nd) in enumerate(ap):
        R = int(fr * bdp(rate, 1000) * 0.955)
        add("app-rate", f"a-{int(fr * 100)}-{ck}-{cc}" + f"-{rate}m", f"writer at {R} B/s ({fr} of the path) in {ck} B chunks, {rate} Mbit/s {rtt} ms, {cc}", path(rate, rtt, 1.2),
            [F(f"rate:{R}:7:{ck}", cc, nodelay=bool(nd), **(dict(passive=True) if i in (10, 17) else {}))], "app", f"rate {fr}",
            cap=three if i in (0, 1, 6, 12) else {}, **(dict(offload=notso) if i in (4, 7, 20) else {}), **(dict(sysctl=nots) if i in (5, 13) else dict(sysctl=nosack) if i == 17 else {}))
    for id, desc, p, f, kw in (
        ("loss", "paced writer, 0.1% loss", path(18, 40, 1.2, fwd_loss="0.1%"), F("rate:700000:8:6000", nodelay=True), {}),
        ("loss-bbr", "paced writer, 0.3% loss, bbr", path(23, 56, 1.2, fwd_loss="0.3%"), F("rate:900000:8:9000", "bbr"), {}),
        ("steps", "writer changes its rate", path(20, 58, 1.2), F("rate:150000:2:3000;rate:900000:2:20000;rate:60000:2:600;rate:1600000:2:30000", nodelay=True), {}),
        ("steps-bbr", "writer changes its rate, bbr", path(26, 46, 1.2), F("rate:1100000:2:16000;rate:90000:3:1000;rate:2200000:3:60000", "bbr"), {}),
        ("burst64k", "64 kB ten times a second", path(30, 82, 1.2), F("rate:655360:7:65536"), dict(cap=dict(rcv=True))),
        ("burst200k", "200 kB twice a second", path(24, 32, 1.2), F("rate:400000:7:200000"), {}),
        ("beats", "a message of 120 B every 0.4 s", path(10, 54, 1.2), F("rate:300:12:120", nodelay=True), {}),
        ("jit", "reverse jitter", path(19, 47, 1.2, rev_jitter_ms=2), F("rate:800000:7:4096", nodelay=True), dict(cap=dict(usec=True))),
        ("ipv6", "IPv6 paced writer", path(27, 63, 1.2, ipv6=True), F("rate:1500000:6:11000", "reno"), {}),
    ):
        add("app-rate", "a-" + id, desc, p, [f], "app", id, **kw)
    # TCP_NOTSENT_LOWAT
    for id, desc, p, f, cause, kw in (
        ("app", "lowat 16 kB, paced writer at half the path rate", path(17, 52, 1.2), F("rate:1000000:6:8000", lowat=16384), "app", {}),
        ("bulk-40k", "lowat 40 kB, bulk: bottleneck", path(13, 44, 1.2), F("bulk:6s", lowat=40000), "cwnd", {}),
        ("app-bbr", "lowat 32 kB, paced writer, bbr", path(24, 38, 1.2), F("rate:1300000:6:12000", "bbr", lowat=32768), "app", {}),
        ("rwnd", "lowat 20 kB into a small window", path(29, 57, 1.2), F("bulk:6s", lowat=20000, rcvwin=85000), "rwnd", dict(cap=three)),
        ("rwnd-bbr", "lowat 64 kB into a small window, bbr, epoll", path(21, 76, 1.2), F("ebulk:6s", "bbr", lowat=65536, rcvwin=75000), "rwnd", {}),
        ("onoff", "lowat 8 kB, bursts", path(25, 34, 1.2), F("onoff:120000:0.45:10", lowat=8192), "app", {}),
        ("ebulk-reno", "lowat 24 kB, epoll writer, reno: bottleneck", path(16, 61, 1.2), F("ebulk:6s", "reno", lowat=24000), "cwnd", {}),
    ):
        add("lowat", "n-" + id, desc, p, [f], cause, "lowat " + id, **kw)
    # ---- application: pauses, requests, think time ---------------------------------------------------
    for id, desc, p, f, kw in (
        ("onoff60k", "60 kB, 0.2 s pauses", path(35, 42, 1.2), F("onoff:60000:0.2:26"), dict(cap=three)),
        ("rpc20k", "20 kB answers, no think time", path(28, 37, 1.2), "rpc:180:20000:110:0", {}),
        ("onoff-bbr", "250 kB, 0.8 s pauses, bbr", path(32, 50, 1.2), F("onoff:250000:0.8:8", "bbr"), {}),
        ("srvthink", "server thinks 60 ms", path(24, 29, 1.2), ("serve:350:15000:0.06", "rpc:350:15000:60:0"), dict(cap=dict(rcv=True))),
        ("keepalive", "long idle with keep-alives", path(15, 39, 1.2), F("bulk:90000;sleep:9;bulk:300000;sleep:11;bulk:40000", keepalive=True),
         dict(sysctl={"net.ipv4.tcp_keepalive_time": 2, "net.ipv4.tcp_keepalive_intvl": 2})),
        ("video", "600 kB segments every 1.6 s", path(18, 62, 1.2), F("onoff:600000:1.3:5"), {}),
        ("rpc2k-bbr", "2 kB answers, 10 ms think time, bbr", path(11, 24, 1.2), "rpc:90:2000:130:0.01", dict(cc="bbr")),
        ("rpc300k-think", "300 kB answers, 0.5 s think time", path(40, 46, 1.2), "rpc:400:300000:9:0.5", {}),
        ("onoff15k", "15 kB, 30 ms pauses: never leaves the initial window", path(21, 68, 1.2), F("onoff:15000:0.03:120", "reno"), {}),
        ("srvthink-slow", "server thinks 0.4 s, 80 kB answers, bbr", path(14, 53, 1.2), ("serve:800:80000:0.4", "rpc:800:80000:12:0.05"), dict(cc="bbr")),
        ("sleepy", "irregular pauses", path(23, 31, 1.2), F("bulk:40000;sleep:0.3;bulk:200000;sleep:0.9;bulk:8000;sleep:0.05;bulk:12000;sleep:0.15;bulk:500000;sleep:1.4;bulk:30000;sleep:0.6;bulk:90000"), {}),
        ("onoff400k-noidle", "400 kB, 0.7 s pauses, no slow start after idle", path(27, 74, 1.2), F("onoff:400000:0.7:7"), dict(sysctl={"net.ipv4.tcp_slow_start_after_idle": 0})),
        ("notso-onoff", "35 kB, 0.12 s pauses, no TSO, no timestamps", path(19, 27, 1.2), F("onoff:35000:0.12:40"), dict(offload=notso, sysctl=nots)),
        ("rpc50k-wan", "50 kB answers on a long path, 20 ms think time", path(16, 180, 1.2), "rpc:250:50000:22:0.02", {}),
    ):
        if not isinstance(f, dict):
            srv, cli = f if isinstance(f, tuple) else ("serve:%s:%s" % tuple(f.split(":")[1:3]), f)
            f = dict(cc=kw.pop("cc", "cubic"), passive=True, nodelay=True, snd_rx=srv, rcv_tx=cli, rx="none")
        add("app-pause", "p-" + id, desc, p, [f], "app", id, **kw)

    # ---- congestion: controls ---------------------------------------------------------------------
    for id, desc, p, f, sub, kw in (
        ("bw-cubic-14m", "bottleneck", path(14, 52, 1.1), F("bulk:7s"), "bandwidth", dict(cap=three)),
        ("loss04-reno", "0.4% loss", path(32, 46, 1.0, fwd_loss="0.4%"), F("bulk:7s", "reno"), "loss", dict(cap=three)),
        ("bw-bbr-26m", "bottleneck, bbr", path(26, 34, 1.3), F("bulk:7s", "bbr"), "bandwidth", {}),
        ("shallow15", "queue of 15 packets", path(24, 48, None, 10 ** 7, qpkts=15), F("bulk:8s"), "shallow", {}),
        ("police7", "policer 7 Mbit/s", path(70, 33, 1.0, police_mbit=7, police_burst=50000), F("bulk:7s"), "policer", {}),
        ("fqpace", "fq qdisc, SO_MAX_PACING_RATE 0.9 MB/s", path(30, 36, 1.0), F("bulk:6s", pacing=900000), "pacing", dict(snd_qdisc="fq")),
        ("loss15-cubic", "1.5% loss", path(25, 38, 1.0, fwd_loss="1.5%"), F("bulk:7s"), "loss", {}),
        ("bloat5", "queue of 5 BDP", path(9, 36, 5), F("bulk:9s"), "bandwidth", {}),
        ("pace-bbr", "SO_MAX_PACING_RATE 1.4 MB/s, bbr", path(33, 54, 1.0), F("bulk:6s", "bbr", pacing=1400000), "pacing", {}),
        ("bw-small", "bottleneck, small writes with nodelay", path(12, 40, 1.0), F("bulk:7s", wsize=3000, nodelay=True), "bandwidth", {}),
        ("bw-ebulk", "bottleneck, epoll writer, no TSO", path(18, 28, 1.5), F("ebulk:7s", "reno"), "bandwidth", dict(offload=notso, cap=dict(rcv=True))),
        ("loss08-nosack", "0.8% loss, no SACK", path(22, 42, 1.0, fwd_loss="0.8%"), F("bulk:8s"), "loss", dict(sysctl=nosack)),
        ("loss06-nots", "0.6% loss, no timestamps", path(27, 58, 1.0, fwd_loss="0.6%"), F("bulk:8s", "htcp"), "loss", dict(sysctl=nots)),
        ("police4-bbr", "policer 4 Mbit/s, bbr", path(50, 45, 1.0, police_mbit=4, police_burst=60000), F("bulk:7s", "bbr"), "policer", {}),
        ("codel-15m", "codel", path(15, 44, None, 10 ** 7, aqm="codel limit 1000"), F("bulk:7s", "reno"), "bandwidth", {}),
        ("burst-ge", "burst loss", path(23, 34, 1.0, fwd_gemodel="0.3% 25% 70% 0%"), F("bulk:8s"), "loss", {}),
        ("shallow5-bbr", "queue of 5 packets, bbr", path(19, 32, None, 10 ** 7, qpkts=5), F("bulk:6s", "bbr"), "shallow", {}),
        ("vegas", "bottleneck, vegas", path(17, 64, 1.5), F("bulk:7s", "vegas"), "bandwidth", {}),
        ("ss-long", "300 kB in slow start on a long path", path(60, 190, 1.0), F("bulk:1500000"), "slowstart", {}),
        ("ackloss", "bottleneck, 30% of acknowledgements lost", path(16, 46, 1.0, rev_loss="30%"), F("bulk:7s"), "bandwidth", {}),
        ("bw-3m", "3 Mbit/s access line, bbr", path(3, 90, 1.5), F("bulk:8s", "bbr"), "bandwidth", {}),
        ("ecn", "cubic with ECN through fq_codel", path(21, 50, None, 10 ** 7, aqm="fq_codel limit 1500 ecn"), F("bulk:7s"), "bandwidth", dict(sysctl={"net.ipv4.tcp_ecn": 1})),
    ):
        add("cwnd", "c-" + id, desc, p, [f], "cwnd", sub, **kw)

    # ---- mixtures -----------------------------------------------------------------------------------
    for id, desc, p, f, sub, kw in (
        ("ral", "receive window 4 s, paced writer 3 s, loss 4 s", path(22, 48, 1.0), F("bulk:4s;rate:300000:3:6000;bulk:4s", sndbuf=250000, rx="rcvwin:40000;readfor:4;rcvwin:2500000;read"), "rwnd,app,loss",
         dict(events=[dict(t=7.0, fwd_loss="1.2%")], cap=three)),
        ("sbb", "send buffer 4 s, then bottleneck", path(17, 66, 1.2), F("sndbuf:26000;wsize:6000;bulk:4s;sndbuf:1500000;bulk:4s", nodelay=True), "sndbuf,cwnd", dict(cap=dict(rcv=True))),
        ("as", "paced writer, then send buffer", path(28, 58, 1.2), F("rate:500000:3:5000;sndbuf:36000;wsize:4000;bulk:4s", nodelay=True), "app,sndbuf", {}),
        ("sr-bbr", "send buffer, then receive window, bbr", path(25, 52, 1.2), F("sndbuf:60000;wsize:8000;bulk:4s;sndbuf:2000000;bulk:4s", "bbr", nodelay=True, rx="readfor:4;rcvwin:50000;read"), "sndbuf,rwnd", {}),
        ("ca", "bottleneck, then on/off", path(19, 43, 1.0), F("bulk:3s;drain;sleep:0.5;onoff:40000:0.3:10", sndbuf=200000), "cwnd,app", {}),
        ("rz", "receive window, then the reader stops, then bottleneck", path(16, 38, 1.0), F("bulk:9s", sndbuf=300000, rx="rcvwin:30000;readfor:3;sleep:2;rcvwin:2000000;read"), "rwnd,zero,cwnd", {}),
        ("la-bbr", "loss, then paced writer, bbr", path(24, 56, 1.0, fwd_loss="2%"), F("bulk:4s;rate:400000:4:10000", "bbr", sndbuf=300000), "cwnd,app", dict(events=[dict(t=4.0, fwd_loss=None)])),
        ("rw-close", "window limit close to a send buffer limit", path(31, 63, 1.2), F("bulk:6s", rcvwin=90000, sndbuf=70000, wsize=8192, nodelay=True), "rwnd/sndbuf", {}),
        ("ar", "paced writer with rare reads", path(20, 35, 1.2), F("rate:900000:8:9000", rcvbuf=100000, sndbuf=120000, rx="readfor:2;sleep:1.2;readfor:2;sleep:0.8;read"), "app,rwnd", {}),
        ("bws", "bottleneck slower in mid-flow, window limit before", path(30, 44, 1.0), F("bulk:8s", rcvwin=100000), "rwnd,cwnd", dict(events=[dict(t=4.0, rate_mbit=6)])),
        ("app-step", "paced writer, path becomes slower than it", path(18, 50, 1.2), F("rate:1100000:8:8000", sndbuf=250000), "app,cwnd", dict(events=[dict(t=4.0, rate_mbit=5)])),
        ("sal", "send buffer, pause, loss", path(26, 47, 1.0), F("wsize:5000;bulk:3s;drain;sleep:2;sndbuf:1000000;bulk:4s", sndbuf=32000, nodelay=True), "sndbuf,app,loss", dict(events=[dict(t=4.9, fwd_loss="1%")])),
        ("ral2", "paced, window, pause, bottleneck; no TSO", path(15, 71, 1.0), F("rate:250000:3:4000;bulk:3s;drain;sleep:1;bulk:3s", "reno", sndbuf=250000, rx="readfor:3;rcvwin:35000;readfor:4;rcvwin:1500000;read"), "app,rwnd,app,cwnd",
         dict(offload=notso)),
    ):
        add("mix", "m-" + id, desc, p, [f], "mixed", sub, **kw)
    # several connections at once
    add("multi", "x-four", "four connections, one per cause, through one router", path(40, 46, 1.2),
        [F("bulk:7s", rcvwin=40000), F("rate:350000:7:5000", start=0.3, nodelay=True), F("bulk:6s", start=0.5, sndbuf=26000, wsize=4000, nodelay=True), F("bulk:5s", start=1.0)], "mixed", "rwnd,app,sndbuf,cwnd",
        cap=three, notes="flow 0 rwnd, flow 1 app, flow 2 sndbuf, flow 3 bottleneck")
    add("multi", "x-apps", "three paced or pausing connections on an idle path", path(36, 54, 1.2),
        [F("rate:500000:6:9000", "bbr"), F("onoff:50000:0.25:20", start=0.2), F("rate:120000:6:700", "reno", start=0.4, nodelay=True)], "app", "three", notes="all app")
    add("multi", "x-wins", "three window-limited connections", path(45, 68, 1.2),
        [F("bulk:6s", rcvwin=50000), F("bulk:6s", "bbr", start=0.2, rcvwin=80000), F("bulk:6s", start=0.3, sndbuf=40000, wsize=2500, nodelay=True)], "mixed", "rwnd,rwnd,sndbuf", notes="rwnd, rwnd (bbr), sndbuf")
    add("multi", "x-bulk-app", "paced writer beside a bulk flow", path(18, 42, 1.2),
        [F("rate:300000:7:5000", nodelay=True), F("bulk:5s", "reno", start=1.0)], "app", "cross", notes="flow 0 app beside flow 1 bottleneck")

    rows = []
    for kind, l in kinds.items():
        rows += [((i + 0.5) / len(l), kind, s) for i, s in enumerate(l)]
    return [s for _, _, s in sorted(rows, key=lambda q: q[:2])]


def doubt_candidates():
    """bbr flows under a fixed small buffer or window, alone on their path."""
    return [s for s in build() if len(s["flows"]) == 1 and s["flows"][0]["cc"] == "bbr" and s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"]]


def doubled(s):
    """The same scenario with its limit doubled (the intervention)."""
    s = {**s, "flows": [dict(s["flows"][0])], "cap": {}, "id": s["id"] + "+x2"}
    f = s["flows"][0]
    hit = 0
    if "slow:" in f.get("rx", ""):              # the reader takes twice as much
        f["rx"] = re.sub(r"slow:(\d+)", lambda m: f"slow:{2 * int(m[1])}", f["rx"])
    for k in ("sndbuf", "rcvwin", "rcvbuf"):
        if f.get(k) and (k == "sndbuf") == (s["cause"] == "sndbuf"):
            f[k] *= 2
            hit += 1
    for k in ("sysctl_snd", "sysctl_rcv"):
        if s.get(k):
            s[k] = {n: re.sub(r"(\d+)$", lambda m: str(2 * int(m[1])), v) for n, v in s[k].items()}
            hit += 1
    return s if hit else None


def table(which):
    t = build()
    if which == "fresh":
        return t
    if which == "iv":
        return [d for s in doubt_candidates() if (d := doubled(s))]
    if which == "k61":
        want = ("s-4-cubic-128k", "s-8-reno", "s-4-bbr", "s-1-cubic", "s-wmem-96k", "r-50-24m", "r-30-42m", "r-rmem-180k", "z-slow400k", "z-zero1",
                "a-50-4000", "a-30-32768-bbr", "a-80-10000", "n-app", "n-rwnd", "p-onoff60k", "p-rpc20k", "c-bw-cubic", "c-loss04", "c-bw-bbr", "m-ral", "m-sbb", "x-four")
        out, used = [], set()
        for w in want:
            for s in t:
                if s["id"].startswith("f-" + w) and s["id"] not in used:
                    used.add(s["id"])
                    out.append({**s, "id": "g-" + s["id"][2:]})
                    break
        return out
    raise KeyError(which)


if __name__ == "__main__":
    for w in ("fresh", "iv", "k61"):
        t = table(w)
        print(w, len(t), "scenarios", sum(len(s["flows"]) for s in t), "flows", f"{sum(map(cost, t)):.0f} MB")
    t = table("fresh")
    from collections import Counter
    print(Counter(s["cause"] for s in t), Counter(s["group"] for s in t))
    print("three points:", sum(len(s.get("cap", {})) == 2 and "usec" not in s["cap"] for s in t))
    print([s["id"] for s in t[:34]])
