// Starts the page: reads the report, shows the summary and the table, follows the address's `#`.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const REPORT = read("report");
const WORDS = read("words");

// A flow's name in the page's address: its stream, and `b` for the stream's second direction.
const FLOWS = new Map();
for (const flow of REPORT.flows) {
  FLOWS.set(FLOWS.has(String(flow.stream)) ? `${flow.stream}b` : String(flow.stream), flow);
}
const KEYS = new Map([...FLOWS].map(([key, flow]) => [flow, key]));
const keyOf = (flow) => KEYS.get(flow);

const KEY_HELP = [
  ["/", "filter the flows"], ["n, p", "next, previous flow of the table"], ["t", "to the timeline"],
  ["← →", "in the timeline: move the pointer; with Shift: earlier, later"], ["+ −", "zoom at the pointer"],
  ["0", "the whole flow"], ["Esc", "take the pointer away"], ["?", "show or hide this list"],
];

class Page {
  constructor() {
    this.section = document.getElementById("flow");
    this.current = null;
    this.useTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    document.getElementById("facts").textContent = factsOfCapture();
    showSummary(document.getElementById("summary"));
    this.showTable(document.getElementById("flows"));
    this.showFoot(document.getElementById("foot"));
    this.listen();
    this.follow();
  }

  showTable(section) {
    document.body.classList.toggle("only", REPORT.flows.length < 2);
    if (REPORT.flows.length < 2) return;
    section.hidden = false;
    this.table = new FlowTable(section, REPORT.flows, (flow) => this.choose(flow));
  }

  // The flow that the address names, or the largest.
  follow() {
    const asked = FLOWS.get(location.hash.slice(1));
    const largest = () => REPORT.flows.reduce((most, flow) => (flow.payload_bytes > most.payload_bytes ? flow : most));
    if (asked) this.open(asked);
    else if (!this.current && REPORT.flows.length > 0) this.open(largest());
    else if (REPORT.flows.length === 0) this.showNothing();
  }

  // Opens it, and lets the address name it.
  choose(flow) {
    this.open(flow);
    location.hash = keyOf(flow);
  }

  open(flow) {
    if (this.current?.flow === flow) return;
    this.current?.destroy();
    this.current = new FlowPage(this.section, flow, this.neighbours(flow));
    this.table?.mark(flow);
  }

  showNothing() {
    replaceChildren(this.section, element("h2", { id: "flow-title" }, "No flow"),
      element("p", { class: "notice" }, "The capture holds no TCP flow that could be analysed."));
    this.section.hidden = false;
  }

  neighbours(flow) {
    if (!this.table) return null;
    const button = (text, step) => {
      const other = this.table.beside(flow, step);
      return element("button", { type: "button", disabled: !other, onclick: () => this.go(step) }, text);
    };
    return element("div", { class: "tools no-print" }, button("Previous flow", -1), button("Next flow", 1));
  }

  // To the flow beside, in the order of the table.
  go(step) {
    const other = this.current && this.table?.beside(this.current.flow, step);
    if (!other) return;
    this.choose(other);
    announce(`${ends(other)}: ${other.verdict.text}`);
  }

  listen() {
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.onKey(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => this.useTheme(event.matches ? "dark" : "light"));
    document.getElementById("theme-button").addEventListener("click", () => this.useTheme(this.theme === "dark" ? "light" : "dark"));
    document.getElementById("keys-button").addEventListener("click", () => this.toggleKeys());
    document.getElementById("save-button").addEventListener("click", saveReport);
    addEventListener("beforeprint", () => this.onPrint(true));
    addEventListener("afterprint", () => this.onPrint(false));
  }

  onKey(event) {
    const isTyping = event.target.matches?.("input, select, textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const acts = {
      "/": () => this.table?.search.focus(), n: () => this.go(1), p: () => this.go(-1), "?": () => this.toggleKeys(),
      t: () => { this.current?.timeline.root.scrollIntoView({ block: "start" }); this.current?.timeline.place.focus({ preventScroll: true }); },
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
  }

  useTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    document.getElementById("theme-button").textContent = theme === "dark" ? "Light" : "Dark";
    this.current?.timeline.draw();
  }

  toggleKeys() {
    const place = document.getElementById("keys");
    const rows = KEY_HELP.map(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]);
    replaceChildren(place, element("dl", {}, rows));
    place.hidden = !place.hidden;
    document.getElementById("keys-button").setAttribute("aria-expanded", String(!place.hidden));
  }

  // On paper: light colours, the paper's width.
  onPrint(isStart) {
    const timeline = this.current?.timeline;
    document.documentElement.dataset.theme = isStart ? "light" : this.theme;
    if (isStart) this.table?.showAll();
    this.unfold(isStart);
    if (!timeline) return;
    timeline.isPrinting = isStart;
    timeline.draw(isStart ? PAPER_WIDTH : undefined);
  }

  // Paper cannot be opened; what only lists all figures stays out.
  unfold(isStart) {
    const folded = () => [...this.section.querySelectorAll("details.fold:not([open])")];
    if (isStart) this.folded = folded().filter((fold) => !fold.querySelector(".figures"));
    for (const fold of this.folded ?? []) fold.open = isStart;
  }

  showFoot(place) {
    replaceChildren(place,
      element("p", {}, `tcplimit ${REPORT.tool_version}, report layout ${REPORT.schema_version}. This page holds the whole report as JSON `
        + "(the button at the top saves it) and asks the network for nothing."),
      element("p", {}, "Curves hold a bounded number of points, the least and the greatest of each stretch, so that no spike is lost. "
        + "Times are seconds since the flow's start; frames are numbered as in Wireshark."),
      element("p", {}, "Plots: uPlot, MIT licence, whose text stands in this page's source."));
  }
}

// Width of the plots on A4 and Letter within their margins, in CSS pixels.
const PAPER_WIDTH = 680;

function saveReport() {
  const text = document.getElementById("report").textContent;
  const link = element("a", { download: "tcplimit-report.json" });
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

const PAGE = new Page();
