#!/usr/bin/env python3
"""Compares counts on the real captures with the stored tables of tshark and tcptrace.

Packets and payload octets per direction must equal tshark's; retransmitted plus out-of-order
packets tcptrace's. A difference of definition stands, with its reason, in tests/parity-known.tsv.
"""

import ipaddress
import json
import sys
from collections import defaultdict

from checks import ROOT, corpus, hold, parallel, run


def main() -> int:
    root = corpus()
    real = root / "real/open"
    known = {tuple(row[:3]) for row in tsv(ROOT / "tests/parity-known.tsv")}
    oracles = [json.loads(path.read_text()) for path in sorted((real / "oracle").glob("*.json"))]
    rows = [row for rows in parallel(lambda oracle: compare(real, oracle), oracles) for row in rows]
    for row in rows:
        row["known"] = (row["file"], row["stream"], row["direction"]) in known
    print_differences(rows)
    reordered = sum(parallel(reordered_at_sender, sorted((root / "open").glob("*.truth.json"))))
    late = [row for row in rows if row["late"]]
    print(f"{len(rows)} directions; tcptrace saw the same packets in {len(late)}; "
          f"known differences {sum(row['known'] for row in rows)}\n")
    return hold({
        "parity.streams_found_share": share(rows, lambda row: row["ours"] is not None),
        "parity.packets_equal_share": share(rows, lambda row: equal(row, "packets")),
        "parity.payload_equal_share": share(rows, lambda row: equal(row, "payload_bytes")),
        "parity.sent_twice_or_late_equal_share": share(late, lambda row: row["late"][0] == row["late"][1]),
        "parity.reordered_at_sender": reordered,
    })


def compare(real, oracle):
    """One row per direction that tshark lists."""
    tshark, tcptrace = oracle["tshark"].get("flows", []), oracle["tcptrace"].get("flows", [])
    document = run("analyze", "--json", real / oracle["file"], timeout=120)
    ours = connections(document.out) if document.status in (0, 4) else {}
    theirs, peers = by_pair(tshark, "stream"), by_pair(tcptrace, "conn")
    # Where the peer lists only its largest connections, equal tuples cannot be told apart.
    is_whole = "flows_listed" not in oracle["tshark"]["totals"]
    for pair, flows in theirs.items():
        mine, peer = ours.get(pair, []), peers.get(pair, [])
        for n, flow in enumerate(flows):
            same = mine[n] if len(mine) == len(flows) or (not is_whole and n < len(mine)) else None
            other = peer[n] if len(peer) == len(flows) else None
            for way in ("a2b", "b2a"):
                yield row(oracle["file"], flow, way, same, other)


def row(file, flow, way, same, other):
    end = endpoint(flow["a" if way == "a2b" else "b"])
    ours = same and same.get(end)
    wanted = {"packets": flow[way]["packets"], "payload_bytes": flow[way]["bytes"]}
    late = None
    if other and ours:
        peer = other["a2b" if endpoint(other["a"]) == end else "b2a"]
        if peer["total_packets"] == wanted["packets"] and peer["actual_data_bytes"] == wanted["payload_bytes"]:
            late = (ours["late"], peer["rexmt_data_pkts"] + peer["outoforder_pkts"])
    return {"file": file, "stream": str(flow["stream"]), "direction": way, "ours": ours, "wanted": wanted, "late": late}


def connections(document):
    """{pair of ends: [{end: counts}]}, by stream."""
    streams = {}
    for flow in json.loads(document)["flows"]:
        src, dst = end_of(flow["src"]), end_of(flow["dst"])
        ends = streams.setdefault(flow["stream"], {})
        ends.setdefault(dst, {"packets": flow["reverse_packets"], "payload_bytes": flow["reverse_payload_bytes"], "late": 0})
        # What was recorded twice counts once for us.
        payload = flow["payload_bytes"] + flow["artefacts"]["capture_duplicate_bytes"]
        ends[src] = {"packets": flow["packets"], "payload_bytes": payload, "late": sent_twice_or_late(flow)}
    pairs = defaultdict(list)
    for _, ends in sorted(streams.items()):
        pairs[frozenset(ends)].append(ends)
    return pairs


def sent_twice_or_late(flow):
    """What tcptrace counts as retransmitted or out of order: data packets that bring nothing new
    or fill a hole. Ours keeps copies and probes apart."""
    artefacts = flow["artefacts"]
    return (flow["retransmitted_segments"] + artefacts["reordered_packets"]
            + artefacts["network_duplicates"] + artefacts["capture_duplicates"] + artefacts["keep_alives"])


def reordered_at_sender(truth_path):
    """Packets called reordered although the tap stands where they left: nothing can reorder them."""
    truth = json.loads(truth_path.read_text())
    capture = truth["captures"].get("snd")
    if capture is None or truth["post"]:
        return 0
    document = run("analyze", "--json", truth_path.parent / capture["file"], timeout=120)
    senders = {(f["src"], f["sport"]) for f in truth["flows"] if f["from"] == "snd"}
    flows = json.loads(document.out)["flows"] if document.status == 0 else []
    return sum(f["artefacts"]["reordered_packets"] for f in flows if (f["src"]["ip"], f["src"]["port"]) in senders)


def print_differences(rows):
    for row in rows:
        unequal = not equal(row, "packets") or not equal(row, "payload_bytes")
        if unequal or (row["late"] and row["late"][0] != row["late"][1]):
            ours = row["ours"] and {k: row["ours"][k] for k in row["wanted"]}
            print("known" if row["known"] else "DIFFERS", row["file"], row["stream"], row["direction"],
                  "ours", ours, "tshark", row["wanted"], "sent twice or late (ours, tcptrace)", row["late"])


def equal(row, key):
    return row["ours"] is not None and row["ours"][key] == row["wanted"][key]


def share(rows, is_right):
    return sum(row["known"] or is_right(row) for row in rows) / len(rows)


def by_pair(flows, order):
    pairs = defaultdict(list)
    for flow in sorted(flows, key=lambda flow: flow[order]):
        pairs[frozenset((endpoint(flow["a"]), endpoint(flow["b"])))].append(flow)
    return pairs


def endpoint(text):
    host, port = text.rsplit(":", 1)
    try:
        return ipaddress.ip_address(host), int(port)
    except ValueError:
        return text, int(port)  # tcptrace prints some IPv6 addresses wrongly; such a pair matches none.


def end_of(peer):
    return ipaddress.ip_address(peer["ip"]), peer["port"]


def tsv(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


if __name__ == "__main__":
    sys.exit(main() > 0)
