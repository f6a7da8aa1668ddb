// The flows as a table to sort and to filter. A row is built when it is first shown.

// More rows come when they are asked for: a page of many flows opens sooner.
const FLOWS_FIRST = 100;

const resentShare = (flow) => (flow.payload_bytes > 0 ? flow.retransmitted_bytes / flow.payload_bytes : 0);
const peer = (end) => (end.ip.includes(":") ? `[${end.ip}]:${end.port}` : `${end.ip}:${end.port}`);
const ends = (flow) => `${peer(flow.src)} → ${peer(flow.dst)}`;

const pathOf = (flow) => (flow.path?.verdict ? pathName(flow.path.verdict) : DASH);

const SURE = ["low", "medium", "high"];

// `value` orders (the unknown is null and comes last), `show` fills the cell.
const COLUMNS = [
  { key: "stream", title: "stream", kind: "number", up: true, value: (flow) => flow.stream, show: (flow) => flowLink(flow, count(flow.stream)) },
  { key: "ends", title: "from → to", kind: "name", up: true, value: ends, show: (flow) => [ends(flow), scopeOf(flow)] },
  { key: "bytes", title: "bytes", kind: "number", value: (flow) => flow.payload_bytes, show: (flow) => bytes(flow.payload_bytes) },
  { key: "rate", title: "goodput", kind: "number", value: (flow) => flow.goodput_bps, show: (flow) => rate(flow.goodput_bps) },
  { key: "limit", title: "limited by", kind: "name", up: true, value: (flow) => limitWords(flow.verdict.limit).name, show: (flow) => limitName(flow.verdict.limit) },
  { key: "path", title: "path", kind: "name", up: true, value: pathOf, show: pathOf },
  { key: "share", title: "share", kind: "number", value: (flow) => flow.verdict.share, show: (flow) => percent(flow.verdict.share) },
  { key: "sure", title: "confidence", kind: "name", value: (flow) => SURE.indexOf(flow.verdict.confidence), show: (flow) => flow.verdict.confidence },
  { key: "loss", title: "resent", kind: "number", value: resentShare, show: (flow) => percent(resentShare(flow)) },
  { key: "rtt", title: "RTT", kind: "number", value: (flow) => flow.rtt?.usual_us ?? null, show: (flow) => (flow.rtt?.usual_us < 1 ? DASH : micros(flow.rtt?.usual_us)) },
  { key: "shares", title: "time by limit", kind: "bars", show: (flow) => bar(sharesOf(flow), inWords(sharesOf(flow)), "thin") },
];

const flowLink = (flow, text) => element("a", { href: `#${keyOf(flow)}`, "aria-label": `Stream ${flow.stream}, ${ends(flow)}` }, text);
const scopeOf = (flow) => (flow.scope ? element("span", { class: "quiet" }, ` ${shortened(flow.scope)}`) : null);

class FlowTable {
  constructor(section, flows, onChoose) {
    this.section = section;
    this.sortedBy = { key: "bytes", isDescending: true };
    this.limits = new Set();
    this.onChoose = onChoose;
    this.most = FLOWS_FIRST;
    this.rows = flows.map((flow) => ({ flow, isMatch: true, made: null, text: searchText(flow) }));
    this.build();
    this.sort();
  }

  // The table's row of one flow.
  made(row) {
    const cells = () => COLUMNS.map((column) => element("td", { class: column.kind }, column.show(row.flow)));
    row.made ??= element("tr", { onclick: () => this.onChoose(row.flow) }, cells());
    if (row.flow === this.current) row.made.setAttribute("aria-current", "true");
    else row.made.removeAttribute("aria-current");
    return row.made;
  }

  build() {
    this.search = element("input", { type: "search", placeholder: "address, port, stream or limit",
      "aria-label": "Filter the flows", oninput: () => this.filter() });
    this.found = element("span", { class: "quiet", role: "status" });
    this.headings = COLUMNS.map((column) => this.heading(column));
    this.body = element("tbody");
    this.more = element("button", { type: "button", onclick: () => this.showAll() });
    replaceChildren(this.section,
      element("div", { class: "head" }, element("h2", { id: "flows-title" }, "Flows"), this.found),
      element("div", { class: "filters" }, this.search, this.limitButtons()),
      element("div", { class: "scroll", onkeydown: (event) => onRowKeys(event, "a") },
        element("table", {}, element("caption", { class: "unseen" }, "Flows; a heading sorts, a row opens the flow"),
          element("thead", {}, element("tr", {}, this.headings)), this.body)), this.more);
  }

  heading(column) {
    if (!column.value) return element("th", { scope: "col", class: column.kind }, column.title);
    return element("th", { scope: "col", class: column.kind },
      element("button", { type: "button", onclick: () => this.sortBy(column) }, column.title));
  }

  limitButtons() {
    const counts = new Map();
    for (const { flow } of this.rows) counts.set(flow.verdict.limit, (counts.get(flow.verdict.limit) ?? 0) + 1);
    const known = [...counts].sort(([a], [b]) => limitWords(a).rank - limitWords(b).rank);
    return known.map(([limit, number]) => element("button", { type: "button", "aria-pressed": "false",
      "data-limit": limit, onclick: (event) => this.toggle(limit, event.currentTarget) },
    element("span", { class: "limit-cell" }, swatch(limit), `${limitWords(limit).name} ${count(number)}`)));
  }

  toggle(limit, button) {
    if (!this.limits.delete(limit)) this.limits.add(limit);
    button.setAttribute("aria-pressed", String(this.limits.has(limit)));
    this.filter();
  }

  sortBy(column) {
    const isSame = this.sortedBy.key === column.key;
    const isDescending = isSame ? !this.sortedBy.isDescending : !column.up;
    this.sortedBy = { key: column.key, isDescending };
    this.sort();
    announce(`sorted by ${column.title}, ${isDescending ? "largest" : "smallest"} first`);
  }

  sort() {
    const { key, isDescending } = this.sortedBy;
    const { value } = COLUMNS.find((column) => column.key === key);
    this.rows.sort((a, b) => compare(value(a.flow), value(b.flow), isDescending) || a.flow.stream - b.flow.stream);
    COLUMNS.forEach((column, index) => {
      const heading = this.headings[index];
      if (column.key === key) heading.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
      else heading.removeAttribute("aria-sort");
    });
    this.filter();
  }

  filter() {
    const wanted = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) {
      const isChosen = this.limits.size === 0 || this.limits.has(row.flow.verdict.limit);
      row.isMatch = isChosen && wanted.every((word) => row.text.includes(word));
    }
    this.show();
  }

  show() {
    const matching = this.rows.filter((row) => row.isMatch);
    this.body.replaceChildren(...matching.slice(0, this.most).map((row) => this.made(row)));
    setStop(this.body, "a");
    this.more.hidden = matching.length <= this.most;
    this.more.textContent = `Show all ${count(matching.length)}`;
    this.found.textContent = matching.length === this.rows.length ? leftOut(matching.length)
      : matching.length === 0 ? "no flow matches" : `${count(matching.length)} of ${counted(this.rows.length, "flow")}`;
  }

  showAll() {
    this.most = Infinity;
    this.show();
  }

  mark(flow) {
    this.current = flow;
    for (const row of this.rows) if (row.made) this.made(row);
  }

  // The flow beside `flow` in the order shown; undefined at either end.
  beside(flow, step) {
    const shown = this.rows.filter((row) => row.isMatch || row.flow === flow);
    return shown[shown.findIndex((row) => row.flow === flow) + step]?.flow;
  }
}

// What a filter looks at.
const searchText = (flow) =>
  [flow.stream, ends(flow), flow.scope ?? "", limitWords(flow.verdict.limit).name, pathOf(flow), flow.verdict.confidence].join(" ").toLowerCase();

function compare(a, b, isDescending) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b;
  return isDescending ? -order : order;
}

function leftOut(shown) {
  const more = WORDS.flows_left_out;
  return more > 0 ? `the ${count(shown)} largest flows; ${counted(more, "flow")} with less left out, but in the sums`
    : counted(shown, "flow");
}
