"""The twenty-second wave: w17.py's tables from other seeds; w22a and w22b, each for two kernels."""
from fresh import doubled
from w17 import drawn, users
KERNELS = ("6.12", "6.12", "6.1")
ROWS = {
    "w22a": lambda: drawn("f-z-", 20262211),
    "w22b": lambda: users("f-z-u-", 20262227, 2.5),
}
def table(which):
    which, _, kernel = which.partition("-")
    names = ROWS if which == "iv22" else (which,)
    rows = [s for name in names for i, s in enumerate(ROWS[name]()) if not kernel or KERNELS[i % len(KERNELS)] == kernel]
    if which != "iv22":
        return rows
    paced_ones = [s for s in rows if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing"))]
    return [d for s in paced_ones if s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"] and not s.get("post") and (d := doubled(s))]
