"""The eighteenth wave: the tables of w17.py from other seeds: "w18a" drawn anew, "w18b" what users meet, with rates, delays and queues
of two fifths to two and a half times. "w18a-6.12" and so on: the rows to run on one kernel; "iv18-6.12" and so on: the doubtful ones of
all with the limit doubled."""
import w17
from fresh import doubled
from scenarios import cost
from w17 import KERNELS, drawn, users

ROWS = {
    "w18a": lambda: drawn("f-v-", 20261218)[:32],
    "w18b": lambda: users("f-v-u-", 20261226, 2.5)[:44],
}


def table(which):
    which, _, kernel = which.partition("-")
    rows = [s for name in ROWS for s in ROWS[name]()] if which == "iv18" else ROWS[which]()
    rows = [s for i, s in enumerate(rows) if not kernel or KERNELS[i % len(KERNELS)] == kernel]
    if which != "iv18":
        return rows
    paced_ones = [s for s in rows if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing"))]
    return [d for s in paced_ones if s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"] and not s.get("post") and (d := doubled(s))]
