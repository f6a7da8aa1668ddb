"""Policers that a sender finds empty most of the time, and what may pass for them: BBR mostly, on long paths; "pol1" to look at, "pol2"
to score; fixed seeds."""
import random
import zlib

from police import evenly
from scenarios import bdp, path

KINDS = ("police", "police", "loss", "police", "shallow", "police", "thin", "police", "loss", "police", "shape", "police")
CCAS = ("bbr", "bbr", "bbr", "cubic", "bbr", "bbr", "reno")


def row(which, i):
    kind, cc = KINDS[i % len(KINDS)], CCAS[i % len(CCAS)]
    draw = random.Random(zlib.crc32(f"{which} {i}".encode()))
    id = f"{which}-{kind}{i}-{cc}"
    rate, rtt = round(evenly(draw, 2, 60), 1), round(evenly(draw, 40, 300), 1)
    burst = int(evenly(draw, 0.05, 1) * bdp(rate, rtt)) + 15140
    link = round(min(250, rate * draw.uniform(1.3, 8)), 1)
    queue = draw.uniform(0.7, 2)
    if kind == "police":
        p, desc = path(link, rtt, queue, police_mbit=rate, police_burst=burst), f"policer, burst {burst} B, link {link} Mbit/s"
    elif kind == "shape":
        p, desc = path(rate, rtt, queue, burst=burst, access_mbit=link), f"shaper, burst {burst} B"
    elif kind == "shallow":
        p, desc = path(rate, rtt, None, max(6 * 1514, int(0.1 * bdp(rate, rtt)))), "plain, hardly any queue"
    elif kind == "thin":
        p, desc = path(rate, rtt, queue, fwd_loss="1%"), "1 % random loss, link slow"
    else:
        loss = round(evenly(draw, 0.3, 8), 2)
        p, desc = path(link, rtt, queue, fwd_loss=f"{loss}%"), f"{loss} % random loss"
    slow = rate if kind != "loss" else link
    time = round(min(40, max(8, 40 * rtt / 1e3, min(20, 400 / slow))), 1)
    return dict(id=id, group=kind, desc=f"{cc}, {rate} Mbit/s, {rtt} ms, {desc}", notes="", seed=zlib.crc32(id.encode()) % 100003, path=p,
                flows=[dict(tx=f"bulk:{time}s", cc=cc)], cause="cwnd", sub=kind, net=1 + draw.randrange(250), limit=240)


def table(which):
    return [row(which, i) for i in range(24)]
