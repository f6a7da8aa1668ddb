// Which panels a flow has, and what is drawn in them. Every number stands in the report.

// A receiver's window this much above all else may leave the panel at its upper edge.
const ABOVE_FACTOR = 2.5;

function panelsOf(flow, hasSequence = false) {
  return [limitPanel(flow), ratePanel(flow), windowPanel(flow), rttPanel(flow), hasSequence ? sequencePanel(flow) : null,
    eventPanel(flow)].filter(Boolean);
}

function limitPanel(flow) {
  const stretches = [];
  for (const { start_s: start, end_s: end, limit } of flow.intervals) {
    const last = stretches.at(-1);
    if (last?.kind === limitClass(limit)) last.end = end;
    else stretches.push({ start, end, kind: limitClass(limit), letter: limitWords(limit).letter });
  }
  const kinds = [...new Set(flow.intervals.map((interval) => interval.limit))].sort((a, b) => limitWords(a).rank - limitWords(b).rank);
  return { title: "Limit", lanes: [{ height: BAND_HEIGHT, stretches }], kinds };
}

// A line that holds each value until the next, drawn to the flow's end.
function heldLine(line, values, end) {
  if (line.t_s.length === 0) return { times: [], values: [] };
  return { times: [...line.t_s, Math.max(end, line.t_s.at(-1))], values: [...values, values.at(-1)] };
}

const levelLine = (value, end) => ({ times: [0, end], values: [value, value] });

// A window that is narrower than some pixels makes bursts and the silences between them one solid plane.
const RATE_STEPS_MAX = 300;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function ratePanel(flow) {
  const rates = flow.series?.rates;
  // At one instant nothing has a rate.
  if (!rates || flow.duration_s <= 0) return null;
  const all = rates.goodput_bps.length;
  const join = Math.ceil(all / RATE_STEPS_MAX);
  const starts = rates.goodput_bps.map((_, index) => index).filter((index) => index % join === 0);
  const times = [...starts, all].map((index) => rates.start_s + index * rates.window_s);
  const steps = (values) => {
    const means = starts.map((index) => mean(values.slice(index, index + join)));
    return { times, values: [...means, means.at(-1)] };
  };
  const capacity = flow.path?.capacity;
  return {
    title: "Rate", units: RATE_UNITS, figure: rate, says: `means over ${seconds(rates.window_s * join)}`,
    curves: [
      ...(capacity ? capacityBand(capacity, flow.duration_s) : []),
      { label: "wire rate", color: "--receive_window", width: 1, ...steps(rates.wire_bps) },
      { label: "goodput", color: "--main", width: 2, ...steps(rates.goodput_bps) },
    ],
  };
}

const capacityBand = ({ bps, low_bps: low, high_bps: high }, end) => [
  { color: "--strong-line", width: 0, isBandTop: true, ...levelLine(high, end) },
  { color: "--strong-line", width: 0, isBandBottom: true, ...levelLine(low, end) },
  { label: "capacity (estimated)", color: "--quiet", dash: [2, 3], ...levelLine(bps, end) },
];

function windowPanel(flow) {
  const { series, cwnd, send_buffer: buffer, duration_s: end } = flow;
  const shadow = cwndCurves(cwnd?.series ?? []);
  const held = buffer ? [{ label: "send buffer holds (estimated)", color: "--send_buffer", dash: [8, 4], ...levelLine(buffer.held_bytes, end) }] : [];
  const lines = series ? [
    { label: "pipe", color: "--second", width: 1, ...heldLine(series.pipe, series.pipe.bytes, end) },
    { label: "flight", color: "--ink", width: 1.25, ...heldLine(series.flight, series.flight.bytes, end) },
  ] : [];
  const curves = [...shadow, ...held, ...lines].filter((curve) => curve.times.length > 0);
  const window = series ? windowCurve(series.rwnd, curves, end) : null;
  if (window) curves.push(window);
  if (curves.length === 0) return null;
  return { title: "Windows", units: BYTE_UNITS, figure: bytes, curves, says: leftOutOf(series ? [series.flight, series.pipe, series.rwnd] : []) };
}

function cwndCurves(points) {
  if (points.length === 0) return [];
  const times = points.map((point) => point.t_s);
  const of = (key) => points.map((point) => point[key]);
  const color = "--congestion_window";
  return [
    { color, times, values: of("high_bytes"), width: 0, isBandTop: true },
    { color, times, values: of("low_bytes"), width: 0, isBandBottom: true },
    { label: "cwnd (estimated)", color, times, values: of("best_bytes"), dash: [6, 3] },
  ];
}

// The receiver's window. Far above all else it would flatten the rest: then it does not count for
// the panel's height, and is seen where it comes down.
function windowCurve(line, others, end) {
  if (line.t_s.length === 0) return null;
  const most = Math.max(0, ...others.map((curve) => greatest(curve.values)));
  const isAbove = most > 0 && greatest(line.bytes) > ABOVE_FACTOR * most;
  return { label: isAbove ? "receive window (higher than the panel)" : "receive window", color: "--receive_window", isAbove,
    ...heldLine(line, line.bytes, end) };
}

const greatest = (values) => values.reduce((most, value) => (value > most ? value : most), 0);

function rttPanel(flow) {
  const lines = flow.series?.rtt;
  if (!lines) return null;
  const end = flow.duration_s;
  const dots = (label, line, color) => ({ label, color, isDots: true, times: line.t_s, values: line.us });
  const curves = [
    dots("by ACK", lines.segment_end, "--main"), dots("by SACK", lines.sack, "--congestion_window"),
    dots("by timestamp", lines.timestamp, "--send_buffer"),
    { label: "SRTT", color: "--ink", width: 1.25, ...heldLine(lines.srtt, lines.srtt.us, end) },
    { label: "minimum", color: "--quiet", dash: [2, 3], ...heldLine(lines.min, lines.min.us, end) },
    { label: "SRTT less the minimum", color: "--second", ...heldLine(lines.queue, lines.queue.us, end) },
  ].filter((curve) => curve.times.length > 0);
  if (curves.length === 0) return null;
  return { title: "Round-trip time", units: TIME_UNITS, figure: micros, curves, says: leftOutOf(Object.values(lines)) };
}

function eventPanel(flow) {
  const { losses, stalls, zero_windows: closed } = flow.episodes;
  const lane = (label, list, kind) => (list.length > 0
    ? { label, height: LANE_HEIGHT, stretches: list.map(({ start_s: start, end_s: end }) => ({ start, end, kind })) } : null);
  const lanes = [lane("loss", losses, "congestion_window"), lane("stall", stalls, "unknown"),
    lane("closed", closed, "receive_window")].filter(Boolean);
  if (lanes.length === 0) return null;
  return { title: sentence(lanes.map((one) => EVENT_NAMES[one.label]).join(", ")), lanes, says: notListed(flow.episodes) };
}

// A lane that ends with the list of its episodes would pass for a flow without more of them.
function notListed(episodes) {
  const cut = ["losses", "stalls", "zero_windows"].filter((key) => episodes[key].length < episodes[`${key}_count`]);
  const told = cut.map((key) => `the ${key === "losses" ? "first" : "longest"} ${count(episodes[key].length)} of ${count(episodes[`${key}_count`])} ${spaced(key)}`);
  return told.length > 0 ? told.join(", ") : null;
}

const EVENT_NAMES = { loss: "losses with their repair", stall: "stalls", closed: "closed windows" };

// Lines are thinned to a bounded number of points; the panel says so where that can be seen: within a microsecond
// all points stand upon each other.
function leftOutOf(lines) {
  const all = lines.reduce((sum, line) => sum + line.left_out, 0);
  const widest = lines.reduce((most, line) => Math.max(most, line.bucket_s ?? 0), 0);
  return widest > 1e-6 ? `${count(all)} points left out; of each ${seconds(widest)} the extremes are kept` : null;
}
