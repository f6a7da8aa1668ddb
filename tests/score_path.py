#!/usr/bin/env python3
"""Checks what is said of the path against the path that the scenario set up.

    score_path.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT] [--real DIR]

Flows on a path that changed while they ran (`events`) are left out, and those against the direction in which it has a rate limit.

capacity   Rate of the bottleneck against the configured one (`bottleneck.rate_mbit`, whole Ethernet frames).
           close      Of the flows that filled the path (`utilization` >= 0.8): those within 3 %; no rate is a miss.
           sure       Of all rates that are told with high or medium confidence: those within 10 %.
           covered    Of these: those whose bounds hold the configured rate.
verdict    The kind of path, against a label made of the truth. Flows of fewer than 20 round trips or 100 packets,
           and flows without a policer that used 70 to 90 % of the path, have none.
           full       The payload of this flow and of those beside it took 90 % of the configured rate while this one
                      had data in flight (`series.unacked`): right is each verdict that says full (own queue, shared,
                      shaped, AQM). Not full: below 70 %; right is `not_full` or `lossy`. `unknown` is a miss.
                      Marked at random (`fwd_ecn`), it is neither.
           policed    The policer dropped something; `policed` elsewhere is a false one.
           lossy      netem lost five packets or more, the path was not full and cwnd the cause; called congested
                      (full, shared, shaped, AQM) it is a false alarm.
           shared     Full, and others took 15 % of the rate or more; a shaper said to be that of several flows is right.
           shaped     Full behind a token bucket of 20 kB or more (`burst`).
           aqm        Full, through an AQM; told apart where it marks (ECN), counted for the rest.
           queue      Median delay against the kernel's (SRTT less its minimum, median over time): within 5 ms or 20 %, on
                      full paths (elsewhere SRTT is delayed ACKs).
real       With --real: captures `usc-*` of others (configured truth in DIR/index.json): policers called policed,
           shapers and random loss called policed, random loss called congested. A policer that dropped nothing (no
           loss in any chunk, by the rows of its authors) shows nothing of itself.
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


def bottleneck(truth, kernel):
    """The rate limit of the flow's own direction in bit/s and what it used of it; None without one. The truth speaks of the one
    towards the receiver."""
    told = kernel.get("bottleneck")
    if not told or told["utilization"] is None:
        return None
    rate = told["rate_mbit"] if kernel["from"] == "snd" else truth["path"].get("rev_rate_mbit")
    return (1e6 * rate, told["utilization"] * told["rate_mbit"] / rate) if rate else None


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


FULL = {"bottleneck_full", "shared", "shaped", "aqm_or_ecn"}


def in_flight_s(kernel) -> float:
    """Seconds with data in flight, by the polls of TCP_INFO."""
    at, unacked = (kernel["series"]["columns"].index(name) for name in ("t_ms", "unacked"))
    rows = kernel["series"]["rows"]
    seconds = sum((b[at] - a[at]) / 1e3 for a, b in zip(rows, rows[1:]) if a[unacked] > 0)
    return max(1e-3, min(seconds, kernel["busy_s"]) if seconds else kernel["busy_s"])


def beside(truth, kernel) -> float:
    """What other flows of the same direction took of the path while this one ran, of its rate."""
    start, end = kernel["window_ns"]
    taken = 0.0
    for other in truth["flows"]:
        if other is kernel or other["from"] != kernel["from"] or not bottleneck(truth, other):
            continue
        low, high = other["window_ns"]
        common = max(0, min(end, high) - max(start, low)) / max(1, high - low)
        taken += common * bottleneck(truth, other)[1] * other["duration_s"] / max(1e-3, kernel["duration_s"])
    return taken


def label(truth, kernel):
    """What the path was: a dict of facts, or None."""
    limit, path, drops = bottleneck(truth, kernel), truth["path"], truth["drops"]
    if not limit or not kernel["rtt_us"]:
        return None
    if kernel["duration_s"] < 20 * kernel["min_rtt_us"] / 1e6 or kernel["data_segs_out"] < 100:
        return None
    own, others = limit[1] * kernel["duration_s"] / in_flight_s(kernel), beside(truth, kernel)
    used = own + others
    return {
        "policed": drops["policer"] > 0,
        "full": None if drops["policer"] or path.get("fwd_ecn") else True if used >= 0.9 else False if used < 0.7 else None,
        "lossy": drops["random_loss"] >= 5 and used < 0.7 and not path.get("fwd_ecn") and kernel["dominant"] == "cwnd",
        "shared": used >= 0.9 and others >= 0.15,
        "shaped": used >= 0.9 and path.get("burst", 0) >= 20000,
        "aqm": used >= 0.9 and bool(path.get("aqm")),
        "ecn": kernel["tcp_info_final"].get("delivered_ce", 0) > 0,
    }


def queue_close(kernel, ours):
    """Whether the median delay is the kernel's; None where either does not tell."""
    queueing = ours["path"]["queueing"]
    if not queueing or ours["vantage"] != "sender" or kernel["data_segs_out"] < 100:
        return None
    true = max(0, kernel["rtt_us"]["p50"] - kernel["min_rtt_us"])
    return abs(queueing["p50_us"] - true) <= max(5000, 0.2 * true)


def verdicts(rows, worst: int) -> dict:
    """Rows of name, label, the tool's verdict, whether its queue is close, and whether it names a shaper of several flows."""
    of = lambda name: [row for row in rows if row[1][name]]
    told = [row for row in rows if row[1]["full"] is not None]
    wrong = [row for row in told if (row[2] in FULL) != row[1]["full"] or row[2] in ("unknown", "policed")]
    policed, lossy, shared, shaped, aqm = (of(name) for name in ("policed", "lossy", "shared", "shaped", "aqm"))
    marked = [row for row in aqm if row[1]["ecn"]]
    false_policed = [row for row in rows if row[2] == "policed" and not row[1]["policed"]]
    queues = [row[3] for row in rows if row[1]["full"] and row[3] is not None]
    right = lambda part, name: ratio(sum(row[2] == name for row in part), len(part))
    shared_right = ratio(sum(row[2] == "shared" or row[4] for row in shared), len(shared))
    figures = {
        "full_told": len(told),
        "full_right": ratio(len(told) - len(wrong), len(told)),
        "policed": len(policed), "policed_right": right(policed, "policed"), "policed_false": len(false_policed),
        "lossy": len(lossy), "lossy_right": right(lossy, "lossy"),
        "loss_called_congestion": sum(row[2] in FULL for row in lossy),
        "shared": len(shared), "shared_right": shared_right,
        "shaped": len(shaped), "shaped_right": right(shaped, "shaped"),
        "ecn": len(marked), "ecn_right": right(marked, "aqm_or_ecn"), "aqm_right": right(aqm, "aqm_or_ecn"),
        "queue_close": ratio(sum(queues), len(queues)),
    }
    for row in [*wrong, *false_policed, *(row for row in policed if row[2] != "policed")][:worst]:
        print(f"  {row[0]:34} {row[2]:16}", {name: fact for name, fact in row[1].items() if fact is not None})
    return figures


def has_dropped(truth) -> bool:
    """Whether the authors counted a loss: the fifth column of a chunk's row."""
    return any(int(row.split(",")[4]) for row in truth["authors_detector_rows"])


def real(args) -> dict:
    """The labelled captures of others."""
    policers, others, losses = [], [], []
    for entry in json.loads((args.real / "index.json").read_text()):
        name = entry["file"]
        if not name.startswith("usc-"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            pcap = unpacked(args.real / name, folder)
            done = subprocess.run(args.cmd.replace("{pcap}", str(pcap)), shell=True, capture_output=True, check=False)
        flow = max(json.loads(done.stdout)["flows"], key=lambda flow: flow["payload_bytes"])
        verdict = flow["path"]["verdict"]
        print(f"  {name:44} {verdict:16}", flow["path"]["policer"] or flow["path"]["shaper"] or "")
        if "policer" in name and not has_dropped(entry["truth"]):
            continue
        (policers if "policer" in name else losses if "loss" in name else others).append(verdict)
    return {
        "real_policed": len(policers),
        "real_policed_right": ratio(policers.count("policed"), len(policers)),
        "real_policed_false": (others + losses).count("policed"),
        "real_loss_called_congestion": sum(verdict in FULL for verdict in losses),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True, type=Path)
    parser.add_argument("--cmd", required=True)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--real", type=Path)
    args = parser.parse_args()
    rates, kinds = [], []
    for truth, kernel, ours in pairs(args):
        limit, name = bottleneck(truth, kernel), f"{truth['id']} {kernel['flow']}"
        if limit:
            rates.append((name, limit[1], limit[0], ours["path"]["capacity"]))
        if facts := label(truth, kernel):
            is_shared_shaper = (ours["path"]["shaper"] or {}).get("flows", 1) > 1
            kinds.append((name, facts, ours["path"]["verdict"], queue_close(kernel, ours), is_shared_shaper))
    figures = {**capacity(rates, args.worst), **verdicts(kinds, args.worst)}
    if args.real:
        figures |= real(args)
    print(figures)
    if args.json:
        args.json.write_text(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
