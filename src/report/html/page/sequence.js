// The time-sequence graph, as tcptrace draws it: what was sent at which position of the stream, what
// was acknowledged, and up to where the receiver's window let the sender go.

const SEQUENCE_HEIGHT = 300;

const SENT_COLORS = { new: "--main", fast: "--receive_window", timeout: "--receive_window", loss_probe: "--send_buffer" };
const SENT_NAMES = {
  new: "sent", fast: "retransmitted: fast", timeout: "retransmitted: timeout", loss_probe: "retransmitted: probe",
  handshake: "retransmitted: handshake", keep_alive: "keep-alive", window_probe: "window probe",
};

function sequencePanel(flow) {
  const { series, duration_s: end } = flow;
  if (!series || series.acked.t_s.length === 0) return null;
  const sent = series.sent.map(({ kind, ranges }) =>
    ({ label: SENT_NAMES[kind] ?? spaced(kind), color: SENT_COLORS[kind] ?? "--quiet", ranges, isAgain: kind !== "new" }));
  const sacked = series.sacked.t_s.length > 0 ? [{ label: "SACK", color: "--congestion_window", ranges: series.sacked }] : [];
  const lines = [
    { label: "acknowledged", color: "--ink", width: 1.25, ...heldLine(series.acked, series.acked.bytes, end) },
    { label: "window's edge", color: "--send_buffer", dash: [6, 3], width: 1, isAbove: true, ...heldLine(series.window_edge, series.window_edge.bytes, end) },
  ].filter((curve) => curve.times.length > 0);
  return { title: "Sequence", units: BYTE_UNITS, figure: bytes, curves: lines, height: SEQUENCE_HEIGHT, isFloating: true,
    ranges: [...sent, ...sacked], says: leftOutOf([series.acked, ...series.sent.map((one) => one.ranges)]) };
}

// Each part of the stream as an upright stroke; merged ones reach from their first to their last time.
function drawRanges(plot, kinds) {
  const pen = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  pen.save();
  pen.beginPath();
  pen.rect(left, top, width, height);
  pen.clip();
  for (const kind of kinds) {
    pen.strokeStyle = css(kind.color);
    pen.lineWidth = (kind.isAgain ? 2.5 : 1.25) * devicePixelRatio;
    pen.beginPath();
    strokeRanges(plot, kind.ranges);
    pen.stroke();
  }
  pen.restore();
}

function strokeRanges(plot, ranges) {
  const { min, max } = plot.scales.x;
  const pen = plot.ctx;
  for (let index = 0; index < ranges.t_s.length; index += 1) {
    if (ranges.end_t_s[index] < min || ranges.t_s[index] > max) continue;
    const bottom = plot.valToPos(ranges.start_bytes[index], "y", true);
    const top = plot.valToPos(ranges.end_bytes[index], "y", true);
    pen.moveTo(plot.valToPos(ranges.t_s[index], "x", true), bottom);
    // A stroke of no length would not be seen.
    pen.lineTo(plot.valToPos(ranges.end_t_s[index], "x", true), Math.min(top, bottom - devicePixelRatio));
  }
}
