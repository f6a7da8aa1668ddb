#!/usr/bin/env python3
"""Checks the sender stage's classes and samples against the kernel's counters.

    score_sender.py --truth DIR --cmd 'tcplimit analyze --json {pcap}' [--worst N] [--json OUT]

classes    Retransmissions of all flows that a host sent against its `nstat_snd`, which counts the whole
           namespace: fast = TCPFastRetrans, go-back-N = TCPSlowStartRetrans (all after a timeout but its
           first segment), timeouts = TCPTimeouts, probes = TCPLossProbes. Sum of the absolute differences over
           the sum of the counters. Only captures that the sending host made whole, without trimming.
dsack      Segments that the receiver reported as got twice against the kernel's `dsack_dups`: sum of the
           absolute differences over the sum, where the receiver uses SACK.
needless   Where the receiving host's capture is there as well (`rcv`): retransmissions that reached it after
           it had all their octets, against the segments that the tool calls sent again needlessly; the
           differences over all retransmissions.
rtt        Round trips that gave an RTT sample, over all round trips; and flows in which 95 % of them did.
"""

import struct
import sys
import tempfile
from pathlib import Path

from scoring import arguments, finish, flow_of, for_each_truth, report, unpacked

COUNTERS = {"fast": "TCPFastRetrans", "go_back_n": "TCPSlowStartRetrans", "timeouts": "TCPTimeouts", "probes": "TCPLossProbes"}


def segments(pcap: bytes):
    """Source port, sequence number, payload octets and identity of each TCP segment over Ethernet and IP."""
    order = "<" if pcap[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(pcap):
        captured, = struct.unpack_from(order + "I", pcap, at + 8)
        frame, at = pcap[at + 16:at + 16 + captured], at + 16 + captured
        if frame[12:14] == b"\x08\x00" and frame[23] == 6:
            tcp, size = 14 + 4 * (frame[14] & 15), struct.unpack_from(">H", frame, 16)[0] - 4 * (frame[14] & 15)
        elif frame[12:14] == b"\x86\xdd" and frame[20] == 6:
            tcp, size = 54, struct.unpack_from(">H", frame, 18)[0]
        else:
            continue
        port, sequence = struct.unpack_from(">H2xI", frame, tcp)
        header = 4 * (frame[tcp + 12] >> 4)
        # A copy made on the way has the options, with their timestamps, and the IP identification of the first.
        yield port, sequence, size - header, (frame[18:20] if tcp < 54 else b"", frame[tcp + 20:tcp + header])


def needless(truth_file: Path, truth, port: int):
    """Segments that brought nothing new to the receiver and are no copies; None without its capture."""
    if "rcv" not in truth["captures"]:
        return None
    with tempfile.TemporaryDirectory() as folder:
        pcap = unpacked(truth_file.parent / truth["captures"]["rcv"]["file"], folder).read_bytes()
    base, have, seen, count = None, [], set(), 0
    for source, sequence, size, identity in segments(pcap):
        if source != port or size <= 1:
            continue
        base = sequence if base is None else base
        # Distances from the first octet, the shorter way round: no capture here passes 2 GB.
        start = ((sequence - base + 2**31) % 2**32) - 2**31
        is_old = any(low <= start and start + size <= high for low, high in have)
        if is_old and (start, size, identity) not in seen:
            count += 1
        seen.add((start, size, identity))
        touching = [part for part in have if part[0] <= start + size and start <= part[1]]
        have = [part for part in have if part not in touching]
        have.append((min([start, *(low for low, _ in touching)]), max([start + size, *(high for _, high in touching)])))
    return count


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
    args = arguments(__doc__)
    results = for_each_truth(args, lambda file: (file, *report(args, file)))
    rows, dsacks, sampled, repeats = [], [], [], []
    for truth_file, truth, document in results:
        if document is None:
            continue
        pairs = [(flow, flow_of(document, flow)) for flow in truth["flows"] if flow["from"] == "snd"]
        if any(ours is None for _, ours in pairs):
            continue
        rows.append((truth["id"], classes(truth, [ours for _, ours in pairs])))
        for kernel, ours in pairs:
            # Without SACK (bit 1 of tcpi_options) there is no D-SACK to count.
            if kernel["tcp_info_final"]["options"] & 2:
                dsacks.append((truth["id"], ours["retransmissions"]["dsack_segments"], kernel["dsack_dups"]))
            arrived = needless(truth_file, truth, kernel["sport"])
            if arrived is not None:
                repeats.append((truth["id"], ours["retransmissions"]["spurious_segments"], arrived,
                                ours["retransmitted_segments"]))
            if ours["rtt"] and ours["rtt"].get("rounds"):
                sampled.append((truth["id"], ours["rtt"]["rounds_sampled"], ours["rtt"]["rounds"]))
    difference = sum(abs(a - b) for _, row in rows for a, b in row.values())
    total = sum(b for _, row in rows for _, b in row.values())
    for name in COUNTERS:
        ours, kernel = (sum(row[name][side] for _, row in rows) for side in (0, 1))
        off = sum(abs(row[name][0] - row[name][1]) for _, row in rows)
        print(f"{name:10} ours {ours:7} kernel {kernel:7} sum of differences {off}")
    dsacks_off = sum(abs(a - b) for _, a, b in dsacks)
    dsacks_total = sum(b for _, _, b in dsacks)
    repeats_off = sum(abs(a - b) for _, a, b, _ in repeats)
    print(f"needless   ours {sum(row[1] for row in repeats)}, arrived as such {sum(row[2] for row in repeats)} "
          f"of {sum(row[3] for row in repeats)} sent again, {len(repeats)} flows")
    figures = {
        "scenarios": len(rows),
        "class_difference": round(difference / max(1, total), 4),
        "dsack_agreement": round(1 - dsacks_off / max(1, dsacks_total), 4),
        "spurious_agreement": round(1 - repeats_off / max(1, sum(row[3] for row in repeats)), 4),
        "rounds_sampled": round(sum(have for _, have, _ in sampled) / max(1, sum(rounds for _, _, rounds in sampled)), 4),
        "flows_well_sampled": round(sum(have >= 0.95 * rounds for _, have, rounds in sampled) / max(1, len(sampled)), 4),
    }
    print(figures)
    for name, row in sorted(rows, key=lambda item: -sum(abs(a - b) for a, b in item[1].values()))[:args.worst]:
        print(f"  {name:34}", row)
    for name, ours, kernel in sorted(dsacks, key=lambda item: -abs(item[1] - item[2]))[:args.worst]:
        print(f"  {name:34} D-SACKs ours {ours} kernel {kernel}")
    for name, ours, arrived, again in sorted(repeats, key=lambda item: -abs(item[1] - item[2]))[:args.worst]:
        print(f"  {name:34} needless ours {ours} arrived {arrived} of {again}")
    for name, have, rounds in sorted(sampled, key=lambda item: item[1] / item[2])[:args.worst]:
        print(f"  {name:34} rounds {rounds} with a sample {have}")
    return finish(args, figures)


if __name__ == "__main__":
    sys.exit(main())
