#!/usr/bin/env python3
"""Runs the shell steps of the example workflow, and reads its JUnit file with a real reader."""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from xml.etree import ElementTree

from checks import PROGRAM, ROOT


def steps(workflow: str):
    """The `run: |` blocks, in order."""
    for block in re.finditer(r"^( +)run: \|\n((?:\1 +.*\n|\n)+)", workflow, re.MULTILINE):
        yield re.sub(rf"^{block[1]}  ", "", block[2], flags=re.MULTILINE)


def read_with_junitparser(result: Path, folder: Path) -> None:
    """With the reader that CI tools use; skipped, loudly, where it cannot be installed."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv/bin/python"
    if subprocess.run([python, "-m", "pip", "install", "--quiet", "junitparser"], check=False).returncode != 0:
        print("SKIPPED junitparser: cannot be installed here")
        return
    script = ("import junitparser, sys; xml = junitparser.JUnitXml.fromfile(sys.argv[1]); "
              "print('junitparser:', sum(suite.tests for suite in xml), 'tests', sum(suite.failures for suite in xml), 'failures')")
    subprocess.run([python, "-c", script, result], check=True)


def main() -> int:
    commands = list(steps((ROOT / "examples/github-actions.yml").read_text()))
    assert len(commands) == 4, f"{len(commands)} steps found"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("examples", "fixtures", "target"):
            (folder / part).symlink_to(ROOT / part)
        # The first builds, which is done.
        for command in commands[1:]:
            print(f"$ {command.strip()}", flush=True)
            subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, check=True)
        result = folder / "result.xml"
        suite = ElementTree.parse(result).getroot().find("testsuite")
        assert suite is not None and suite.get("tests") == "3" and suite.get("failures") == "0", suite
        read_with_junitparser(result, folder)
    print(f"pass  example workflow with {PROGRAM.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
