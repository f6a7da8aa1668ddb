"""What the score_*.py have in common: options, captures with their truth, the tool's answer, the figures."""

import argparse
import json
import subprocess
import tempfile
from multiprocessing.pool import ThreadPool
from pathlib import Path


def arguments(doc: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True, type=Path, help="folder of *.truth.json and their captures")
    parser.add_argument("--cmd", required=True, help="command that writes the JSON report of {pcap}")
    parser.add_argument("--worst", type=int, default=0, help="also print the N worst flows")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    return parser.parse_args()


def unpacked(path: Path, folder: str) -> Path:
    """The capture without its compression, which not every build reads."""
    out = Path(folder) / path.stem
    command = {".zst": ["zstd", "-qdc"], ".gz": ["gzip", "-dc"]}[path.suffix]
    with open(out, "wb") as file:
        subprocess.run([*command, str(path)], stdout=file, check=True)
    return out


def run(cmd: str, pcap: Path):
    """The tool's report; None where it wrote none."""
    done = subprocess.run(cmd.replace("{pcap}", str(pcap)), shell=True, capture_output=True, check=False)
    return json.loads(done.stdout) if done.stdout else None


def is_untouched(truth: dict) -> bool:
    """Nothing was done to the captures afterwards."""
    return not truth.get("post")


def report(args, truth_file: Path, is_good=is_untouched):
    """Truth and report of what the sending host captured whole; None for the report of other captures."""
    truth = json.loads(truth_file.read_text())
    capture = truth["captures"].get("snd")
    if capture is None or truth["primary"] != "snd" or not is_good(truth):
        return truth, None
    with tempfile.TemporaryDirectory() as folder:
        return truth, run(args.cmd, unpacked(truth_file.parent / capture["file"], folder))


def for_each_truth(args, work) -> list:
    """work(truth file) of each, in the order of their names."""
    with ThreadPool() as pool:
        return pool.map(work, sorted(args.truth.glob("*.truth.json")))


def flow_of(document, truth_flow):
    for flow in document["flows"]:
        if (flow["src"]["ip"], flow["src"]["port"]) == (truth_flow["src"], truth_flow["sport"]) and \
                flow["dst"]["port"] == truth_flow["dport"]:
            return flow
    return None


def sent_flows(args, is_good=is_untouched):
    """(truth, the kernel's flow, the tool's) of each flow whose sender was captured and that the tool reports."""
    for truth, document in for_each_truth(args, lambda file: report(args, file, is_good)):
        for kernel in truth["flows"] if document else ():
            ours = flow_of(document, kernel) if kernel["from"] == "snd" else None
            if ours is not None:
                yield truth, kernel, ours


def finish(args, figures: dict) -> int:
    if args.json:
        args.json.write_text(json.dumps(figures))
    return 0
