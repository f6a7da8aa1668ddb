#!/usr/bin/env python3
"""The same capture gives the same octets: run after run, in another time zone and language, with
any number of threads, and, but for what it says of its input, compressed or not."""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from checks import corpus, hold, parallel, run

SAMPLE = 40  # Files; spread evenly over the corpus.


def main() -> int:
    root = corpus()
    files = [p for d in ("open", "real/open") for p in sorted((root / d).iterdir())
             if p.is_file() and p.suffix not in (".json", ".md")]
    sample = files[:: max(1, len(files) // SAMPLE)]
    faults = [fault for faults in parallel(differences, sample) for fault in faults]
    print(*faults, f"{len(sample)} files", sep="\n")
    return hold({"determinism.differences": len(faults)})


def differences(path: Path) -> list:
    faults = []
    for form in (["--json"], ["--ndjson"], []):
        args = ("analyze", *form, path)
        first = run(*args).out
        if run(*args).out != first or run(*args, env={"TZ": "Asia/Tokyo", "LANG": "tr_TR.UTF-8"}).out != first:
            faults.append(f"{path.name}: {' '.join(form) or 'text'} differs between runs")
        for threads in ("1", "2", "4"):
            if run(*args, "--threads", threads).out != first:
                faults.append(f"{path.name}: {' '.join(form) or 'text'} differs with {threads} threads")
    with tempfile.NamedTemporaryFile(suffix=".pcap") as plain:
        plain.write(plain_octets(path))
        plain.flush()
        if body(path) != body(plain.name):
            faults.append(f"{path.name}: differs when decompressed")
    return faults


def plain_octets(path: Path) -> bytes:
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def body(file):
    """What is said of `file` but for its name, which notes may begin with."""
    report = json.loads(run("analyze", "--json", file).out)
    texts = [note.pop("text").replace(str(file), "FILE") for note in report["notes"]]
    return report["flows"], report["notes"], texts


if __name__ == "__main__":
    sys.exit(main() > 0)
