#!/usr/bin/env python3
"""Checks the shadow of the congestion window against the kernel's `snd_cwnd`.

    score_cwnd.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

error      At each sample of the truth's series in which the window was in use (packets out >= cwnd - 2, not in
           a bbr flow, whose window is seldom the limit) and for which the tool gives a value: the distance of
           its best estimate, in percent of cwnd and in segments. A flow's error is the median of these.
covered    Share of those samples between the tool's low and high.
width      high - low in percent of cwnd, median over the samples.
said       Share of those samples for which the tool gives a value.
exit       Slow-start exit: the first time that ssthresh is set, within two mean RTTs of the tool's, over the flows
           whose limit is the congestion window most of the time. One that the tool does not tell is a miss.
"""

import bisect
import statistics
import sys

from scoring import arguments, finish, sent_flows


def samples(kernel: dict, ours: dict):
    """(error share, error segments, is covered, width share) of each used sample; `None` where the tool is silent."""
    column = {name: index for index, name in enumerate(kernel["series"]["columns"])}
    points = (ours["cwnd"] or {}).get("series", [])
    times = [point["t_s"] for point in points]
    for row in kernel["series"]["rows"]:
        cwnd = row[column["cwnd"]]
        if not cwnd or row[column["unacked"]] < cwnd - 2:
            continue
        time = row[column["t_ms"]] / 1e3
        index = bisect.bisect_right(times, time) - 1
        point = points[index] if index >= 0 else None
        if point is None or point["best_bytes"] is None:
            yield None
            continue
        best, low, high = (point[name] / kernel["snd_mss"] for name in ("best_bytes", "low_bytes", "high_bytes"))
        yield abs(best - cwnd) / cwnd, abs(best - cwnd), low <= cwnd + 0.5 and cwnd - 0.5 <= high, (high - low) / cwnd


def exit_is_close(kernel: dict, ours: dict):
    """Whether the exit is within two RTTs; `None` where there is none to tell."""
    if kernel["slow_start_exit_ms"] is None or kernel["dominant"] != "cwnd" or kernel["cca"] == "bbr" or not kernel["rtt_us"]:
        return None
    told = (ours["cwnd"] or {}).get("slow_start_exit_s")
    return told is not None and abs(told - kernel["slow_start_exit_ms"] / 1e3) <= 2 * kernel["rtt_us"]["mean"] / 1e6


def main() -> int:
    args = arguments(__doc__)
    flows, exits = [], []
    for truth, kernel, ours in sent_flows(args):
        exits.append((truth["id"], exit_is_close(kernel, ours), kernel["slow_start_exit_ms"],
                      (ours["cwnd"] or {}).get("slow_start_exit_s"), (ours["cwnd"] or {}).get("slow_start_exit_cause")))
        if kernel["cca"] != "bbr":
            used = list(samples(kernel, ours))
            said = [sample for sample in used if sample]
            # A few polls of a flow that another limit holds tell of chance.
            if len(used) >= 10:
                flows.append((truth["id"], used, said))
    medians = [(name, statistics.median(s[0] for s in said), statistics.median(s[1] for s in said)) for name, _, said in flows if said]
    every = [sample for _, _, said in flows for sample in said]
    judged = [close for _, close, *_ in exits if close is not None]
    figures = {
        "flows": len(flows),
        "error_median": round(statistics.median(share for _, share, _ in medians), 4),
        "flows_close": round(sum(share <= 0.03 or segments <= 1 for _, share, segments in medians) / len(flows), 4),
        "covered": round(sum(s[2] for s in every) / len(every), 4),
        "width_median": round(statistics.median(s[3] for s in every), 4),
        "said": round(len(every) / sum(len(used) for _, used, _ in flows), 4),
        "exits": len(judged),
        "exits_close": round(sum(judged) / len(judged), 4),
    }
    print(figures)
    for name, share, segments in sorted(medians, key=lambda item: -item[1])[:args.worst]:
        said = next(said for other, _, said in flows if other == name)
        used = next(used for other, used, _ in flows if other == name)
        print(f"  {name:34} error {100 * share:.1f} % {segments:.1f} segments, covered {sum(s[2] for s in said) / len(said):.2f}, "
              f"said {len(said)} of {len(used)}")
    for name, close, kernel, ours, cause in [row for row in exits if row[1] is False][:args.worst]:
        print(f"  {name:34} exit {kernel} ms, told {ours} s ({cause})")
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
