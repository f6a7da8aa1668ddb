#!/usr/bin/env python3
"""Runs the README's Python block, DuckDB and pandas, on a table of the fixtures and one bad file."""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from checks import PROGRAM, ROOT


def main() -> int:
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block, "README shows no Python"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        captures = folder / "captures"
        captures.mkdir()
        for fixture in (ROOT / "fixtures").glob("*.pcap*"):
            (captures / fixture.name).symlink_to(fixture)
        (captures / "bad.pcap").write_text("no capture")
        command = [PROGRAM, "analyze", captures, "--separate", "--csv", "--quiet"]
        alone = subprocess.run(command, capture_output=True, check=False)
        assert alone.returncode == 4, alone
        for jobs in ("2", "3", "16"):
            beside = subprocess.run([*command, "--jobs", jobs], capture_output=True, check=False)
            assert beside.stdout == alone.stdout, f"--jobs {jobs} gives other octets"
        (folder / "flows.csv").write_bytes(alone.stdout)
        venv.create(folder / "venv", with_pip=True)
        python = folder / "venv/bin/python"
        installed = subprocess.run([python, "-m", "pip", "install", "--quiet", "duckdb", "pandas"], check=False)
        if installed.returncode != 0:
            print("SKIPPED duckdb and pandas: cannot be installed here")
            return 0
        shown = subprocess.run([python, "-c", block[1]], cwd=folder, capture_output=True, text=True, check=False)
        print(shown.stdout, shown.stderr)
        assert shown.returncode == 0 and shown.stdout.count("send_buffer") == 2, "the README's block does not run"
    return 0


if __name__ == "__main__":
    sys.exit(main())
