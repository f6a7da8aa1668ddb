"""The twentieth wave: the tables of w17.py from other seeds: "w20a" drawn anew, "w20b" what users meet (the rows that w19.py leaves
out, and four more), with rates, delays and queues of two fifths to two and a half times. "w20a-6.12" and so on: the rows to run on
one kernel (two in three on 6.12, the others on 5.10); "iv20-6.12" and so on: the doubtful ones of all with the limit doubled."""
from fresh import doubled
from w17 import drawn, users

KERNELS = ("6.12", "6.12", "5.10")
ROWS = {
    "w20a": lambda: drawn("f-x-", 20262011)[:24],
    "w20b": lambda: users("f-x-u-", 20262027, 2.5)[-30:],
}


def table(which):
    which, _, kernel = which.partition("-")
    names = ROWS if which == "iv20" else (which,)
    rows = [s for name in names for i, s in enumerate(ROWS[name]()) if not kernel or KERNELS[i % len(KERNELS)] == kernel]
    if which != "iv20":
        return rows
    paced_ones = [s for s in rows if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing"))]
    return [d for s in paced_ones if s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"] and not s.get("post") and (d := doubled(s))]
