#!/usr/bin/env python3
"""Runs the program over every capture there is: no crash, no hang, bounded memory, the exit
status of the table, a well-formed report, shares that sum to 1, figures within their ranges."""

import json
import sys
from pathlib import Path

from checks import ROOT, corpus, hold, parallel, run

LIMITS = ("receive_window", "send_buffer", "congestion_window", "application", "handshake_close", "capture_gap", "unknown")


def main() -> int:
    root = corpus()
    expected = hostile_statuses()
    files = [p for d in ("open", "real/open", "hostile/open/made", "hostile/open/real") for p in sorted((root / d).iterdir())
             if p.is_file() and p.suffix not in (".json", ".md")]
    rows = parallel(lambda path: examine(path, expected), files)
    for row in rows:
        for fault in row["faults"]:
            print("fault", row["file"], fault)
    hostile = [row for row in rows if row["is_hostile"]]
    count = lambda kind: sum(fault.startswith(kind) for row in rows for fault in row["faults"])
    for what in ("seconds", "memory_mib"):
        worst = max(rows, key=lambda row: row[what])
        print(f"most {what}: {worst[what]:.2f} {worst['file']}")
    print()
    return hold({
        "robustness.files": len(rows),
        "robustness.signals_or_panics": count("crash"),
        "robustness.hostile_seconds_max": max(row["seconds"] for row in hostile),
        "robustness.memory_mib_max": max(row["memory_mib"] for row in rows),
        "robustness.unexpected_exit_statuses": count("status"),
        "robustness.malformed_reports": count("report"),
        "robustness.share_sum_errors": count("shares"),
        "robustness.range_errors": count("range"),
    })


def examine(path: Path, expected: dict) -> dict:
    result = run("analyze", "--json", path)
    name = f"{path.parent.name}/{path.name}"
    is_hostile = "hostile" in path.parts
    wanted = expected.get(name) if is_hostile else 0
    faults = []
    if result.is_crash:
        faults.append(f"crash: status {result.status}, {result.err[-200:]!r}")
    elif result.status != wanted:
        faults.append(f"status {result.status}, expected {wanted}: {result.err.strip()[-200:]!r}")
    if result.status in (0, 4):
        faults += report_faults(result.out)
    return {"file": name, "is_hostile": is_hostile, "faults": faults, "seconds": result.seconds, "memory_mib": result.memory_mib}


def report_faults(document: bytes) -> list:
    try:
        flows = json.loads(document)["flows"]
    except (ValueError, KeyError, TypeError) as error:
        return [f"report: {error!r}"]
    faults = []
    for flow in flows:
        total = sum(flow["limits"][limit]["share"] for limit in LIMITS)
        if abs(total - 1) > 5e-6:  # seven shares of six digits each
            faults.append(f"shares of stream {flow['stream']} sum to {total}")
        faults += [f"range of {name} in stream {flow['stream']}: {figures}" for name, figures in ranges(flow) if not ascends(figures)]
    return faults


def ranges(flow: dict):
    """Names and, from the least to the most, what is told with its range."""
    for limit in LIMITS:
        share = flow["limits"][limit]
        yield limit, [share["share_low"], share["share"], share["share_high"]]
    for lifted in flow["what_if"] or []:
        yield f"what_if {lifted['lifted']}", [lifted["low_bps"], lifted["rate_bps"], lifted["high_bps"]]
    for point in (flow["cwnd"] or {}).get("series") or []:
        yield "cwnd", [point["low_bytes"], point["best_bytes"], point["high_bytes"]]
    if capacity := (flow["path"] or {}).get("capacity"):
        yield "capacity", [capacity["low_bps"], capacity["bps"], capacity["high_bps"]]
    if rtt := flow["rtt"]:
        yield "mean RTT", [rtt["min_us"], rtt["mean_us"]]
        yield "RTT", [rtt["min_us"], rtt["p50_us"], rtt["p95_us"]]
    duration = flow["duration_s"]
    episodes = flow["episodes"]
    times = [episode["end_s"] for kind in ("stalls", "losses", "zero_windows") for episode in episodes[kind]]
    times += [point["t_s"] for point in ((flow["path"] or {}).get("queueing") or {}).get("series") or []]
    yield "times", [max(times, default=0), duration]
    time = sum(flow["limits"][limit]["time_s"] for limit in LIMITS)
    yield "limits' time", [time - 4e-6, duration]  # eight times, each told to a microsecond
    starts = [interval["start_s"] for interval in flow["intervals"]]
    ends = [interval["end_s"] for interval in flow["intervals"]]
    yield "intervals", [time for pair in zip(starts, ends) for time in pair]
    yield "repairs", [sum(loss["segments"] for loss in flow["episodes"]["losses"]), flow["retransmitted_segments"]]


def ascends(figures: list) -> bool:
    known = [figure for figure in figures if figure is not None]
    return known == sorted(known)


def hostile_statuses() -> dict:
    """tests/hostile-status.tsv: file, exit status, reason."""
    lines = (ROOT / "tests/hostile-status.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: int(row[1]) for row in rows if row[1].isdigit()}


if __name__ == "__main__":
    sys.exit(main() > 0)
