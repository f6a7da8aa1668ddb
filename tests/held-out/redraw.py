"""The sixth wave to the tenth: table("w6"): the corpus' own scenarios with other numbers, drawn once from a fixed seed, and the send-buffer grid;
a quarter of the rows is for Linux 6.1: table("w6a") and table("w6b") are the rows of the first and of the second kernel.
table("iv6"), table("iv6b"): their doubtful flows with the limit doubled. table("w7"), table("iv7"): the seventh wave, the first 60
rows of the same from another seed, all for the first kernel. table("w8a") and table("w8b") (with "iv8a", "iv8b"): the eighth, the first
99 of a third seed, two thirds for Linux 7.3, the others for 5.10; "w9a", "w9b" (with "iv9a", "iv9b"): the ninth, the first 54 of a fourth.
table("w10"), table("iv10"): the tenth, the first 81 of a fifth, all for the first kernel. table("w11"): the eleventh, all of a sixth,
for Linux 6.1, each captured at three places.

Each row keeps its kind and its ops; rate and delay are multiplied by log-uniform factors of 1/3 to 3, buffers and windows by about
the product of the two, losses, chunks and pauses by factors of their own; congestion control and writer are drawn anew.
"""
import math, random, re
import scenarios
from scenarios import bdp, cost, path          # noqa: F401 (cost is used by run.py)
from fresh import sndbuf_for, doubled, SMALL

SIXTH, SEVENTH, TENTH = (20261606, "f-d-"), (20261621, "f-e-"), (20262011, "f-x-")    # seeds, and how names begin
ELEVENTH = (20261126, "g-r-")
LATER = {"8": ((20261733, "f-g-"), 99), "9": ((20261834, "f-h-"), 54)}    # and how many rows
CONTROLS = ("cubic",) * 8 + ("reno",) * 4 + ("bbr",) * 4 + ("htcp", "westwood", "vegas", "illinois", "veno", "bic")
WRITES = (None,) * 5 + (900, 1448, 3000, 8192, 20000, 65536, 300000)
MOST_OCTETS = 6e6


class Draw:
    """The factors of one row."""

    def __init__(self, R):
        self.R = R
        self.rate, self.delay = self.log(), self.log()
        self.octets = self.log(0.5, 2)             # of answers, bursts
        self.pause = self.log()
        self.chunk = self.log()

    def log(self, low=1 / 3, high=3):
        return math.exp(self.R.uniform(math.log(low), math.log(high)))


def redrawn_path(p, d):
    p = dict(p)
    rate = min(110, max(1.2, p["rate_mbit"] * d.rate))
    d.rate = rate / p["rate_mbit"]
    rtt = p["fwd_ms"] + p["rev_ms"]
    d.delay = min(d.delay, 260 / rtt)
    for k in ("fwd_ms", "rev_ms"):
        p[k] = round(p[k] * d.delay, 3)
    p["rate_mbit"] = round(rate, 2)
    product = d.rate * d.delay
    if p.get("qbytes", 10 ** 7) < 10 ** 7:
        p["qbytes"] = max(15140, int(p["qbytes"] * product * d.log(0.5, 2)))
    if p.get("qpkts"):
        p["qpkts"] = max(5, int(p["qpkts"] * d.log(0.5, 2)))
    for k in ("rev_rate_mbit", "police_mbit"):
        if p.get(k):
            p[k] = round(p[k] * d.rate, 3)
    for k in ("police_burst", "rev_qbytes"):
        if p.get(k):
            p[k] = max(6000, int(p[k] * d.log(0.5, 2)))
    for k in ("fwd_loss", "rev_loss", "fwd_dup", "rev_dup", "fwd_reorder"):
        if p.get(k):
            p[k] = f"{min(25, float(p[k][:-1]) * d.log()):.3f}%"
    if p.get("rev_jitter_ms"):
        p["rev_jitter_ms"] = round(p["rev_jitter_ms"] * d.delay, 3)
    return p


def redrawn_ops(ops, d, seconds):
    """`seconds`: factor of every duration of an op program (events of the path are not moved: then 1)."""
    out = []
    for op in ops.split(";"):
        a = op.split(":")
        n = [float(x.rstrip("s")) if re.fullmatch(r"[\d.]+s?", x) else None for x in a]
        if a[0] == "bulk" and a[1].endswith("s"):
            a[1] = f"{n[1] * seconds:.3f}s"
        elif a[0] in ("bulk", "ebulk"):
            a[1] = str(int(n[1] * d.octets))
        elif a[0] == "rate":
            a[1:] = [str(int(max(2000, n[1] * d.rate * d.skew))), f"{n[2] * seconds:.3f}", str(max(100, int(n[3] * d.chunk)))]
        elif a[0] == "onoff":
            a[1:3] = [str(int(n[1] * d.octets)), f"{n[2] * d.pause:.3f}"]
            a[3] = str(max(4, min(int(n[3]), int(7 / float(a[2])))))
        elif a[0] == "rpc":
            a[2], a[4] = str(int(n[2] * d.octets)), f"{n[4] * d.pause:.3f}"
            a[3] = str(max(8, min(int(n[3]), int(8 / (n[4] * d.pause + 0.09 * d.delay)))))
        elif a[0] == "serve":
            a[2] = str(int(n[2] * d.octets))
        elif a[0] in ("sndbuf", "rcvbuf", "rcvwin"):
            a[1] = str(limit(n[1], d) if n[1] < 1e6 else int(n[1]))
        elif a[0] == "slow":
            a[1:] = [str(int(n[1] * d.rate * d.skew)), f"{n[2] * 1.0:.1f}", str(max(500, int(n[3] * d.chunk)))]
        elif a[0] in ("sleep", "readfor"):
            a[1] = f"{n[1] * seconds:.3f}"
        out.append(":".join(a))
    return ";".join(out)


def limit(v, d):
    return int(min(500e3, max(4608, v * d.rate * d.delay * d.log(0.6, 1.7))))


def redrawn_flow(f, d, s, seconds):
    f = dict(f)
    if s["group"] != "cca" and f.get("cc") != "dctcp":
        f["cc"] = d.R.choice(CONTROLS)
    for k in ("sndbuf", "rcvbuf", "rcvwin"):
        if f.get(k):
            f[k] = limit(f[k], d) if f[k] < 250e3 else f[k]
    if f.get("lowat"):
        f["lowat"] = max(4000, int(f["lowat"] * d.log()))
    if f.get("pacing"):
        f["pacing"] = int(f["pacing"] * d.rate)
    for k in ("tx", "rx", "snd_rx", "rcv_tx"):
        if f.get(k) and f[k] != "none":
            f[k] = redrawn_ops(f[k], d, seconds)
    w = d.R.choice(WRITES)
    if "bulk" in (f.get("tx") or "") and w and "wsize" not in f:
        f["wsize"] = w
        if w < 10000:
            f["nodelay"] = d.R.random() < 0.7
    if d.R.random() < 0.25 and f.get("tx"):
        f["tx"] = re.sub(r"(^|;)bulk:", r"\1ebulk:", f["tx"])
    if f.get("start"):
        f["start"] = round(f["start"] * seconds, 3)
    return f


def redrawn(s, wave):
    seed, prefix = wave
    R = random.Random(f"{seed}{s['id']}")
    d = Draw(R)
    d.skew = d.log(0.6, 1.6)
    s = {**s, "id": prefix + s["id"][2:], "seed": R.randrange(100003), "net": 1 + R.randrange(250), "probe": False}
    s["path"] = redrawn_path(s["path"], d)
    longest = sum(float(x) for f in s["flows"] for x in re.findall(r"bulk:([\d.]+)s", ";".join((f.get("tx") or "", f.get("rcv_tx") or ""))))
    rate = min(s["path"]["rate_mbit"], s["path"].get("police_mbit", 1e9))
    seconds = 1.0 if s.get("events") or s.get("post") or not longest else max(2.5 / longest, min(1.2, MOST_OCTETS / (rate * 125e3 * longest)))
    if s["group"] in ("sndbuf", "rwnd"):            # what the limit leaves of the path moves less
        seconds = max(seconds, min(1.0, 4 / longest)) if longest else 1.0
    if s.get("events") and rate > 30:
        s["path"]["rate_mbit"] = 30.0
    if s.get("events"):
        s["events"] = [{**e, **({"rate_mbit": round(e["rate_mbit"] * s["path"]["rate_mbit"] / 20, 2)} if "rate_mbit" in e else {})} for e in s["events"]]
    s["flows"] = [redrawn_flow(f, d, s, seconds) for f in s["flows"]]
    s["desc"] = "redrawn: " + s["desc"]
    if not s.get("post") and R.random() < 0.12:
        s["cap"] = {**s.get("cap", {}), "rcv": True, "mid": True}
    return s


def grid(wave):
    """0.1 to 0.9 BDP by three congestion controls; writers and paths drawn."""
    seed, prefix = wave
    R = random.Random(seed)
    out = []
    for i in range(9):
        for cc in ("cubic", "reno", "bbr"):
            rate, rtt = 50 * math.exp(R.uniform(math.log(1 / 3), math.log(2))), 60 * math.exp(R.uniform(math.log(1 / 3), math.log(3)))
            if bdp(rate, rtt) > 900e3:
                rate = 900e3 / (rtt * 125)
            if bdp(rate, rtt) < 90e3:
                rate = 90e3 / (rtt * 125)
            w = R.choice(("128k", "128k", "ebulk", "w1k", "w2k", "w4k", "w8k", "w16k"))
            part = (i + 1) / 10
            v = sndbuf_for(part * bdp(rate, rtt), w, cc)
            kw = dict(sndbuf=v, **(dict(wsize=SMALL[w], nodelay=True) if w in SMALL else {}))
            T = min(6.0, max(3.0, 5e6 / (part * rate * 125e3)))
            s = dict(id=f"{prefix}grid-{i + 1}-{cc}-{w}", group="sndbuf", desc=f"SO_SNDBUF {v}, 0.{i + 1} BDP of {rate:.1f} Mbit/s {rtt:.0f} ms, {cc}, writer {w}",
                     seed=R.randrange(100003), notes="", net=1 + R.randrange(250), path=path(round(rate, 2), round(rtt, 1), R.uniform(0.8, 1.6)),
                     flows=[dict(tx=f"{'ebulk' if w == 'ebulk' else 'bulk'}:{T:.2f}s", cc=cc, **kw)], cause="sndbuf", sub=f"0.{i + 1} BDP {w}")
            out.append(s)
    return out


def rows(wave):
    R = random.Random(wave[0] + 1)
    g = grid(wave)
    own = [s for s in scenarios.table("open") if s["group"] != "cca" or R.random() < 0.1]
    own = [s for s in own if s["group"] in ("sndbuf", "rwnd", "rwnd-slow", "mix") or s["group"].startswith("app") or R.random() < 0.5]
    own = [redrawn(s, wave) for s in own]
    R.shuffle(own)
    R.shuffle(g)
    out = []
    for i in range(max(len(own), 4 * len(g))):      # any prefix a fair sample
        out += own[i:i + 1] + (g[i // 4:i // 4 + 1] if i % 4 == 0 else [])
    return out


def doubtful(t):
    """Those behind a window or a buffer that pacing may hide, with that doubled."""
    base = [s for s in t if len(s["flows"]) == 1 and s["flows"][0]["cc"] == "bbr" and s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"]]
    return [d for s in base if (d := doubled(s))]


def everywhere(s):
    """Captured at three places; what is cut or damaged afterwards stays where it is."""
    return s if s.get("post") else {**s, "cap": {**s.get("cap", {}), "rcv": True, "mid": True}}


def table(which):
    if which.endswith("11"):
        return [everywhere(s) for s in rows(ELEVENTH)]
    if which.endswith(("7", "10")):
        t = rows(TENTH)[:81] if which.endswith("10") else rows(SEVENTH)[:60]
        return doubtful(t) if which.startswith("iv") else t
    if which.endswith(("a", "b")) and which[-2] in LATER:
        wave, count = LATER[which[-2]]
        t = [s for i, s in enumerate(rows(wave)[:count]) if (i % 3 == 2) == which.endswith("b")]
        return doubtful(t) if which.startswith("iv") else t
    t = rows(SIXTH)
    second = {s["id"] for s in t[1::4]}
    first_rows, second_rows = ([s for s in t if (s["id"] in second) == is_second] for is_second in (False, True))
    tables = {"w6": lambda: t, "w6a": lambda: first_rows, "w6b": lambda: second_rows, "iv6": lambda: doubtful(first_rows), "iv6b": lambda: doubtful(second_rows)}
    return tables[which]()


if __name__ == "__main__":
    for w in ("w6a", "w6b", "iv6", "iv6b", "w7", "iv7", "w8a", "w8b", "iv8a", "iv8b", "w9a", "w9b", "iv9a", "iv9b", "w10", "iv10"):
        t = table(w)
        print(w, len(t), sum(len(s["flows"]) for s in t), f"{sum(map(cost, t)):.0f} MB")
        for s in t:
            print(s["id"], s["path"], [{k: v for k, v in f.items()} for f in s["flows"][:2]], f"{cost(s):.0f}", list(s.get("cap", {})), s.get("post", ""))
