#!/usr/bin/env python3
"""The report's page in a real browser: it loads, sorts, filters, zooms, prints, and runs nothing foreign."""

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import webdriver
from checks import PROGRAM, ROOT, hold, skip

HOSTILE = 'x</script><script>window.foreign=1</script><img src=x onerror="window.foreign=2"><!--'


def report(page: Path, *files, options=()) -> dict:
    """Writes a page; returns what `analyze --json` says of the same files."""
    subprocess.run([PROGRAM, "report", "--quiet", *options, *files, "-o", page], check=True)
    analyzed = subprocess.run([PROGRAM, "analyze", "--json", "--quiet", *files], check=True, capture_output=True)
    return json.loads(analyzed.stdout)


def check(is_so, what):
    if not is_so:
        raise AssertionError(what)


def errors(browser) -> list:
    return [entry["message"] for entry in browser.log() if entry["level"] in ("SEVERE", "WARNING")]


def fetched(browser) -> list:
    """Addresses asked for, the page itself left out."""
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith(("file:", "data:", "blob:"))]


def column(browser, index) -> list:
    return browser.texts(f"#flows tbody td:nth-child({index})")


def loads_cleanly(browser, folder):
    page = folder / "many.html"
    many = report(page, *sorted((ROOT / "fixtures").glob("*.pcap*")))
    browser.open(page)
    check(not errors(browser), "console")
    check(not fetched(browser), "the page asked the network")
    check(len(column(browser, 1)) == len(many["flows"]), "a row per flow")
    check(browser.text("noscript") in ("", None) or not browser.run(
        "return document.querySelector('noscript').checkVisibility()"), "noscript shows")


def sorts(browser, folder):
    many = json.loads(browser.run("return document.getElementById('report').textContent"))
    def order(key, is_descending):
        flows = sorted(many["flows"], key=lambda flow: flow["stream"])
        return [str(flow["stream"]) for flow in sorted(flows, key=key, reverse=is_descending)]
    check(column(browser, 1) == order(lambda flow: flow["payload_bytes"], True), "largest first")
    browser.click("#flows th:nth-child(4) button")
    check(column(browser, 1) == order(lambda flow: flow["goodput_bps"] or -1, True), "by goodput")
    browser.click("#flows th:nth-child(4) button")
    check(column(browser, 1)[-1] == order(lambda flow: flow["goodput_bps"] or math.inf, False)[-1], "by goodput, upwards")
    check(browser.run("return document.querySelector('#flows th:nth-child(4)').ariaSort") == "ascending", "aria-sort")
    browser.click("#flows th:nth-child(1) button")
    check(column(browser, 1) == order(lambda flow: flow["stream"], False), "by stream")


def filters(browser, folder):
    many = json.loads(browser.run("return document.getElementById('report').textContent"))
    wanted = [str(flow["stream"]) for flow in many["flows"] if flow["verdict"]["limit"] == "application"]
    browser.click("#flows [data-limit=application]")
    check(sorted(column(browser, 1)) == sorted(wanted), "by limit")
    browser.click("#flows [data-limit=application]")
    address = many["flows"][3]["src"]["ip"]
    browser.press("/")
    browser.press(*address)
    shown = column(browser, 2)
    check(shown and all(address in row for row in shown), f"by {address}: {shown}")
    browser.press(*" no such flow")
    check(column(browser, 1) == [] and "no flow" in browser.text("#flows .head"), "an empty table says so")


def figures_are_the_json_s(browser, folder):
    page = folder / "one.html"
    flow = report(page, ROOT / "fixtures/congestion-window--bottleneck.pcap.zst")["flows"][0]
    browser.open(page)
    held = json.loads(browser.run("return document.getElementById('report').textContent"))["flows"][0]
    check({key: held[key] for key in flow if key in held and key != "series"} == {key: flow[key] for key in flow if key != "series"}, "the page's JSON")
    text = browser.text("#flow")
    check(flow["verdict"]["text"][1:] in text, "the verdict")
    for sentence in flow["verdict"]["why"] + [advice["text"] for advice in flow["verdict"]["advice"]] + [note["text"] for note in flow["notes"]]:
        check(sentence[1:] in text, sentence)
    check(f"goodput {flow['goodput_bps'] / 1e6:.2f} Mbit/s" in text, "goodput")
    rows = browser.run("return document.querySelectorAll('#flow .fold table')[0].rows.length")
    check(rows == len(flow["intervals"]) + 1, "a row per interval")
    for index, interval in enumerate(flow["intervals"][:20], 1):
        cells = browser.run("return [...document.querySelectorAll('#flow .fold table')[0].rows[arguments[0]].cells].map((c) => c.innerText)", index)
        frames = f"{interval['first_frame']}–{interval['last_frame']}".replace("\u202f", "")
        check(cells[5].replace("\u202f", "") in (frames, str(interval["first_frame"])), f"frames {cells}")
        check(abs(float(cells[0].split()[0]) - interval["start_s"]) < 0.001, f"start {cells}")


def unknown_stays_unknown(browser, folder):
    """Between the stretches in which cwnd is known no curve is drawn."""
    page = folder / "gaps.html"
    report(page, ROOT / "fixtures/send-buffer--64-kb.pcap.zst")
    browser.open(page)
    gaps = browser.run("""
        const { panels, plots } = PAGE.current.timeline;
        const at = panels.findIndex((panel) => panel.title === "Windows");
        const curve = panels[at].curves.findIndex((one) => one.label === "cwnd (estimated)");
        const [times, values] = [plots[at].plot.data[0], plots[at].plot.data[curve + 1]];
        const points = PAGE.current.flow.cwnd.series;
        return points.slice(0, -1).flatMap((point, at) => point.best_bytes === null
            ? [values.filter((_, index) => times[index] >= point.t_s && times[index] < points[at + 1].t_s)
                .map((value) => value === null)] : []);""")
    check(any(len(gap) > 1 for gap in gaps), "no gap with samples of other curves")
    # Where a curve has nothing at all, uPlot goes on with what it had.
    check(all(is_null for gap in gaps for is_null in gap), "drawn where it is unknown")


def scales(browser) -> list:
    return browser.run("return PAGE.current.timeline.plots.map(({ plot }) => [plot.scales.x.min, plot.scales.x.max])")


def zooms_in_step(browser, folder):
    whole = scales(browser)
    check(len(whole) >= 3, f"{len(whole)} panels")
    browser.drag(".panel:nth-child(2) .u-over", 0.25, 0.5)
    near = scales(browser)
    check(all(pair == near[0] for pair in near), "panels differ")
    span = whole[0][1] - whole[0][0]
    check(abs(near[0][0] - 0.25 * span) < 0.02 * span and abs(near[0][1] - 0.5 * span) < 0.02 * span, f"zoomed to {near[0]}")
    browser.click(".toolbar button[title=Later]")
    check(scales(browser)[0][0] > near[0][0] and len({tuple(pair) for pair in scales(browser)}) == 1, "pan")
    browser.click(".toolbar button[title='Show the whole flow']")
    check(scales(browser) == whole, "the whole again")
    browser.drag(".panel:nth-child(2) .u-over", 0.5, 0.5)
    cursors = browser.run("return PAGE.current.timeline.plots.map(({ plot }) => plot.cursor.left)")
    check(max(cursors) - min(cursors) <= 1, f"pointers {cursors}")
    check(re.search(r"frames [\d\u202f]+–[\d\u202f]+", browser.text(".readout")), browser.text(".readout"))
    browser.press("Escape")
    browser.run("PAGE.current.timeline.moveTo(5); PAGE.current.timeline.view.set(4, 6)")
    check(browser.text(".readout").startswith("5.000"), f"the pointer keeps its time: {browser.text('.readout')}")
    browser.click(".toolbar [aria-pressed]")
    check(any("Sequence" in title for title in browser.texts(".panel-head")), "the sequence graph")
    check(len({tuple(pair) for pair in scales(browser)}) == 1, "the sequence graph zooms with the others")
    browser.click(".toolbar button[title='Show the whole flow']")
    browser.click("#flow .fold:first-of-type tbody tr:nth-child(3) button")
    check(scales(browser)[0] != whole[0], "an interval's button zooms")


def works_by_keys(browser, folder):
    page = folder / "many.html"
    browser.open(page)
    first = browser.text("#flow-title")
    browser.press("n")
    check(browser.text("#flow-title") != first, "n goes to the next flow")
    browser.press("p")
    check(browser.text("#flow-title") == first, "p goes back")
    browser.run("document.querySelector('#flows tbody a').focus()")
    browser.press("ArrowDown", "ArrowDown", "Enter")
    # A link is followed in a task of its own.
    third = browser.call("POST", "/execute/async", {"args": [], "script":
        "setTimeout(arguments[0], 300, document.querySelectorAll('#flows tbody tr')[2])"})
    third = browser.run("return arguments[0].ariaCurrent", third)
    check(third == "true", "arrows and Enter open a row")
    browser.run("document.querySelector('#flows th button').focus()")
    browser.press("Enter")
    check(column(browser, 1) == sorted(column(browser, 1), key=int), "Enter sorts")
    browser.press("t")
    whole = scales(browser)[0]
    browser.press("ArrowRight", "ArrowRight", "+")
    check(scales(browser)[0][1] < whole[1], "+ zooms")
    check("limit" in browser.text(".readout") or "frames" in browser.text(".readout"), "the pointer reads out")
    check("frames" in browser.text("#live"), "a screen reader hears it")
    browser.press("0", "Escape")
    check(scales(browser)[0] == whole, "0 shows the whole")
    browser.open(folder / "one.html")
    reached = tab_stops(browser)
    check({"BUTTON", "INPUT", "SUMMARY", "DIV"} <= set(reached), f"Tab reaches {reached}")
    check(len(reached) < 40, f"{len(reached)} stops of the Tab key on a page of one flow")


def tab_stops(browser) -> list:
    """Kinds of the elements that Tab comes by."""
    reached = []
    while not reached or reached[-1] != "BODY" and len(reached) < 200:
        browser.press("Tab")
        reached.append(browser.run("return document.activeElement.tagName"))
    return reached


def names_are_given(browser, folder):
    """Every control and picture has a name for a screen reader, as the browser computes it."""
    tree = browser.devtools("Accessibility.getFullAXTree")["nodes"]
    roles = ("button", "link", "textbox", "searchbox", "image", "img", "table", "group", "toolbar")
    nameless = [node["role"]["value"] for node in tree if not node["ignored"] and node["role"]["value"] in roles
                and not node.get("name", {}).get("value") and node["role"]["value"] not in ("group",)]
    check(not nameless, f"without a name: {nameless}")
    headings = browser.texts("h1, h2, h3")
    check(len(headings) >= 5 and all(headings), "headings")


def darkens(browser, folder):
    luminance = "const [r, g, b] = getComputedStyle(document.body)[arguments[0]].match(/[0-9]+/g).map(Number); return (r + g + b) / 3"
    for scheme, is_dark in (("dark", True), ("light", False)):
        browser.media(prefers_color_scheme=scheme)
        browser.open(folder / "one.html")
        paper, ink = browser.run(luminance, "backgroundColor"), browser.run(luminance, "color")
        check((paper < 60 and ink > 180) if is_dark else (paper > 200 and ink < 60), f"{scheme}: {paper} {ink}")
        low = browser.run((Path(__file__).parent / "contrast.js").read_text())
        check(not low, f"{scheme}: contrast below 4.5: {low}")
    browser.click("#theme-button")
    check(browser.run(luminance, "backgroundColor") < 60, "the button turns it")
    browser.click("#theme-button")


def prints(browser, folder):
    browser.open(folder / "one.html")
    pdf = browser.pdf()
    check(pdf.startswith(b"%PDF") and len(pdf) > 20_000, "no PDF")
    after = browser.run("return PAGE.current.timeline.width")
    check(after > 900, f"the plots have their width again: {after}")
    if not shutil.which("pdftotext"):
        print("SKIPPED text of the PDF: no pdftotext")
        return
    text = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    check("congestion window" in text and "avoidance" in text and "Zoom" not in text, "what is printed")


def fits_a_phone(browser, folder):
    browser.size(380, 800)
    browser.open(folder / "many.html")
    cut = browser.run("""return [...document.querySelectorAll("#summary table, .shares table")]
        .filter((table) => table.scrollWidth > table.parentElement.clientWidth).map((table) => table.textContent)""")
    wide = browser.run("return document.documentElement.scrollWidth")
    browser.devtools("Emulation.clearDeviceMetricsOverride")
    check(not cut and wide <= 380, f"wider than the screen: {wide} {cut}")


def explains_within_the_screen(browser, folder):
    """A code's meaning, opened in a table, is wrapped: it hid the columns beside it."""
    browser.size(900, 800)
    browser.open(folder / "one.html")
    wide = browser.run("""document.querySelectorAll("details").forEach((part) => { part.open = true; });
        return [...document.querySelectorAll("td .meaning > div")].map((part) => part.getBoundingClientRect().right)""")
    browser.devtools("Emulation.clearDeviceMetricsOverride")
    check(wide and max(wide) < 700, f"where they end: {wide}")


def stays_text(browser, folder):
    """A capture in a folder of a hostile name, with a hostile interface name and comment."""
    place = folder.joinpath(*HOSTILE.split("/"))
    place.parent.mkdir(parents=True)
    place.write_bytes(hostile_pcapng())
    page = folder / "hostile.html"
    subprocess.run([PROGRAM, "report", "--quiet", place.relative_to(folder), "-o", page], cwd=folder, check=True)
    browser.open(page)
    check(browser.run("return window.foreign ?? null") is None, "foreign script ran")
    check(browser.run("return document.querySelectorAll('img').length") == 0, "foreign markup")
    check(HOSTILE in browser.text("h1"), browser.text("h1"))
    check(not errors(browser), "console")


def hostile_pcapng() -> bytes:
    """The first fixture's packets in a pcapng whose options hold markup."""
    plain = (ROOT / "fixtures/receiver-window.pcap").read_bytes()
    def word(number):
        return number.to_bytes(4, "little")
    def option(code, text):
        octets = text.encode()
        return code.to_bytes(2, "little") + len(octets).to_bytes(2, "little") + octets + b"\0" * (-len(octets) % 4)
    def block(kind, body):
        return word(kind) + word(len(body) + 12) + body + word(len(body) + 12)
    out = block(0x0A0D0D0A, word(0x1A2B3C4D) + b"\1\0\0\0" + b"\xff" * 8 + option(1, HOSTILE) + word(0))
    is_nano = plain[:4] == bytes.fromhex("4d3cb2a1")
    out += block(1, plain[20:22] + b"\0\0" + word(0) + option(2, HOSTILE) + option(3, HOSTILE) + word(0))
    at = 24
    while at < len(plain):
        time, part, kept, whole = (int.from_bytes(plain[at + 4 * i:at + 4 * i + 4], "little") for i in range(4))
        ticks = time * 1_000_000 + (part // 1000 if is_nano else part)
        data = plain[at + 16:at + 16 + kept]
        out += block(6, word(0) + word(ticks >> 32) + word(ticks & 0xFFFFFFFF) + word(kept) + word(whole)
                     + data + b"\0" * (-kept % 4) + option(1, HOSTILE) + word(0))
        at += 16 + kept
    return out


def shows_doubts(browser, folder):
    """A file without TCP, and one that is cut."""
    cut = folder / "cut.pcap"
    cut.write_bytes((ROOT / "fixtures/receiver-window.pcap").read_bytes()[:20_011])
    empty = folder / "empty.pcap"
    empty.write_bytes((ROOT / "fixtures/receiver-window.pcap").read_bytes()[:24])
    for file, words in ((cut, "W001"), (empty, "No flow")):
        page = folder / "doubt.html"
        subprocess.run([PROGRAM, "report", "--quiet", file, "-o", page], check=False)
        browser.open(page)
        check(words in browser.text("main"), words)
        check(not errors(browser), "console")


def many_flows(copies) -> bytes:
    """The first fixture's connection, as often, each from a port of its own."""
    plain = (ROOT / "fixtures/receiver-window.pcap").read_bytes()
    packets, at = [], 24
    while at < len(plain):
        end = at + 16 + int.from_bytes(plain[at + 8:at + 12], "little")
        # The sender's port stands first in what it sends, second in what it gets: after the
        # record's header, Ethernet and an IPv4 header without options.
        packets.append((plain[at:at + 50], plain[at + 50:at + 52], plain[at + 52:at + 54], plain[at + 54:end]))
        at = end
    sender = packets[0][1]
    out = [plain[:24]]
    for head, source, target, rest in packets:
        for copy in range(copies):
            port = (20_000 + copy).to_bytes(2, "big")
            out += [head, port if source == sender else source, port if target == sender else target, rest]
    return b"".join(out)


def opens_quickly(browser, folder):
    """500 flows with 700 packets each; the best of three, as the machine may be busy."""
    capture, page = folder / "many.pcap", folder / "500.html"
    capture.write_bytes(many_flows(500))
    subprocess.run([PROGRAM, "report", "--quiet", capture, "-o", page], check=True)
    seconds = []
    for _ in range(3):
        seconds.append(browser.open(page))
    check(len(column(browser, 1)) == 100, "the first rows")
    browser.click("#flows .scroll + button")
    check(len(set(column(browser, 1))) == 500, "all rows when asked for")
    figures = {"page.of_500_flows_s": min(seconds), "page.of_500_flows_mb": page.stat().st_size / 1e6}
    check(hold(figures) == 0, "a bound is passed")


def picture_is_made_as_the_readme_says(browser, folder):
    """The README's two commands, elsewhere; the picture has the size of the one that it shows."""
    blocks = re.findall(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    [shoots] = [block for block in blocks if "examples/report.png" in block]
    writes = next(block for block in blocks if block.startswith("tcplimit report") and "-o report.html" in block)
    (folder / "examples").mkdir()
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    # Chromium's sandbox refuses the superuser, who runs CI in containers.
    shoots = shoots.replace("--headless", "--headless --no-sandbox --disable-gpu")
    script = f"PATH={PROGRAM.parent}:$PATH\n{writes}\n{shoots}"
    subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, check=True, capture_output=True)
    made, shown = ((place / "examples/report.png").read_bytes() for place in (folder, ROOT))
    check(made[:24] == shown[:24], "another size")
    check(len(shown) < 200_000, "not small")


def main() -> int:
    if not webdriver.is_there():
        skip("no chromium with chromedriver; apt-get install chromium chromium-driver")
    tests = [loads_cleanly, sorts, filters, figures_are_the_json_s, zooms_in_step, works_by_keys, names_are_given, darkens,
             prints, fits_a_phone, explains_within_the_screen, stays_text, shows_doubts, unknown_stays_unknown, opens_quickly,
             picture_is_made_as_the_readme_says]
    failed = 0
    with tempfile.TemporaryDirectory() as name, webdriver.Browser() as browser:
        for test in tests:
            try:
                test(browser, Path(name))
                print(f"pass  {test.__name__}")
            except (AssertionError, RuntimeError, KeyError, TypeError, ValueError, StopIteration, OSError, subprocess.CalledProcessError) as error:
                failed += 1
                print(f"FAIL  {test.__name__}: {type(error).__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
