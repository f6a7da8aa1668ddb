// The capture in a few sums.

const limitWords = (limit) => WORDS.limits[limit] ?? WORDS.limits.unknown;
const limitClass = (limit) => (limit in WORDS.limits ? limit : "unknown");

// The letter in its colour; the name stands beside it or is given to be read out.
function swatch(limit, isNamed = true) {
  const label = isNamed ? { "aria-hidden": "true" } : { role: "img", "aria-label": limitWords(limit).name };
  return element("span", { class: `swatch ${limitClass(limit)}`, ...label }, limitWords(limit).letter);
}

const limitName = (limit) =>
  element("span", { class: "limit-cell" }, swatch(limit), limitWords(limit).name);

// Parts of a whole: [limit, share]. Read out as `label`.
function bar(parts, label, kind = "") {
  const made = element("div", { class: `bar ${kind}`, role: "img", "aria-label": label });
  for (const [limit, share] of parts.filter(([, share]) => share > 0.0005)) {
    const part = element("span", { class: limitClass(limit), title: `${limitWords(limit).name} ${percent(share)}` },
      share > 0.03 ? limitWords(limit).letter : "");
    part.style.flex = `${share} 1 0`;
    made.append(part);
  }
  return made;
}

const sharesOf = (flow) => Object.entries(flow.limits).map(([limit, part]) => [limit, part.share]);

const inWords = (parts) => parts.filter(([, share]) => share >= 0.005)
  .sort(([, a], [, b]) => b - a).map(([limit, share]) => `${limitWords(limit).name} ${percent(share)}`).join(", ");

// Texts with a code; each opens to what its code means.
function codedList(items) {
  return element("ul", { class: "coded" }, items.map(({ code, text }) =>
    element("li", { class: codeKind(code) }, codeText(code, text))));
}

const codeKind = (code) => WORDS.codes[code]?.kind ?? "note";

function codeText(code, text = "") {
  const words = WORDS.codes[code];
  const shown = [element("span", { class: "code" }, code), text ? ` ${text}` : ""];
  if (!words) return shown;
  return element("details", { class: "meaning" }, element("summary", {}, shown),
    element("div", {}, element("p", {}, element("strong", {}, `${sentence(words.title)}.`)), element("p", {}, words.meaning),
      element("p", {}, words.remedy)));
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function factsOfCapture() {
  const { input, summary } = REPORT;
  const lost = input.capture_drops === null ? null
    : input.capture_drops === 0 ? "no packets lost by the capture" : `${counted(input.capture_drops, "packet")} lost by the capture`;
  return [
    input.first_packet_utc ? dayAndTime(input.first_packet_utc) : null,
    seconds(input.duration_s),
    counted(input.packets, "packet"),
    counted(input.connections, "TCP connection"),
    payloadInWords(summary),
    lost,
    notTcp(input),
  ].filter(Boolean).join(" · ");
}

// Of a capture of ACKs alone, what they acknowledged.
function payloadInWords(summary) {
  const acked = REPORT.flows.filter((flow) => flow.packets === 0).reduce((sum, flow) => sum + ackedBytes(flow), 0);
  return summary.payload_bytes === 0 && acked > 0 ? `${bytes(acked)} by the ACKs alone` : `${bytes(summary.payload_bytes)} of payload`;
}

function notTcp(input) {
  const skipped = input.skipped.filter((skip) => skip.packets > 0).map((skip) => `${spaced(shortened(skip.reason))} ${count(skip.packets)}`);
  return skipped.length > 0 ? `not TCP: ${skipped.join(", ")}` : null;
}

function showSummary(section) {
  const { summary, input, notes } = REPORT;
  const total = Math.max(1, summary.payload_bytes);
  const parts = summary.by_limit.map((part) => [part.limit, part.payload_bytes / total]);
  const shown = [
    summary.flows > 1 ? [
      element("h2", { id: "summary-title" }, "Bytes by limit"),
      element("p", { class: "quiet" }, sharedBy(summary)),
      bar(parts, `Bytes by limit: ${inWords(parts)}`),
      element("div", { class: "tables" },
        totalsTable("limited by", summary.by_limit.map((part) => [limitName(part.limit), part]), total),
        pathTotals(total)),
    ] : element("h2", { id: "summary-title", class: "unseen" }, "The capture"),
    input.damage ? element("p", { class: "notice" },
      `${shortened(input.damage.file)}: ${input.damage.what}; what precedes it was analysed.`) : null,
    notes.length > 0 ? codedList(notes) : null,
  ].flat().filter(Boolean);
  replaceChildren(section, shown);
  section.hidden = shown.length < 2;
}

function totalsTable(title, totals, whole) {
  const rows = totals.map(([name, part]) => [name, percent(part.payload_bytes / whole), bytes(part.payload_bytes), count(part.flows)]);
  return table(`Bytes: ${title}`, [[title, "name"], ["of bytes", "number"], ["bytes", "number"], ["flows", "number"]], rows);
}

const PATHS = { bottleneck_full: "full", shared: "full and shared", aqm_or_ecn: "full, AQM or ECN" };

// The flows of the page by the kind of their path, the most bytes first.
function pathTotals(whole) {
  const totals = new Map();
  for (const { path, payload_bytes: size } of REPORT.flows.filter((flow) => flow.path?.verdict && flow.payload_bytes > 0)) {
    const part = totals.get(path.verdict) ?? { payload_bytes: 0, flows: 0 };
    totals.set(path.verdict, { payload_bytes: part.payload_bytes + size, flows: part.flows + 1 });
  }
  if (totals.size === 0) return null;
  const sorted = [...totals].sort(([, a], [, b]) => b.payload_bytes - a.payload_bytes);
  const title = WORDS.flows_left_out > 0 ? "path of the flows shown" : "path";
  return totalsTable(title, sorted.map(([verdict, part]) => [pathName(verdict), part]), whole);
}

const pathName = (verdict) => PATHS[verdict] ?? spaced(verdict);

function sharedBy(summary) {
  const few = summary.flows_of_90_percent;
  return `${counted(summary.flows, "flow")} with payload; ${few === 1 ? "one carries" : `${count(few)} carry`} 90 % of the bytes.`;
}
