#!/usr/bin/env python3
"""Scores the default method and the 2007 paper's against the kernel's own account."""

import sys
import json
import subprocess
import tempfile
from pathlib import Path

from checks import PROGRAM, ROOT, corpus, hold

CAUSES = ("rwnd", "sndbuf", "cwnd", "app")


def score(title: str, args: str, score_map: str, truth: Path) -> dict:
    """Prints score.py's table and confusion matrix; returns its JSON."""
    print(f"\n--- {title}", flush=True)
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            [sys.executable, truth.parent.parent / "testbed/score.py", "--truth", truth, "--map", ROOT / "tests" / score_map,
             "--cmd", f"{PROGRAM} analyze --json {args} {{pcap}}", "--json", out.name, "--worst", "10"], check=True)
        return json.load(out)


def figures(title: str, script: str, truth: Path, *more) -> dict:
    """Runs a check of tests/; returns its figures."""
    print(f"\n--- {title}", flush=True)
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            [sys.executable, ROOT / "tests" / script, "--truth", truth, "--cmd", f"{PROGRAM} analyze --json {{pcap}}",
             "--json", out.name, "--worst", "5", *more], check=True)
        return json.load(out)


def dominant_balanced(rows: list) -> float:
    """Mean of the causes' recalls, by the largest share: the 2007 method gives no headline."""
    recalls = []
    for cause in CAUSES:
        mine = [row for row in rows if row["true_dominant"] == cause]
        right = [row.get("dominant") in row.get("accept", [cause]) for row in mine]
        recalls.append(sum(right) / len(right))
    return sum(recalls) / len(recalls)


def is_one_sided(truth: Path, flow: str) -> bool:
    """Whether one direction was taken out of the capture: nothing is known then, and the ranges say so."""
    post = json.loads((truth / f"{flow}.truth.json").read_text()).get("post") or []
    return any(step["op"] == "onedir" for step in post)


def range_width(rows: list, truth: Path) -> float:
    """Mean width of the shares' ranges, points, of what was captured both ways."""
    widths = [row["range_width"] for row in rows if "range_width" in row and not is_one_sided(truth, row["id"])]
    return sum(widths) / len(widths)


def main() -> int:
    truth = corpus() / "open"
    ours = score("default method", "", "score-map.json", truth)
    paper = score("--method lu2007, the baseline", "--method lu2007", "score-map-lu2007.json", truth)
    report, everything = ours["report"], ours["report"]["all"]
    ours_balanced, paper_balanced = dominant_balanced(ours["rows"]), dominant_balanced(paper["rows"])
    print(f"\nby largest share, mean of the four recalls: default {ours_balanced:.3f}, lu2007 {paper_balanced:.3f}")
    print(f"share vector, mean total variation: default {everything.get('tv_mean')} points, "
          f"lu2007 {paper['report']['all'].get('tv_mean')} points\n")
    recalls = everything.get("headline_recall", {})
    sender = figures("retransmissions by class, spurious ones, RTT samples", "score_sender.py", truth)
    oddities = figures("captures damaged as capturing does", "score_oddities.py", truth)
    buffers = figures("buffers that limit", "score_buffers.py", truth)
    cwnd = figures("shadow of the congestion window", "score_cwnd.py", truth)
    vantage = figures("captures from the receiver and from the way", "score_vantage.py", truth)
    elsewhere = [vantage[place] for place in ("receiver", "middle")]
    cca = figures("congestion control", "score_cca.py", truth)
    path = figures("the path", "score_path.py", truth, "--real", truth.parent / "real/open")
    return hold({
        "accuracy.found_share": report["found"] / report["flows"],
        "accuracy.headline_balanced": everything.get("headline_balanced"),
        "accuracy.headline_recall_least": min(recalls.get(cause, 0.0) for cause in CAUSES),
        "accuracy.high_confidence_share": everything.get("high_confidence"),
        "accuracy.confidently_wrong": everything.get("headline_wrong_high_confidence"),
        "accuracy.tv_mean": everything.get("tv_mean"),
        "accuracy.tv_p95": everything.get("tv_p95"),
        "accuracy.range_covers_share": everything.get("covered_mean"),
        "accuracy.range_width_points": range_width(ours["rows"], truth),
        "accuracy.one_sided_verdicts": sum(
            row["headline"] in CAUSES for row in ours["rows"] if is_one_sided(truth, row["id"])),
        "accuracy.timeline_points": everything.get("tl_mean"),
        "accuracy.retrans_exact_sender": everything.get("retrans_exact_sender"),
        "accuracy.rtt_close_sender": everything.get("rtt_close_sender"),
        "accuracy.retrans_class_difference": sender["class_difference"],
        "accuracy.dsack_agreement": sender["dsack_agreement"],
        "accuracy.spurious_agreement": sender["spurious_agreement"],
        "accuracy.rounds_sampled": sender["rounds_sampled"],
        "accuracy.cwnd_error_median": cwnd["error_median"],
        "accuracy.cwnd_flows_close": cwnd["flows_close"],
        "accuracy.cwnd_covered": cwnd["covered"],
        "accuracy.cwnd_width_median": cwnd["width_median"],
        "accuracy.cwnd_said": cwnd["said"],
        "accuracy.slow_start_exits_close": cwnd["exits_close"],
        "accuracy.send_buffers_held": buffers["send_held"],
        "accuracy.receive_buffers_held": buffers["receive_held"],
        "accuracy.capacity_close": path["capacity_close"],
        "accuracy.capacity_sure_within_10": path["capacity_sure_within_10"],
        "accuracy.capacity_covered": path["capacity_covered"],
        "accuracy.capacity_sure": path["capacity_sure"],
        "accuracy.congestion_control_right": cca["right"],
        "accuracy.congestion_control_abstained_two_losses": cca["abstained_two_losses"],
        "accuracy.path_full_right": path["full_right"],
        "accuracy.path_shared_right": path["shared_right"],
        "accuracy.path_policed_right": path["policed_right"],
        "accuracy.path_policed_false": path["policed_false"] + path["real_policed_false"],
        "accuracy.path_policed_right_real": path["real_policed_right"],
        "accuracy.path_lossy_right": path["lossy_right"],
        "accuracy.path_loss_called_congestion": path["loss_called_congestion"] + path["real_loss_called_congestion"],
        "accuracy.path_ecn_right": path["ecn_right"],
        "accuracy.path_queue_close": path["queue_close"],
        "accuracy.damaged_sure_and_wrong": oddities["sure_and_wrong"],
        "accuracy.damaged_right": oddities["right"],
        "accuracy.vantage_right": vantage["vantage_right"],
        "accuracy.elsewhere_right_least": min(place["right"] for place in elsewhere),
        "accuracy.elsewhere_as_sender_least": min(place["as_sender"] for place in elsewhere),
        "accuracy.elsewhere_points_from_sender": max(place["points_from_sender"] for place in elsewhere),
        "accuracy.elsewhere_sure_and_wrong": sum(place["sure_and_wrong"] for place in elsewhere),
        "accuracy.lead_over_lu2007_points": 100 * (ours_balanced - paper_balanced),
    })


if __name__ == "__main__":
    sys.exit(main() > 0)
