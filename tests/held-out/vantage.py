"""Flows captured at three places: table("v1"), table("v2") and table("v3"), random rows of the four causes from fixed seeds.

Every row has the captures of the receiver and of the way beside the sender's; the tap on the way stands before the
bottleneck's queue or behind it. One flow in eight has no timestamps, one in eight no segmentation offload at either end.
"""
import random
from scenarios import path, bdp, cost      # noqa: F401
from fresh import sndbuf_for

ROWS_PER_KIND = 4


def row(name, out, r, kind, desc, p, flow, cause, sub):
    """One that is captured at three places."""
    number = sum(s["cause"] == cause for s in out)
    return dict(id=f"{name}-{cause}{number}-{flow['cc']}", group=kind, desc=desc, seed=r.randrange(100003), notes="", path=p, flows=[flow],
                cause=cause, sub=sub, net=1 + r.randrange(250), cap=dict(rcv=True, mid=True, mid_at=r.choice(("r0", "r1"))))


def skew(p, rtt, r):
    """Takes one way of a path longer than the other, in ms."""
    part = r.uniform(0.5, 1.5)
    p["fwd_ms"], p["rev_ms"] = round(rtt / 2 * part, 3), round(rtt / 2 * (2 - part), 3)


def rows(name, seed, draw=None):
    out, r = [], random.Random(seed)

    def add(kind, desc, p, flow, cause, sub, **kw):
        s = row(name, out, r, kind, desc, p, flow, cause, sub)
        x = r.random()
        if x < 0.125:
            s["sysctl"] = {"net.ipv4.tcp_timestamps": 0}
        elif x < 0.25:
            s["offload"] = dict(tso=False, gro=False)
        s.update(kw)
        out.append(s)

    def some_path():
        if draw:
            rate, rtt = draw(r)
        else:
            rate = round(10 ** r.uniform(0.6, 1.85), 1)
            rtt = round(min(10 ** r.uniform(0.9, 2.25), 7000 / rate), 1)
        p = path(rate, rtt, r.uniform(0.7, 2.0))
        skew(p, rtt, r)
        return p, rate, rtt, bdp(rate, rtt)

    for i in range(ROWS_PER_KIND):
        lossy = r.choice(("cubic", "cubic", "reno", "htcp", "westwood"))
        late = r.random() < 0.25
        # Send buffer: small writes, large writes, the kernel's own bound.
        for k in range(3):
            p, rate, rtt, b = some_path()
            part = r.uniform(0.15, 0.85)
            if k == 0:
                low = r.choice((600, 1100, 2000, 3700, 7000))
                v = sndbuf_for(part * b, "w2k" if low < 3000 else "w8k", lossy)
                f = dict(tx=f"wsize:{low}:{low * 3};{r.choice(('bulk', 'ebulk'))}:5s", cc=lossy, sndbuf=v, nodelay=True, noquickack=late)
                add("sndbuf", f"SO_SNDBUF {v} ({part:.2f} BDP), writes of {low}..{low * 3} B", p, f, "sndbuf", f"{part:.2f} BDP")
            else:
                v = sndbuf_for(part * b, "128k", lossy)
                size = r.choice((16384, 40000, 65536, 131072))
                f = dict(tx=f"{r.choice(('bulk', 'ebulk'))}:5s", cc=lossy, wsize=size, noquickack=late)
                kw = dict(sysctl_snd={"net.ipv4.tcp_wmem": f"4096 16384 {2 * v}"}) if k == 2 else {}
                f.update({} if k == 2 else dict(sndbuf=v))
                add("sndbuf", f"send buffer {2 * v} ({part:.2f} BDP), writes of {size} B", p, f, "sndbuf", f"{part:.2f} BDP", **kw)
        # Receive window: a fixed window, a slow reader.
        for k in range(3):
            p, rate, rtt, b = some_path()
            part = r.uniform(0.12, 0.9)
            if k < 2:
                w = max(6000, int(part * b))
                f = dict(tx="bulk:5s", cc=lossy, rcvwin=w, noquickack=late)
                add("rwnd", f"receive window {w} ({part:.2f} BDP)", p, f, "rwnd", f"{part:.2f} BDP")
            else:
                v, chunk = int(part * rate * 1e6 / 8 * 0.95), r.choice((2000, 8000, 30000))
                f = dict(tx="bulk:5s", cc=lossy, rcvbuf=int(max(16000, r.uniform(0.6, 2.0) * b)) // 2, sndbuf=400000, rx=f"slow:{v}:7:{chunk}")
                add("rwnd", f"reader takes {v} B/s", p, f, "rwnd", "slow reader")
        # Application: paced writer, pauses, answers to requests.
        for k in range(3):
            p, rate, rtt, b = some_path()
            cc = r.choice(("cubic", "reno", "bbr", "htcp"))
            if k == 0:
                part, chunk = r.uniform(0.08, 0.85), r.choice((900, 1500, 4000, 12000, 40000))
                part = min(part, 0.12) if chunk < 1000 else part
                v = int(part * rate * 1e6 / 8 * 0.955)
                add("app", f"writer at {v} B/s ({part:.2f} of the path) in {chunk} B chunks", p,
                    dict(tx=f"rate:{v}:6:{chunk}", cc=cc, nodelay=r.random() < 0.5, noquickack=late), "app", f"rate {part:.2f}")
            else:
                octets, pause = r.choice((5000, 25000, 90000, 250000)), round(r.uniform(0.04, 0.7), 3)
                count = max(4, int(5 / (pause + octets * 8 / (rate * 1e6) + 3 * rtt / 1e3)))
                if k == 1:
                    f = dict(tx=f"onoff:{octets}:{pause}:{count}", cc=cc)
                else:
                    f = dict(cc=cc, passive=True, nodelay=True, snd_rx=f"serve:300:{octets}:{pause / 4:.3f}", rcv_tx=f"rpc:300:{octets}:{count}:{pause / 2:.3f}", rx="none")
                add("app", f"{octets} B, pauses of {pause} s", p, f, "app", "on/off" if k == 1 else "rpc")
        # Congestion window: random loss, a full bottleneck, a shallow queue.
        for k in range(3):
            p, rate, rtt, b = some_path()
            cc = r.choice(("cubic", "cubic", "reno", "bbr", "htcp"))
            if k == 0:
                p["fwd_loss"] = f"{r.choice((0.2, 0.5, 1.0, 2.0))}%"
            elif k == 2:
                p["qbytes"], p["qpkts"] = 10 ** 7, r.choice((12, 20, 35))
            add("cwnd", ("random loss", "bottleneck", "shallow queue")[k], p, dict(tx="bulk:6s", cc=cc, noquickack=late), "cwnd", ("loss", "bandwidth", "shallow")[k])
    return out


def table(which):
    return rows(which, {"v1": 20270114, "v2": 20270631, "v3": 20261124}[which])


if __name__ == "__main__":
    for which in ("v1", "v2", "v3"):
        for s in table(which):
            print(s["id"], s["desc"], s["path"], s["flows"][0].get("tx", ""), list(s.get("sysctl", {})), list(s.get("offload", {})), s["cap"]["mid_at"])
