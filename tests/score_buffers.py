#!/usr/bin/env python3
"""Checks the estimated buffers against the kernel's and against what the scenario set.

    score_buffers.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

send       `sk_sndbuf` (its largest; where the scenario sets another in mid-flow, the one under which the buffer
           limited longest) lies between the tool's bounds, over the flows in which the tool gives them.
receive    SO_RCVBUF, doubled by the kernel, lies between the tool's bounds, over the flows that set it; and such a
           window is called fixed, or grown up to a bound.
"""

import statistics
import sys

from scoring import arguments, finish, sent_flows


def send_buffer(kernel: dict) -> float:
    """`sk_sndbuf`; of several set in turn (the kernel doubles them), the one that limited longest."""
    timeline = kernel["timeline"]
    column = timeline["columns"].index("sndbuf")
    sets = [(ms, 2 * float(op.split(":")[1])) for ms, side, op in kernel["app_ops"] if side == "tx" and op.startswith("sndbuf:")]
    if not sets:
        return kernel["sk_sndbuf"]["max"]
    time = {}
    for number, row in enumerate(timeline["rows"]):
        before = [size for ms, size in sets if ms <= number * timeline["bin_ms"]]
        size = before[-1] if before else 2 * (kernel["config"].get("sndbuf") or 0)
        time[size] = time.get(size, 0.0) + row[column]
    return max(time, key=time.get)


def main() -> int:
    args = arguments(__doc__)
    send, receive = [], []
    for truth, kernel, ours in sent_flows(args):
        if ours["send_buffer"] and kernel["sk_sndbuf"]:
            size, bounds = send_buffer(kernel), ours["send_buffer"]
            send.append((truth["id"], size, bounds["size_low_bytes"], bounds["size_high_bytes"]))
        size = 2 * (kernel["config"].get("rcvbuf") or 0)
        if ours["receive_buffer"] and size and not truth["events"]:
            bounds = ours["receive_buffer"]
            receive.append((truth["id"], size, bounds["size_low_bytes"], bounds["size_high_bytes"], bounds["growth"]))
    holds = lambda row: row[2] <= row[1] <= row[3]
    figures = {
        "send_flows": len(send),
        "send_held": round(sum(map(holds, send)) / max(1, len(send)), 4),
        "receive_flows": len(receive),
        "receive_held": round(sum(map(holds, receive)) / max(1, len(receive)), 4),
        "receive_bounded": round(sum(row[4] != "growing" for row in receive) / max(1, len(receive)), 4),
        "receive_ratio_median": round(statistics.median(row[1] / row[2] for row in receive), 3) if receive else None,
    }
    print(figures)
    for row in [row for row in [*send, *receive] if not holds(row)][:args.worst]:
        print(f"  {row[0]:34} is {row[1]:.0f}, told {row[2]:.0f} to {row[3]:.0f}", *row[4:])
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
