// One flow's answer: what limited it, how sure, by which numbers, what to try.

function verdictCard(flow) {
  const { verdict } = flow;
  const rtt = flow.rtt ? roundTrip(flow.rtt) : "RTT unknown";
  const size = [`goodput ${rate(flow.goodput_bps)}`, `${bytes(ackedBytes(flow))} in ${seconds(flow.duration_s)}`, carried(flow), rtt, pathInBrief(flow), controlInBrief(flow)];
  return element("div", { class: "verdict" },
    swatch(verdict.limit),
    element("p", { class: "says" }, sentence(verdict.text)),
    element("p", { class: "sure" }, confidence(verdict)),
    element("p", { class: "size" }, size.filter(Boolean).join(" · ")));
}

// What the capture's clock does not resolve is no figure.
function roundTrip(rtt) {
  if (rtt.usual_us < 1) return "RTT below the clock's tick";
  return `RTT ${micros(rtt.usual_us)}${rtt.min_us < 1 ? "" : ` (min ${micros(rtt.min_us)})`}`;
}

// What was acknowledged, which the goodput is of; and what the packets carried, where that reads otherwise.
const ackedBytes = (flow) => flow.acked_bytes ?? flow.payload_bytes;

function carried(flow) {
  const [acked, octets] = [ackedBytes(flow), flow.payload_bytes];
  if (flow.packets === 0 && acked > 0) return "by the ACKs alone";
  return bytes(acked) === bytes(octets) ? null : `${bytes(octets)} ${acked < octets ? "sent" : "captured"}`;
}

function confidence(verdict) {
  const second = verdict.runner_up ? `, next ${limitWords(verdict.runner_up).name}` : "";
  return [element("span", { class: "quiet" }, "confidence "),
    element("strong", {}, WORDS.confidences[verdict.confidence] ?? verdict.confidence), element("span", { class: "quiet" }, second)];
}

function sharesTable(flow) {
  const held = Object.entries(flow.limits).filter(([, part]) => part.time_s > 0).sort(([, a], [, b]) => b.share - a.share);
  const rows = held.map(([limit, part]) => [
    limitName(limit), meter(limit, part), percent(part.share),
    `${(100 * part.share_low).toFixed(0)}${DASH}${(100 * part.share_high).toFixed(0)} %`, seconds(part.time_s), causesOf(part)]);
  return [
    element("h3", {}, "Share of the time"),
    bar(sharesOf(flow), inWords(sharesOf(flow))),
    table("Share of the time by limit", [["limit", "name"], ["", "meter-cell"], ["share", "number"], ["range", "number"], ["time", "number"], ["causes", "wide"]], rows),
  ];
}

// The share as a bar, its range as a line across it.
function meter(limit, part) {
  const [fill, range] = [element("i", { class: limitClass(limit) }), element("b")];
  fill.style.width = `${100 * part.share}%`;
  range.style.left = `${100 * part.share_low}%`;
  range.style.width = `${100 * (part.share_high - part.share_low)}%`;
  return element("span", { class: "meter", "aria-hidden": "true" }, fill, range);
}

// Without what is small beside the rest, as in the text.
const CAUSE_MIN = 0.01;

function causesOf(part) {
  const named = (cause) => WORDS.causes[cause] ?? spaced(cause);
  const shown = part.causes.filter((cause) => cause.time_s > CAUSE_MIN * part.time_s);
  if (shown.length === 1) return named(shown[0].cause);
  return shown.map(({ cause, time_s: time }) => `${named(cause)} ${seconds(time)}`).join(", ");
}

function reasons(flow) {
  const { verdict, notes } = flow;
  const part = (title, list) => [element("h3", {}, title), list];
  return element("div", { class: "columns" },
    verdict.why.length > 0 ? element("div", {}, part("Why", element("ul", { class: "why" }, verdict.why.map((text) => element("li", {}, sentence(text)))))) : null,
    element("div", {},
      verdict.advice.length > 0 ? part("What to do", codedList(verdict.advice)) : null,
      notes.length > 0 ? part("Notes", codedList(notes)) : null));
}
