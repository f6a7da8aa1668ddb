// What else the report says of a flow: the path, the sender's congestion control, what lifting a
// limit would give, and all other figures by their keys in the JSON.

function pathInBrief({ path }) {
  const { verdict, capacity } = path;
  const kind = !verdict || verdict === "unknown" ? null : `path ${pathName(verdict)}`;
  const size = capacity ? `bottleneck about ${rate(capacity.bps)} (${rangeOf(capacity.low_bps, capacity.high_bps, rate)})` : null;
  return [kind, size].filter(Boolean).join(", ") || null;
}

function controlInBrief(flow) {
  const control = flow.congestion_control;
  return control && control.class !== "unknown" ? `congestion control ${congestionName(control.class)}` : null;
}

const congestionName = (key) => WORDS.congestion[key] ?? spaced(key);

// `1.98–2.02 Mbit/s`.
function rangeOf(low, high, figure) {
  if (high === null) return `at least ${figure(low)}`;
  const [[least, unit], most] = [figure(low).split(" "), figure(high)];
  return most.endsWith(` ${unit}`) ? `${least}${DASH}${most}` : `${figure(low)} ${DASH} ${most}`;
}

// As in the text: a range tells nothing where its ends lie further apart.
function isVague(one, goodput) {
  const [low, high] = [Math.max(one.low_bps, goodput), one.high_bps];
  return one.rate_bps === null && (high === null ? one.low_bps <= goodput : high > 20 * low);
}

const orMore = (one) => (one.high_bps === null && one.rate_bps !== null ? `${rate(one.rate_bps)} or more` : rate(one.rate_bps));

function whatIfTable(flow) {
  const list = (flow.what_if ?? []).filter((one) => !isVague(one, flow.goodput_bps));
  if (list.length === 0) return null;
  const rows = list.map((one) => [
    sentence(WORDS.lifted[one.lifted] ?? spaced(one.lifted)), orMore(one), rangeOf(one.low_bps, one.high_bps, rate),
    WORDS.next_limits[one.next_limit] ?? spaced(one.next_limit), one.assumption]);
  const columns = [["", "name"], ["goodput", "number"], ["range", "number"], ["next limit", "name"], ["what this rests on", "wide"]];
  return element("div", { class: "shares lifted" }, element("h3", {}, "If a limit were lifted"), table("Predicted goodput if a limit were lifted", columns, rows));
}

// Shown elsewhere on the page, as a whole.
const SHOWN = new Set(["src", "dst", "verdict", "limits", "intervals", "evidence", "notes", "episodes", "cwnd", "series", "what_if", "congestion_control", "recovery", "path"]);

// Objects with a heading of their own.
const TOPICS = [["congestion_control", "Congestion control"], ["recovery", "What a loss costs"], ["path", "Path"]];

function topics(flow) {
  return TOPICS.filter(([key]) => flow[key]).map(([key, title]) => fold(title, topicInBrief(key, flow[key]), figuresOf(flow[key])));
}

function topicInBrief(key, object) {
  if (key === "congestion_control") return `${congestionName(object.class)}; ${counted(object.epochs_count, "epoch")}`;
  if (key === "recovery") return object.regained_s === null ? "" : `the window was back after ${seconds(object.regained_s)}`;
  return [object.verdict ? pathName(object.verdict) : null, object.capacity ? `about ${rate(object.capacity.bps)}` : "its rate is not known"].filter(Boolean).join("; ");
}

// As the text report has it, for a ticket or a mail.
function asText(flow) {
  const text = WORDS.texts[REPORT.flows.indexOf(flow)];
  return text ? fold("As text", "to copy into a ticket", element("pre", {}, textNode(text))) : null;
}

// Its lines stay lines.
const textNode = (text) => document.createTextNode(text.split("\n").map(clean).join("\n"));

function allFigures(flow) {
  const others = Object.entries(flow).filter(([key]) => !SHOWN.has(key));
  return fold("All figures", "of this direction", figuresOf(Object.fromEntries(others)));
}

// Plain values first, then each object and list under its key.
function figuresOf(object) {
  const facts = Object.entries(object).filter(([key, value]) => !isNested(value) && key !== "stream");
  const nested = Object.entries(object).filter(([, value]) => isNested(value));
  return element("div", { class: "figures" },
    element("dl", { class: "facts" }, facts.map(([key, value]) =>
      element("div", {}, element("dt", {}, metricName(key)), element("dd", {}, plainFigure(key, value))))),
    nested.map(([key, value]) => [element("h3", {}, key === "rtt" ? "RTT" : sentence(spaced(key))),
      Array.isArray(value) ? listOf(key, value) : figuresOf(value)]));
}

const isNested = (value) => value !== null && typeof value === "object" && !(Array.isArray(value) && !isNested(value[0] ?? null));

function plainFigure(key, value) {
  if (value === null) return DASH;
  if (Array.isArray(value)) return value.length > 0 ? value.map((one) => (key === "candidates" ? congestionName(one) : spaced(one))).join(", ") : "none";
  if (typeof value === "number") return metricFigure(key, value);
  if (key === "law" || key === "class") return congestionName(value);
  return typeof value === "boolean" ? (value ? "yes" : "no") : spaced(shortened(value));
}

// A list of objects of one kind.
function listOf(title, list) {
  const keys = Object.keys(list[0]).filter((key) => !isNested(list[0][key]));
  const made = table(spaced(title), keys.map((key) => [metricName(key), "number"]), list.map((one) => keys.map((key) => plainFigure(key, one[key]))));
  if (list.length > 14) made.classList.add("long");
  return made;
}
