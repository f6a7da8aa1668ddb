#!/usr/bin/env python3
"""Checks the named congestion control against the one that the kernel ran.

    score_cca.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

Scored are the flows that could show it: limited by the congestion window most of the time, captured by the sending
host, whole. A class is right for every kernel name that behaves so (CLASSES); scalable and highspeed count as one.
`unknown` is an abstention; so is no answer. Kernel names outside CLASSES (YeAH, Hybla) are right only where none is
named; the figures are also given without them.

right      Right answers over all that were not abstained.
abstained  Abstentions over all scored flows.
told       The same two over the flows with two losses or more (epochs), and over those of group cca.
set        The true class is among the candidates, over all that were not abstained.
"""

import sys
from collections import Counter

from scoring import arguments, finish, sent_flows

# What the kernel's name shows of itself. DCTCP without marks, LP, Westwood and Veno grow as Reno does; NV and CDG hold
# their window by the delay.
CLASSES = {
    "reno": "reno_like", "lp": "reno_like", "westwood": "reno_like", "veno": "reno_like", "cubic": "cubic", "bbr": "bbr", "bic": "bic",
    "htcp": "htcp", "highspeed": "mimd", "scalable": "mimd", "illinois": "illinois", "vegas": "delay_based", "nv": "delay_based",
    "cdg": "delay_based",
}


def classes_of(kernel: dict) -> str:
    """The class that this flow can show."""
    if kernel["cca"] == "dctcp":
        return "dctcp" if kernel["delivered_ce"] else "reno_like"
    return CLASSES.get(kernel["cca"], "none")


def is_whole(truth: dict) -> bool:
    """Nothing was done to the capture, but for an end before the flow's."""
    return all(step["op"] == "trim" and step["start"] < 0 for step in truth.get("post") or [])


def merged(name: str) -> str:
    return "mimd" if name in ("scalable", "highspeed") else name


def figures_of(rows: list) -> dict:
    answered = [row for row in rows if row["told"] != "unknown"]
    return {
        "flows": len(rows),
        "right": round(sum(row["told"] == row["true"] for row in answered) / max(1, len(answered)), 4),
        "abstained": round(1 - len(answered) / max(1, len(rows)), 4),
        "set": round(sum(row["true"] in row["candidates"] for row in answered) / max(1, len(answered)), 4),
    }


def main() -> int:
    args = arguments(__doc__)
    rows = []
    for truth, kernel, ours in sent_flows(args, is_whole):
        if kernel["dominant"] != "cwnd":
            continue
        control = ours["congestion_control"] or {"class": "unknown", "candidates": [], "unknown_reason": "no_epochs"}
        rows.append({
            "id": truth["id"], "group": truth["group"], "cca": kernel["cca"], "true": classes_of(kernel), "told": merged(control["class"]),
            "candidates": [merged(name) for name in control["candidates"]], "why": control["unknown_reason"],
            "losses": ours["episodes"]["losses_count"],
        })
    told = sorted({row["told"] for row in rows} - {"unknown"}) + ["unknown"]
    print(f"{'':12}" + "".join(f"{name[:10]:>11}" for name in told))
    counts = Counter((row["cca"], row["told"]) for row in rows)
    for name in sorted({row["cca"] for row in rows}):
        print(f"{name:12}" + "".join(f"{counts[name, other] or '':>11}" for other in told))
    parts = {"all": rows, "two losses": [row for row in rows if row["losses"] >= 2], "group cca": [row for row in rows if row["group"] == "cca"],
             "of a class": [row for row in rows if row["true"] != "none"]}
    for name, part in parts.items():
        print(f"{name:12}", figures_of(part))
    for row in [row for row in rows if row["told"] not in ("unknown", row["true"])][:args.worst]:
        print(f"  {row['id']:30} is {row['cca']}, told {row['told']}, candidates {row['candidates']}")
    for row in [row for row in rows if row["told"] == "unknown"][:args.worst]:
        print(f"  {row['id']:30} is {row['cca']}, not told: {row['why']}, losses {row['losses']}")
    figures = figures_of(rows)
    figures.update({f"{key}_two_losses": value for key, value in figures_of(parts["two losses"]).items()})
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
