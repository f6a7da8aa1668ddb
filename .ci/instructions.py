#!/usr/bin/env python3
"""Instructions that the program takes for two fixtures, counted by callgrind and compared with
`.ci/instructions.json`. Time on a shared machine tells nothing; this count is the same run after run, but
for what tables do that are seeded anew each time, and for the heap of one more thread, which some runs need and
most do not (27 000): the least of five runs counts. The loader and the C library read the environment (1.6 % of
the smaller count with one of 1.3 kB), so the program is given none.

    python3 .ci/instructions.py                     compare; a rise above 3 % fails
    python3 .ci/instructions.py --write "REASON"    take what is counted as the new baseline

The counts hold for one compiler and one profile; with another they are printed and not compared.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from checks import PROGRAM, ROOT, skip

BASELINE = Path(__file__).parent / "instructions.json"
RISE_MAX = 0.03
# A bulk transfer with losses and SACK, and small requests and answers.
FIXTURES = ("congestion-window--policer.pcap.zst", "application--request-response.pcap.zst")
RUNS = 5


def main() -> int:
    if not shutil.which("valgrind"):
        skip("no valgrind here, so nothing guards the speed in this run")
    counts = {name: min(counted(name) for _ in range(RUNS)) for name in FIXTURES}
    if sys.argv[1:2] == ["--write"]:
        reason = " ".join(sys.argv[2:])
        if not reason:
            print("say why: --write REASON")
            return 1
        baseline = {"build": build(), "reason": reason, "instructions": counts}
        BASELINE.write_text(json.dumps(baseline, indent=2) + "\n")
        return 0
    return compare(json.loads(BASELINE.read_text()), counts)


def counted(name: str) -> int:
    """Of one run, by a path of the same length wherever the project lies."""
    log = subprocess.run(
        [shutil.which("valgrind"), "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM,
         "analyze", "--json", "--threads", "1", name],
        cwd=ROOT / "fixtures", env={}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True).stderr.decode()
    return int(re.search(r"Collected : (\d+)", log)[1])


def build() -> str:
    """What the counts depend on beside the source."""
    compiler = subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
    overrides = sorted(f"{k}={v}" for k, v in os.environ.items() if k.startswith("CARGO_PROFILE_RELEASE_"))
    return ", ".join([compiler, *overrides])


def compare(baseline: dict, counts: dict) -> int:
    faults = 0
    for name, count in counts.items():
        before = baseline["instructions"][name]
        rise = count / before - 1
        print(f"{count:>14,} instructions, {100 * rise:+.1f} %  {name}")
        faults += rise > RISE_MAX
    if baseline["build"] != build():
        skip(f"the baseline is of {baseline['build']}, this is {build()}")
    if faults:
        print("more than 3 % above the baseline: find out why, or --write it with the reason")
    return faults


if __name__ == "__main__":
    sys.exit(main() > 0)
