#!/usr/bin/env python3
"""Checks what is said of the path against the path that the scenario set up.

    score_path.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

Flows on a path that changed while they ran (`events`) are left out.

capacity   Rate of the bottleneck against the configured one (`bottleneck.rate_mbit`, whole Ethernet frames).
           close      Of the flows that filled the path (`utilization` >= 0.8): those within 3 %; no rate is a miss.
           sure       Of all rates that are told with high or medium confidence: those within 10 %.
           covered    Of these: those whose bounds hold the configured rate.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

from score_sender import flow_of, unpacked

# As score.py: whoever uses less did not fill the path.
FILLED = 0.8


def report(args, truth_file: Path):
    """The truth, and the tool's report on the primary capture."""
    truth = json.loads(truth_file.read_text())
    with tempfile.TemporaryDirectory() as folder:
        pcap = unpacked(truth_file.parent / truth["captures"][truth["primary"]]["file"], folder)
        done = subprocess.run(args.cmd.replace("{pcap}", str(pcap)), shell=True, capture_output=True, check=False)
    return truth, json.loads(done.stdout)


def pairs(args):
    """Truth, the kernel's flow and ours, for each flow on a steady path."""
    with ThreadPool() as pool:
        results = pool.map(lambda file: report(args, file), sorted(args.truth.glob("*.truth.json")))
    for truth, document in results:
        for kernel in truth["flows"]:
            ours = flow_of(document, kernel)
            if ours is not None and not truth["events"]:
                yield truth, kernel, ours


def ratio(good: int, total: int):
    return round(good / total, 4) if total else None


def capacity(rows, worst: int) -> dict:
    """Rows of name, utilization, configured rate in bit/s and the tool's capacity or None."""
    error = lambda row: abs(row[3]["bps"] / row[2] - 1) if row[3] else 1.0
    filled = [row for row in rows if row[1] >= FILLED]
    sure = [row for row in rows if row[3] and row[3]["confidence"] != "low"]
    covered = [row for row in sure if row[3]["low_bps"] <= row[2] <= row[3]["high_bps"]]
    print(f"capacity   filled {len(filled)}, sure {len(sure)}, told for {sum(row[3] is not None for row in rows)} of {len(rows)}")
    for row in sorted({id(row): row for row in filled + sure}.values(), key=error, reverse=True)[:worst]:
        told = f"{row[3]['bps'] / 1e6:.3f}, {row[3]['method']}, {row[3]['confidence']}" if row[3] else "nothing"
        print(f"  {row[0]:34} is {row[2] / 1e6:g} Mbit/s, used {row[1]:.2f}, told {told}")
    return {
        "capacity_filled": len(filled),
        "capacity_close": ratio(sum(error(row) <= 0.03 for row in filled), len(filled)),
        "capacity_sure": len(sure),
        "capacity_sure_within_10": ratio(sum(error(row) <= 0.1 for row in sure), len(sure)),
        "capacity_covered": ratio(len(covered), len(sure)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True, type=Path)
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rates = []
    for truth, kernel, ours in pairs(args):
        bottleneck = kernel.get("bottleneck")
        if bottleneck and bottleneck["utilization"] is not None:
            name = f"{truth['id']} {kernel['flow']}"
            rates.append((name, bottleneck["utilization"], 1e6 * bottleneck["rate_mbit"], ours["path"]["capacity"]))
    figures = capacity(rates, args.worst)
    print(figures)
    if args.json:
        args.json.write_text(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
