#!/usr/bin/env python3
"""Damages whole captures as capturing does, and counts verdicts that are sure and wrong.

    score_oddities.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

Taken are flows whose limit holds for four fifths of the time or more, so that a part of the capture has the
same. Each is damaged in each way below; the verdict has to be the whole one's, or not sure.

gaps        one frame in a hundred is missing          one_way     only the data's direction
midflow     the first third is missing                 snapped     the TCP options are cut off
twice       each frame twice, a microsecond apart      reordered   one frame in fifty after its successor
step        the clock jumps by 5 s                     step_back   the clock goes back by 2 s
coarse      the clock tells whole milliseconds         coarser     the clock ticks each 1/64 s, as Windows' does
"""

import json
import random
import struct
import sys
import tempfile
from collections import Counter
from pathlib import Path

from scoring import arguments, finish, flow_of, for_each_truth, run, unpacked

CAUSES = {"receive_window": "rwnd", "send_buffer": "sndbuf", "congestion_window": "cwnd", "application": "app"}


def frames(path: Path):
    """File header, and (time in ticks, octets, wire length) of each frame."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    ticks = 10**9 if data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d") else 10**6
    at, out = 24, []
    while at + 16 <= len(data):
        seconds, part, captured, wire = struct.unpack_from(order + "4I", data, at)
        out.append((seconds * ticks + part, data[at + 16:at + 16 + captured], wire))
        at += 16 + captured
    return (data[:24], order, ticks), out


def write(path: Path, header, rows) -> None:
    head, order, ticks = header
    with open(path, "wb") as file:
        file.write(head)
        for time, octets, wire in rows:
            file.write(struct.pack(order + "4I", time // ticks, time % ticks, len(octets), wire) + octets)


def source_port(octets: bytes):
    """Of a TCP segment in IPv4 or IPv6 on Ethernet; None for anything else."""
    if octets[12:14] == b"\x08\x00" and octets[23] == 6:
        at = 14 + 4 * (octets[14] & 15)
    elif octets[12:14] == b"\x86\xdd" and octets[20] == 6:
        at = 54
    else:
        return None
    return struct.unpack_from(">H", octets, at)[0] if len(octets) >= at + 2 else None


def damaged(way: str, rows: list, ticks: int, port: int, draw: random.Random) -> list:
    middle = len(rows) // 2
    if way == "gaps":
        return [row for row in rows if draw.random() >= 0.01]
    if way == "one_way":
        return [row for row in rows if source_port(row[1]) == port]
    if way == "midflow":
        return rows[len(rows) // 3:]
    if way == "snapped":
        return [(time, octets[:74 if octets[12:14] == b"\x86\xdd" else 54], wire) for time, octets, wire in rows]
    if way == "twice":
        later = max(1, ticks // 10**6)
        return [row for time, octets, wire in rows for row in ((time, octets, wire), (time + later, octets, wire))]
    if way == "reordered":
        out = list(rows)
        for index in range(1, len(out)):
            if draw.random() < 0.02:
                (one, a, b), (two, c, d) = out[index - 1], out[index]
                out[index - 1], out[index] = (one, c, d), (two, a, b)
        return out
    if way in ("coarse", "coarser"):
        tick = ticks // (1000 if way == "coarse" else 64)
        return [(time - time % tick, octets, wire) for time, octets, wire in rows]
    by = 5 * ticks if way == "step" else -2 * ticks
    return rows[:middle] + [(time + by, octets, wire) for time, octets, wire in rows[middle:]]


WAYS = ("gaps", "one_way", "midflow", "snapped", "twice", "reordered", "step", "step_back", "coarse", "coarser")


def verdicts(args, truth_file: Path) -> list:
    """(way, cause, verdict, confidence, id) of each damaged copy."""
    truth = json.loads(truth_file.read_text())
    capture = truth["captures"].get("snd")
    flows = [flow for flow in truth["flows"] if flow["from"] == "snd"]
    if capture is None or truth["primary"] != "snd" or truth.get("post") or truth["events"] or len(flows) != 1:
        return []
    shares = {cause: flows[0]["shares"][cause] for cause in CAUSES.values()}
    cause = max(shares, key=shares.get)
    if shares[cause] < 0.8:
        return []
    out = []
    with tempfile.TemporaryDirectory() as folder:
        header, rows = frames(unpacked(truth_file.parent / capture["file"], folder))
        for way in WAYS:
            pcap = Path(folder) / f"{way}.pcap"
            write(pcap, header, damaged(way, rows, header[2], flows[0]["sport"], random.Random(truth["seed"])))
            document = run(args.cmd, pcap)
            flow = flow_of(document, flows[0]) if document else None
            verdict = flow["verdict"] if flow else {"limit": "none", "confidence": "low"}
            out.append((way, cause, CAUSES.get(verdict["limit"], verdict["limit"]), verdict["confidence"], truth["id"]))
    return out


def main() -> int:
    args = arguments(__doc__)
    rows = [row for part in for_each_truth(args, lambda file: verdicts(args, file)) for row in part]
    names = {*CAUSES.values()}
    wrong = [row for row in rows if row[2] in names and row[2] != row[1] and row[3] == "high"]
    for way in WAYS:
        mine = [row for row in rows if row[0] == way]
        told = Counter("right" if row[2] == row[1] else "wrong" if row[2] in names else "not told" for row in mine)
        sure = sum(row[3] == "high" for row in mine)
        print(f"{way:10} {len(mine):4} captures: {dict(told)}, sure {sure}, sure and wrong {sum(row in wrong for row in mine)}")
    for row in wrong[:args.worst]:
        print("  ", row)
    figures = {"captures": len(rows), "sure_and_wrong": len(wrong),
               "right": round(sum(row[1] == row[2] for row in rows) / max(1, len(rows)), 4)}
    print(figures)
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
