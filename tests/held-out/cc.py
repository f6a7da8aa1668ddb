"""Congestion controls on random paths: table("look") to look at, table("once") to score once at the end; fixed seeds, so always the same tables."""
import random
import zlib

from scenarios import bdp, path

CCAS = ("reno", "cubic", "bic", "htcp", "highspeed", "scalable", "vegas", "illinois", "dctcp", "bbr", "westwood", "veno", "yeah")
COMMON = ("reno", "cubic", "bbr")
PAYLOAD_MBIT = 420          # what one capture may carry: epochs need time, captures should stay small


def rows(prefix, seed, times):
    draw = random.Random(seed)
    for cc in CCAS:
        for i in range(times + (1 if cc in COMMON else 0)):
            rate = round(draw.choice((draw.uniform(5, 20), draw.uniform(20, 80))), 1)
            rtt = round(min(draw.uniform(12, 140), 4500 / rate), 1)
            kind = draw.choice(("queue", "queue", "queue", "loss"))
            p = path(rate, rtt, draw.uniform(0.4, 1.8))
            kw = {}
            if cc == "dctcp":
                p = path(rate, rtt, None, 10 ** 7, aqm=f"codel limit 2000 target 200ms interval 2000ms ce_threshold {draw.choice((2, 4, 8))}ms ecn")
                kw["sysctl"] = {"net.ipv4.tcp_ecn": 1}
                kind = "ecn"
            elif kind == "loss":
                # About one loss per twenty round trips of a full path.
                p["fwd_loss"] = f"{max(0.01, min(0.5, 100 / (20 * bdp(rate, rtt) / 1500))):.3f}%"
            time = round(min(40, max(8, PAYLOAD_MBIT / rate)), 1)
            if draw.random() < 0.3:
                kw["offload"] = dict(tso=False, gro=False)
            id = f"{prefix}-{cc}-{i}"
            yield dict(id=id, group="cca", desc=f"{cc}, {rate} Mbit/s, {rtt} ms, {kind}", notes="", seed=zlib.crc32(id.encode()) % 100003, path=p,
                       flows=[dict(tx=f"bulk:{time}s", cc=cc)], cause="cwnd", sub="loss" if kind == "loss" else "bandwidth",
                       net=1 + draw.randrange(250), limit=240, **kw)


def table(which):
    prefix, seed, times = {"look": ("k", 20261121, 2), "once": ("o", 20261122, 3)}[which]
    # Classes in turn, so that a table which is cut short still holds all of them.
    return sorted(rows(prefix, seed, times), key=lambda row: row["id"][-1])


if __name__ == "__main__":
    for which in ("look", "once"):
        for row in table(which):
            print(which, row["id"], row["desc"], row["flows"][0]["tx"])
