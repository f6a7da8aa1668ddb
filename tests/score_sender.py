#!/usr/bin/env python3
"""Checks the sender stage's classes and samples against the kernel's counters.

    score_sender.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

classes    Retransmissions of all flows that a host sent against its `nstat_snd`, which counts the whole
           namespace: fast = TCPFastRetrans, go-back-N = TCPSlowStartRetrans (all after a timeout but its
           first segment), timeouts = TCPTimeouts, probes = TCPLossProbes. Sum of the absolute differences over
           the sum of the counters. Only captures that the sending host made whole, without trimming.
spurious   Of the D-SACKs that the kernel counted (`dsack_dups`), how many segments the tool calls sent again
           needlessly: sum of the absolute differences over the sum, where the receiver uses SACK.
rtt        Round trips that gave an RTT sample, over all round trips; and flows in which 95 % of them did.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

COUNTERS = {"fast": "TCPFastRetrans", "go_back_n": "TCPSlowStartRetrans", "timeouts": "TCPTimeouts", "probes": "TCPLossProbes"}


def unpacked(path: Path, folder: str) -> Path:
    """The capture without its compression, which not every build reads."""
    out = Path(folder) / path.stem
    command = {".zst": ["zstd", "-qdc"], ".gz": ["gzip", "-dc"]}[path.suffix]
    with open(out, "wb") as file:
        subprocess.run([*command, str(path)], stdout=file, check=True)
    return out


def report(args, truth_file: Path):
    truth = json.loads(truth_file.read_text())
    capture = truth["captures"].get("snd")
    if capture is None or truth["primary"] != "snd" or truth.get("post"):
        return truth, None
    with tempfile.TemporaryDirectory() as folder:
        pcap = unpacked(truth_file.parent / capture["file"], folder)
        done = subprocess.run(args.cmd.replace("{pcap}", str(pcap)), shell=True, capture_output=True, check=False)
    return truth, json.loads(done.stdout)


def flow_of(document, truth_flow):
    for flow in document["flows"]:
        if (flow["src"]["ip"], flow["src"]["port"]) == (truth_flow["src"], truth_flow["sport"]) and \
                flow["dst"]["port"] == truth_flow["dport"]:
            return flow
    return None


def classes(truth, flows) -> dict:
    """Ours and the kernel's, by counter."""
    total = dict.fromkeys(COUNTERS, 0)
    for flow in flows:
        parts = flow["retransmissions"]
        total["fast"] += parts["fast_segments"]
        total["timeouts"] += parts["timeouts"]
        # The handshake's segments were all sent by timeouts; so was the first of each burst.
        total["go_back_n"] += parts["timeout_segments"] + parts["handshake_segments"] - parts["timeouts"]
        total["probes"] += parts["loss_probe_segments"] + parts["loss_probes_of_new_data"]
    return {name: (total[name], truth["nstat_snd"].get(counter, 0)) for name, counter in COUNTERS.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True, type=Path)
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with ThreadPool() as pool:
        results = pool.map(lambda file: report(args, file), sorted(args.truth.glob("*.truth.json")))
    rows, spurious, sampled = [], [], []
    for truth, document in results:
        if document is None:
            continue
        pairs = [(flow, flow_of(document, flow)) for flow in truth["flows"] if flow["from"] == "snd"]
        if any(ours is None for _, ours in pairs):
            continue
        rows.append((truth["id"], classes(truth, [ours for _, ours in pairs])))
        for kernel, ours in pairs:
            # Without SACK (bit 1 of tcpi_options) there is no D-SACK to count.
            if kernel["tcp_info_final"]["options"] & 2:
                spurious.append((truth["id"], ours["retransmissions"]["spurious_segments"], kernel["dsack_dups"]))
            if ours["rtt"] and ours["rtt"].get("rounds"):
                sampled.append((truth["id"], ours["rtt"]["rounds_sampled"], ours["rtt"]["rounds"]))
    difference = sum(abs(a - b) for _, row in rows for a, b in row.values())
    total = sum(b for _, row in rows for _, b in row.values())
    for name in COUNTERS:
        ours, kernel = (sum(row[name][side] for _, row in rows) for side in (0, 1))
        off = sum(abs(row[name][0] - row[name][1]) for _, row in rows)
        print(f"{name:10} ours {ours:7} kernel {kernel:7} sum of differences {off}")
    spurious_off = sum(abs(a - b) for _, a, b in spurious)
    spurious_total = sum(b for _, _, b in spurious)
    figures = {
        "scenarios": len(rows),
        "class_difference": round(difference / max(1, total), 4),
        "spurious_agreement": round(1 - spurious_off / max(1, spurious_total), 4),
        "rounds_sampled": round(sum(have for _, have, _ in sampled) / max(1, sum(rounds for _, _, rounds in sampled)), 4),
        "flows_well_sampled": round(sum(have >= 0.95 * rounds for _, have, rounds in sampled) / max(1, len(sampled)), 4),
    }
    print(figures)
    for name, row in sorted(rows, key=lambda item: -sum(abs(a - b) for a, b in item[1].values()))[:args.worst]:
        print(f"  {name:34}", row)
    for name, ours, kernel in sorted(spurious, key=lambda item: -abs(item[1] - item[2]))[:args.worst]:
        print(f"  {name:34} spurious ours {ours} kernel {kernel}")
    for name, have, rounds in sorted(sampled, key=lambda item: item[1] / item[2])[:args.worst]:
        print(f"  {name:34} rounds {rounds} with a sample {have}")
    if args.json:
        args.json.write_text(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
