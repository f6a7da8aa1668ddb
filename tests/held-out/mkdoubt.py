#!/usr/bin/env python3
"""mkdoubt.py FRESH [IV]: writes FRESH/doubtful.json by the reasoning of the open corpus: a paced sender under a fixed buffer or
window.  IV: truth of the same flows with the limit doubled (fresh.py table "iv"); its throughput decides where it exists."""
import json, sys
from pathlib import Path
fresh = Path(sys.argv[1])
iv = Path(sys.argv[2]) if len(sys.argv) > 2 else None
WHY = ("bbr paces at the rate that the buffer or window lets it measure, so data waits for the pacing timer and the truth says cwnd (paced_or_tsq); ")
out = []
for tf in sorted(fresh.glob("*.truth.json")):
    t = json.loads(tf.read_text())
    for f in t["flows"]:
        c = f["config"]
        if f["from"] != "snd" or not (f["cca"] == "bbr" or c.get("pacing")) or f["bytes_acked"] < 1000:
            continue
        small = {k: c[k] for k in ("sndbuf", "rcvwin", "rcvbuf") if c.get(k)}
        cause = t["configured_cause"]
        if t["group"] == "multi":
            cause = "rwnd" if c.get("rcvwin") else "sndbuf" if c.get("sndbuf") else "app"
        if t["id"].endswith("m-sr-bbr"):
            out.append(dict(id=t["id"], flow=f["flow"], truth=f["dominant"], configured="mixed", accept=["mixed", "sndbuf", "rwnd"], merge=["cwnd", "sndbuf", "rwnd"],
                            why=WHY + "here first a send buffer, then a receive window (by analogy, not rerun)"))
            continue
        if cause not in ("sndbuf", "rwnd") or f["shares"]["cwnd"] < 0.15:
            continue
        e = dict(id=t["id"], flow=f["flow"], truth=f["dominant"], configured=cause, accept=[cause], merge=["cwnd", cause])
        x2 = iv / f"{t['id']}+x2.truth.json" if iv else None
        if x2 and x2.exists():
            g = json.loads(x2.read_text())["flows"][0]
            r = g["mean_throughput_mbit"] / f["mean_throughput_mbit"]
            u = f["bottleneck"]["utilization"]
            room = min(2.0, 0.96 / u, c.get("pacing", 1e12) * 8e-6 / f["mean_throughput_mbit"])
            e["rerun"] = dict(limit="doubled", throughput_ratio=round(r, 3), utilization=u, room=round(room, 3))
            if room < 1.2:
                e["accept"] = [cause, "cwnd"]
                e["why"] = WHY + f"rerun with the limit doubled: throughput x{r:.2f}, but the path leaves room for only x{room:.2f}: window and bottleneck both limit, either headline is right"
            elif r - 1 >= 0.5 * (room - 1):
                e["why"] = WHY + f"rerun with the limit doubled: throughput x{r:.2f} (the path has room for x{room:.2f}): the limit is the cause, only the sum of the two shares can be trusted"
            else:
                e["accept"] = ["mixed", cause, "cwnd"]
                e["why"] = WHY + f"rerun with the limit doubled: throughput only x{r:.2f} of x{room:.2f} possible: undecided"
        else:
            e["why"] = WHY + "in like scenarios the throughput doubled with the limit: the limit is the cause, and only the sum of the two shares can be trusted (by analogy, not rerun)"
        out.append(e)
(fresh / "doubtful.json").write_text(json.dumps(out, indent=1) + "\n")
print(len(out), "doubtful flows")
