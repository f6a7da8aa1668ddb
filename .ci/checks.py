"""Shared by the scripts beside it: find the corpus, run the program, hold figures to their floors."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/tcplimit"
FLOORS = json.loads((Path(__file__).parent / "floors.json").read_text())
# Far above any honest run and far below the machine's: a runaway allocation fails, not CI.
ADDRESS_SPACE_MAX = 4 << 30


def skip(reason: str) -> NoReturn:
    """Ends the script without failing, with the status that `.ci/run` counts apart."""
    print(f"SKIPPED {Path(sys.argv[0]).stem}: {reason}")
    sys.exit(77)


def corpus() -> Path:
    """The captures; skips the script where there are none."""
    path = Path(os.environ.get("TCPLIMIT_CORPUS", ROOT.parent / "shared/corpus"))
    if not (path / "open").is_dir():
        skip(f"no corpus at {path}; set TCPLIMIT_CORPUS")
    return path


@dataclass
class Run:
    status: int
    out: bytes
    err: str
    seconds: float
    memory_mib: float

    @property
    def is_crash(self) -> bool:
        return self.status < 0 or self.status == 101 or "panicked at" in self.err


def run(*args, timeout=60, env=None) -> Run:
    """One run of the program, with its own time and peak memory."""
    started = time.monotonic()
    process = subprocess.Popen(
        [PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})})
    resource.prlimit(process.pid, resource.RLIMIT_AS, (ADDRESS_SPACE_MAX,) * 2)
    with ThreadPoolExecutor(2) as readers:
        out, err = readers.submit(process.stdout.read), readers.submit(process.stderr.read)
        usage = wait(process, started + timeout)
        return Run(process.returncode, out.result(), err.result().decode("utf-8", "replace"),
                   time.monotonic() - started, usage.ru_maxrss / 1024)


def wait(process, deadline):
    """Reaps the process; kills it at the deadline, which then shows as a signal."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        if time.monotonic() > deadline:
            process.send_signal(signal.SIGKILL)
        time.sleep(0.001)


def parallel(work, items):
    """`work` over `items` on all cores, in the order of `items`."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(work, items))


def hold(figures: dict) -> int:
    """Prints pass or FAIL for each figure against `floors.json`; returns the number of failures."""
    failed = 0
    for name, value in figures.items():
        (kind, bound), = FLOORS[name].items()
        ok = value is not None and (value >= bound if kind == "min" else value <= bound)
        failed += not ok
        shown = f"{value:.4g}" if isinstance(value, float) else value
        print(f"{'pass' if ok else 'FAIL'}  {name} {shown} (at {'least' if kind == 'min' else 'most'} {bound})")
    return failed
