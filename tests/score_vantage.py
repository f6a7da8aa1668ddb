#!/usr/bin/env python3
"""Checks what is said of captures taken at the receiver or on the way, against the kernel and the sender's capture.

    score_vantage.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

By place, the sender's, the receiver's or on the way, as a direction of a connection sees it:

vantage       Directions with data whose place is told rightly, in all captures; `vantage_wrong` counts those told to
              be elsewhere, the rest is unknown. What follows is of whole captures, and where there is one that is not
              the sender's.
headline      Flows with one true cause whose headline names it (recalls by cause, their mean), and how many are
              sure and wrong.
as_sender     The same headline as at the sender's tap of the same flow.
points        Distance of the four shares (total variation): from the truth, and from the sender's tap.
"""

import json
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from scoring import arguments, finish, flow_of, for_each_truth, run, unpacked

CAUSES = {"rwnd": "receive_window", "sndbuf": "send_buffer", "cwnd": "congestion_window", "app": "application"}


def reports(args, truth_file: Path):
    """The truth, and the tool's report for each place that has a capture."""
    truth = json.loads(truth_file.read_text())
    places = {place: capture["file"] for place, capture in truth["captures"].items()}
    documents = {}
    for place, name in places.items():
        with tempfile.TemporaryDirectory() as folder:
            documents[place] = run(args.cmd, unpacked(truth_file.parent / name, folder))
    return truth, documents


def vantage_at(place: str, sender: str) -> str:
    """What a capture of `place` is for data that `sender` sends."""
    return "middle" if place == "mid" else "sender" if place == sender else "receiver"


def dominant(shares: dict) -> str:
    """The rule of the truth files: the largest share if it is >= 0.5 or leads by >= 0.2."""
    (first, cause), (second, _) = sorted(((share, cause) for cause, share in shares.items()), reverse=True)[:2]
    return cause if first >= 0.5 or first - second >= 0.2 else "mixed"


def distance(one: dict, other: dict, merge=()) -> float:
    """Total variation of two share vectors in points, what is none of the four counted as one more; `merge` as one cause."""
    off = [one[cause] - other[cause] for cause in CAUSES if cause not in merge]
    off += [sum(one[cause] - other[cause] for cause in merge), sum(one.values()) - sum(other.values())]
    return 50 * sum(map(abs, off))


def rows_of(truth: dict, documents: dict, doubtful: dict) -> list:
    """One row per direction and place."""
    rows = []
    for flow in truth["flows"]:
        doubt = doubtful.get((truth["id"], flow["flow"]), {})
        true_shares = {cause: flow["shares"][cause] for cause in CAUSES}
        accept = doubt.get("accept", [dominant(true_shares)])
        merge = doubt.get("merge", ())
        found = {place: flow_of(document, flow) for place, document in documents.items()}
        at_sender = found.get(flow["from"])
        for place, ours in found.items():
            if ours is None:
                continue
            shares = {cause: ours["limits"][name]["share"] for cause, name in CAUSES.items()}
            row = {"id": truth["id"], "from": flow["from"], "place": vantage_at(place, flow["from"]), "vantage": ours["vantage"],
                   "accept": accept, "headline": ours["verdict"]["limit"], "confidence": ours["verdict"]["confidence"],
                   "true_shares": true_shares, "shares": shares, "points": distance(shares, true_shares, merge),
                   "post": truth.get("post", []), "is_judged": not truth.get("post") and set(documents) != {"snd"}}
            if at_sender is not None and at_sender is not ours:
                row["as_sender"] = at_sender["verdict"]["limit"] == row["headline"]
                row["from_sender"] = distance(shares, {cause: at_sender["limits"][name]["share"] for cause, name in CAUSES.items()})
            row["right"] = row["headline"] in [CAUSES.get(cause) for cause in accept]
            row["is_sure"] = row["confidence"] == "high"
            rows.append(row)
    return rows


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def figures_of(rows: list) -> dict:
    directions, rows = rows, [row for row in rows if row["is_judged"]]
    named = [row for row in rows if row["accept"][0] != "mixed"]
    recalls = {cause: mean(row["right"] for row in named if row["accept"][0] == cause) for cause in CAUSES}
    paired = [row for row in rows if "as_sender" in row]
    return {
        "directions": len(directions),
        "vantage_right": mean(row["vantage"] == row["place"] for row in directions),
        "vantage_wrong": sum(row["vantage"] not in (row["place"], "unknown") for row in directions),
        "flows": len(rows),
        "one_cause": len(named),
        "right": mean(row["right"] for row in named),
        "recalls": recalls,
        "balanced": mean(recall for recall in recalls.values() if recall is not None),
        "sure": mean(row["is_sure"] for row in named),
        "sure_and_wrong": sum(row["is_sure"] and not row["right"] for row in named),
        "points": mean(row["points"] for row in rows),
        "paired": len(paired),
        "as_sender": mean(row["as_sender"] for row in paired if row["accept"][0] != "mixed"),
        "points_from_sender": mean(row["from_sender"] for row in paired),
    }


def shown(value) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(part)}" for name, part in value.items())
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def main() -> int:
    args = arguments(__doc__)
    doubts = args.truth / "doubtful.json"
    entries = json.loads(doubts.read_text()) if doubts.exists() else []
    doubtful = {(entry["id"], entry["flow"]): entry for entry in entries}
    places = defaultdict(list)
    for rows in for_each_truth(args, lambda file: rows_of(*reports(args, file), doubtful)):
        for row in rows:
            places[row["place"]].append(row)
    figures = {}
    for place in ("sender", "receiver", "middle"):
        figures[place] = figures_of(places[place])
        print(place)
        for name, value in figures[place].items():
            print(f"  {name:20} {shown(value)}")
        told = Counter((row["accept"][0], row["headline"]) for row in places[place] if row["is_judged"])
        print(f"  {'true, told':20} {', '.join(f'{a}->{b} {count}' for (a, b), count in sorted(told.items()))}")
    everything = [row for rows in places.values() for row in rows]
    figures["vantage_right"] = mean(row["vantage"] == row["place"] for row in everything)
    print(f"vantage right: {shown(figures['vantage_right'])} of {len(everything)} directions")
    for row in everything:
        if row["vantage"] != row["place"]:
            print(f"  {row['id']:34} {row['from']}: {row['vantage']}, not {row['place']}; {row['post']}")
    for place in ("receiver", "middle"):
        judged = [row for row in places[place] if row["is_judged"]]
        wrong = [row for row in judged if not row["right"]]
        far = sorted((row for row in judged if row["right"]), key=lambda row: -row.get("from_sender", row["points"]))
        for row in [*wrong, *far][:args.worst]:
            print(f"  {place} {row['id']:30} {row['from']} {'/'.join(row['accept'])}: {row['headline']} ({row['confidence']}), "
                  f"true {shown(row['true_shares'])}; told {shown(row['shares'])}; from the sender's {shown(row.get('from_sender'))}")
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
