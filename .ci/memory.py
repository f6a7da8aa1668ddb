#!/usr/bin/env python3
"""Holds many captures on one machine to the memory of one: `python3 .ci/memory.py [TCPLIMIT]`.

Makes four captures of SYN floods, of which each needs most of the default bound, and analyses them with 1,
2 and 4 jobs: the output must be the same to the octet, and the peak of resident memory within a fifth of
the bound, which is what `--memory` promises.
"""

import hashlib
import resource
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BOUND_MB = 512
SYNS = 1_000_000
PEAK_MAX_MB = BOUND_MB * 1.2


def flood(path, network):
    """Half-open connections, a packet each, a microsecond apart."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        ethernet = bytes(12) + b"\x08\x00"
        for number in range(SYNS):
            source = struct.pack(">BBH", 10, network, number // 60_000)
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 40, number & 0xFFFF, 0, 64, 6, 0)
            ends = source + bytes((10, 255, 255, 1))
            tcp = struct.pack(">HHIIBBHHH", 1024 + number % 60_000, 80, number, 0, 0x50, 2, 1000, 0, 0)
            frame = ethernet + ip + ends + tcp
            times = number // 1_000_000, number % 1_000_000
            out.write(struct.pack("<IIII", 1_700_000_000 + times[0], times[1], len(frame), len(frame)))
            out.write(frame)


def peak_mb():
    """Of the largest child so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    tcplimit = sys.argv[1] if len(sys.argv) > 1 else "target/release/tcplimit"
    with tempfile.TemporaryDirectory() as folder:
        for network in range(2):
            capture = Path(folder) / f"{network}.pcap"
            flood(capture, network)
            (Path(folder) / f"{network}-again.pcap").symlink_to(capture)
        outputs = set()
        for jobs in (1, 2, 4):
            command = [tcplimit, "analyze", folder, "--separate", "--ndjson", "--quiet"]
            with subprocess.Popen([*command, "--jobs", str(jobs)], stdout=subprocess.PIPE) as child:
                outputs.add(hashlib.file_digest(child.stdout, "sha256").hexdigest())
            if child.returncode != 0:
                sys.exit(f"status {child.returncode} with {jobs} jobs")
            print(f"{jobs} jobs: peak so far {peak_mb():.0f} MB of {BOUND_MB} MB")
    if len(outputs) != 1:
        sys.exit("the output depends on the number of jobs")
    if peak_mb() > PEAK_MAX_MB:
        sys.exit(f"a peak of more than {PEAK_MAX_MB:.0f} MB")


if __name__ == "__main__":
    main()
