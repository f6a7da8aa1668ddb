#!/usr/bin/env python3
"""Checks what-if rates against the same flow run again with exactly that limit lifted.

    score_whatif.py --pairs BASE:TWINS[:SUFFIX] [--pairs ...] --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

BASE holds <id>.truth.json with its sender's capture, TWINS <id>SUFFIX.truth.json of the second run (a capture
is not needed). With the suffix "+lift" (the default) the limit was lifted altogether, with "+x2" doubled: then
the rate to expect is what the report says, or twice the rate of the first run if that is less.

The second run's rate is that after its first third: the report speaks of a long transfer, not of its start.

A limit without a prediction holds for less than a twentieth of the time: to lift it is to gain nothing. A
prediction without a rate says "this or more": that there is something to gain; with a low end below the rate
of the first run it says nothing, and has no sign.

close      Predicted rate within 20 % of it.
sign       Both say that there is at least a tenth to gain, or both that there is not.
covered    The range holds it, with 5 % beyond its ends for what one run differs from the next (of limits lifted
           altogether).
"""

import argparse
import json
import re
import statistics
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path

from scoring import finish, flow_of, report

LIFTED = {"rwnd": "receive_window", "sndbuf": "send_buffer", "app": "application", "cwnd": "loss"}
GAIN = 1.1


def sustained(flow) -> float:
    """Bits per second acknowledged in the last two thirds of the time until the last octet."""
    columns = flow["series"]["columns"]
    at, acked = columns.index("t_ms"), columns.index("bytes_acked")
    rows = [(row[at], row[acked]) for row in flow["series"]["rows"]]
    end = next(time for time, octets in rows if octets >= rows[-1][1])
    first = next((row for row in rows if row[0] >= rows[0][0] + (end - rows[0][0]) / 3), rows[0])
    return (rows[-1][1] - first[1]) * 8e3 / max(1e-9, end - first[0])


def pair(args, truth_file: Path, twin_file: Path, is_doubled: bool):
    truth, document = report(args, truth_file)
    kernel = next(flow for flow in truth["flows"] if flow["from"] == "snd")
    twin = next(flow for flow in json.loads(twin_file.read_text())["flows"] if flow["from"] == "snd")
    ours = flow_of(document, kernel)
    lifted = LIFTED[truth["configured_cause"]]
    found = next((entry for entry in ours["what_if"] if entry["lifted"] == lifted), None)
    before, after = kernel["mean_throughput_mbit"] * 1e6, sustained(twin)
    row = {"id": truth["id"], "lifted": lifted, "before": before, "after": after, "rate": None, "low": None, "is_doubled": is_doubled,
           "high": None, "next": found and found["next_limit"]}
    if found is None:
        row["rate"] = row["low"] = row["high"] = before
    else:
        most = 2 * before if is_doubled else float("inf")
        if not is_doubled:
            row["low"], row["high"] = found["low_bps"], found["high_bps"] or float("inf")
        row["rate"] = None if found["rate_bps"] is None else min(found["rate_bps"], most)
    return row


def judged(row):
    rate = row["rate"]
    row["close"] = rate is not None and abs(rate / row["after"] - 1) <= 0.2
    is_gain = rate is None or rate >= GAIN * row["before"]
    row["is_told"] = rate is not None or row["is_doubled"] or row["low"] >= 0.999 * row["before"]
    row["sign"] = is_gain == (row["after"] >= GAIN * row["before"]) or not row["is_told"]
    row["covered"] = row["is_doubled"] or (row["low"] is not None and 0.95 * row["low"] <= row["after"] <= 1.05 * row["high"])
    return row


def pairs(spec: str):
    base, twins, suffix = [*spec.split(":"), "+lift"][:3]
    for twin in sorted(Path(twins).glob(f"*{suffix}.truth.json")):
        truth = Path(base) / re.sub(re.escape(suffix) + r"\.truth\.json$", ".truth.json", twin.name)
        if truth.exists():
            yield truth, twin, suffix == "+x2"


def figures(rows) -> dict:
    part = lambda key, of: round(sum(row[key] for row in of) / max(1, len(of)), 4)
    share = lambda key: part(key, rows)
    whole = [row for row in rows if not row["is_doubled"]]
    widths = [row["high"] / row["low"] for row in rows if row["high"] not in (None, float("inf")) and row["low"]]
    told = [row for row in rows if row["is_told"]]
    return {"pairs": len(rows), "close": share("close"), "sign": part("sign", told), "abstained": len(rows) - len(told), "covered": part("covered", whole),
            "bounded": round(len(widths) / max(1, len(whole)), 4),
            "high_over_low_median": round(statistics.median(widths), 3) if widths else None}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", required=True, action="append")
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    work = [job for spec in args.pairs for job in pairs(spec)]
    with ThreadPool() as pool:
        rows = [judged(row) for row in pool.starmap(lambda *job: pair(args, *job), work)]
    for lifted in sorted({row["lifted"] for row in rows}):
        print(f"{lifted:15}", figures([row for row in rows if row["lifted"] == lifted]))
    print(f"{'all':15}", figures(rows))
    mbit = lambda rate: "      -" if rate in (None, float("inf")) else f"{rate / 1e6:7.2f}"
    off = lambda row: 9 if row["rate"] is None else abs(row["rate"] / row["after"] - 1)
    for row in sorted(rows, key=lambda row: (row["sign"], row["close"], row["covered"], -off(row)))[:args.worst]:
        marks = " ".join(name for name in ("close", "sign", "covered") if not row[name])
        print(f"  {row['id']:26} {row['lifted']:14} {mbit(row['before'])} -> {mbit(row['rate'])} ({mbit(row['low'])} to"
              f" {mbit(row['high'])}), got {mbit(row['after'])}  next {row['next']}  {'not ' + marks if marks else ''}")
    return finish(args, figures(rows))


if __name__ == "__main__":
    sys.exit(main())
