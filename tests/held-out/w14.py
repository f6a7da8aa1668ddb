"""The fourteenth wave: "w14a", and every third row for another kernel, "w14b"; "iv14a", "iv14b": their doubtful ones with the limit doubled."""
import redraw, paced, wide
from scenarios import cost      # noqa: F401
from fresh import doubled

def all_rows():
    a = redraw.rows((20261123, "f-q-"))[:75]
    paced.SEEDS["p14"] = 20261140
    p = paced.rows("p14")
    p = [s for s in p if s["path"]["rate_mbit"] <= 200][:15]
    p = [{**s, "id": "f-q-" + s["id"]} for s in p]
    wide.WAVES["14"] = wide.Wave(20261141, "f-q-x", "w14", 3)
    w = [s for s in wide.rows(wide.WAVES["14"]) if s["path"]["rate_mbit"] <= 200][:10]
    rest = p + w
    out = []
    for i, s in enumerate(a):
        out.append(s)
        if i % 3 == 2 and rest:
            out.append(rest.pop(0))
    return out + rest

def table(which):
    t = [s for i, s in enumerate(all_rows()) if (i % 3 == 2) == which.endswith("b")]
    if which.startswith("iv"):
        t = [s for s in t if len(s["flows"]) == 1 and (s["flows"][0]["cc"] == "bbr" or s["flows"][0].get("pacing")) and s["cause"] in ("sndbuf", "rwnd") and "zero" not in s["id"]]
        return [d for s in t if (d := doubled(s))]
    return t

if __name__ == "__main__":
    for w in ("w14a", "w14b", "iv14a", "iv14b"):
        t = table(w)
        print(w, len(t), sum(len(s["flows"]) for s in t), f"{sum(map(cost, t)):.0f} MB")
        for s in t:
            print(s["id"], s["group"], s["cause"], [f["cc"] for f in s["flows"][:2]], f"{cost(s):.0f}")
