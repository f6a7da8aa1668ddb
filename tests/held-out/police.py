"""Policers, shapers, and what may pass for either, on random paths: table("look") to look at, table("once") to score once at the end; fixed seeds, so
always the same tables; the same with several flows or with pauses: "look-together", "once-together"."""
import math
import random
import zlib

from scenarios import bdp, path

KINDS = ("police", "shape", "police", "plain", "police", "loss", "police", "shape", "police", "shallow")
CCAS = ("cubic", "reno", "cubic", "bbr", "cubic", "reno", "cubic")
PAYLOAD_MBIT = 320          # what one capture may carry


def evenly(draw, low, high):
    """Each doubling as likely as the next."""
    return math.exp(draw.uniform(math.log(low), math.log(high)))


def row(which, i):
    kind, cc = KINDS[i % len(KINDS)], CCAS[i % len(CCAS)]
    id = f"{which[0]}-{kind}{i}-{cc}"
    draw = random.Random(zlib.crc32(f"{which} {i}".encode()))
    rate, rtt = round(evenly(draw, 2, 100), 1), round(evenly(draw, 5, 200), 1)
    burst = int(evenly(draw, 5e3, 1e6))
    link = round(min(200, rate * draw.uniform(1.6, 10)), 1)
    queue = draw.uniform(0.7, 2)
    if kind == "police":
        p, desc = path(link, rtt, queue, police_mbit=rate, police_burst=burst), f"policer, burst {burst} B, link {link} Mbit/s"
    elif kind == "shape":
        p, desc = path(rate, rtt, queue, burst=burst, access_mbit=link), f"shaper, burst {burst} B, queue {queue:.1f} BDP"
    elif kind == "plain":
        p, desc = path(rate, rtt, queue), f"plain, queue {queue:.1f} BDP"
    elif kind == "shallow":
        p, desc = path(rate, rtt, None, max(6 * 1514, int(0.1 * bdp(rate, rtt)))), "plain, hardly any queue"
    else:
        loss = max(0.01, min(2, 100 / (12 * bdp(rate, rtt) / 1500)))
        p, desc = path(rate, rtt, queue, fwd_loss=f"{loss:.3f}%"), f"{loss:.3f} % random loss"
    # Time for the bucket to be emptied, and for thirty round trips.
    least = max(6, 30 * rtt / 1e3, 4 * burst * 8e-6 / rate)
    time = round(min(40, max(least, min(20, PAYLOAD_MBIT / rate))), 1)
    kw = dict(offload=dict(tso=False, gro=False)) if draw.random() < 0.3 else {}
    return dict(id=id, group=kind, desc=f"{cc}, {rate} Mbit/s, {rtt} ms, {desc}", notes="", seed=zlib.crc32(id.encode()) % 100003, path=p,
                flows=[dict(tx=f"bulk:{time}s", cc=cc)], cause="cwnd", sub=kind, net=1 + draw.randrange(250), limit=240, **kw)


def together(which, i):
    """Two or three flows, all at once or in chunks with pauses between them, through one of the paths above."""
    base = row(which[:4], i)
    draw = random.Random(zlib.crc32(f"{which} {i}".encode()))
    id, time = f"{which[0]}t-{base['group']}{i}", float(base["flows"][0]["tx"][5:-1])
    slowest = min(base["path"].get("police_mbit", 1e9), base["path"]["rate_mbit"])
    count = draw.choice((1, 2, 2, 3))
    chunk = int(min(2e6, slowest * 1e6 / 8 * time / 6 / count))
    pause = round(draw.uniform(0.3, 1.5), 2)
    chunks = f"onoff:{chunk}:{pause}:5"
    writers = [chunks] if count == 1 else [draw.choice((base["flows"][0]["tx"], chunks)) for _ in range(count)]
    flows = [dict(tx=tx, cc=draw.choice(CCAS), start=round(draw.uniform(0, 1), 2)) for tx in writers]
    return dict(base, id=id, flows=flows, seed=zlib.crc32(id.encode()) % 100003, desc=f"{base['desc']}; {count} flows, {writers}")


def table(which):
    if which in ("look-together", "once-together"):
        return [together(which, i) for i in range(20)]
    return [row(which, i) for i in range(30)]


if __name__ == "__main__":
    for which in ("look", "once", "look-together", "once-together"):
        for entry in table(which):
            print(entry["id"], entry["desc"], entry["flows"][0]["tx"])
