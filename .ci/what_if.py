#!/usr/bin/env python3
"""Holds predicted rates to the same flows run again with the limit lifted (tests/pairs)."""

import json
import subprocess
import sys
import tempfile

from checks import PROGRAM, ROOT, hold


def main() -> int:
    pairs = ROOT / "tests/pairs"
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run(
            [sys.executable, ROOT / "tests/score_whatif.py", "--pairs", f"{pairs}:{pairs}",
             "--cmd", f"{PROGRAM} analyze --json {{pcap}}", "--json", out.name, "--worst", "20"], check=True)
        found = json.load(out)
    return hold({f"what_if.{name}": found[name] for name in ("pairs", "close", "sign", "covered")})


if __name__ == "__main__":
    sys.exit(main())
