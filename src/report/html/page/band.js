// Panels of stretches: which limit held, and the losses, stalls and closed windows. Each stretch has
// a colour, a pattern and, where there is room, its letter on a plain ground.

const BAND_HEIGHT = 34;
const LANE_HEIGHT = 18;

// Lines of a pattern on a tile of 8 by 8: what tells limits apart without colour.
const PATTERNS = {
  application: (pen) => { for (const [x, y] of [[2, 2], [6, 6]]) pen.rect(x - 0.7, y - 0.7, 1.4, 1.4); },
  send_buffer: (pen) => { pen.moveTo(-1, 9); pen.lineTo(9, -1); },
  receive_window: (pen) => { pen.moveTo(-1, -1); pen.lineTo(9, 9); },
  congestion_window: (pen) => { pen.moveTo(0, 0); pen.lineTo(8, 8); pen.moveTo(8, 0); pen.lineTo(0, 8); },
  capture_gap: (pen) => { pen.moveTo(-1, 9); pen.lineTo(9, -1); },
};

function patternOf(limit, target) {
  if (!PATTERNS[limit]) return null;
  const scale = devicePixelRatio;
  const tile = element("canvas", { width: 8 * scale, height: 8 * scale });
  const pen = tile.getContext("2d");
  pen.scale(scale, scale);
  pen.strokeStyle = css("--hatch");
  pen.lineWidth = 1;
  pen.beginPath();
  PATTERNS[limit](pen);
  pen.stroke();
  return target.createPattern(tile, "repeat");
}

// `lanes`: [{ label, height, stretches: [{ start, end, fill, letter }] }] from the top.
function bandPanel(panel, timeline, parent, isLast) {
  const height = panel.lanes.reduce((sum, lane) => sum + lane.height + 2, 0) + 12;
  const options = baseOptions(timeline, height, isLast);
  options.padding = [4, 12, isLast ? 0 : 4, 0];
  options.scales = { x: { time: false, range: () => [timeline.view.min, timeline.view.max] }, y: { range: () => [0, 1] } };
  options.axes = [{ ...timeAxis(isLast), grid: { show: false } }, { size: AXIS_WIDTH, stroke: css("--quiet"), splits: () => [], grid: { show: false }, ticks: { show: false } }];
  options.series = [{}, { show: false }];
  options.hooks.draw = [(plot) => drawLanes(plot, panel.lanes)];
  const outputs = panelHead(parent, panel.title, [], panel.says);
  for (const limit of panel.kinds ?? []) parent.lastChild.append(element("span", { class: "key" }, swatch(limit), limitWords(limit).name));
  const plot = new uPlot(options, [[0, timeline.view.end], [0, 0]], parent);
  return { plot, readAt: () => {}, clear: () => clearAll(outputs) };
}

function drawLanes(plot, lanes) {
  const pen = plot.ctx;
  const scale = devicePixelRatio;
  const { left, top, width } = plot.bbox;
  pen.save();
  let y = top + scale;
  for (const lane of lanes) {
    drawLaneLabel(pen, lane, left - 8 * scale, y + (lane.height * scale) / 2, scale);
    pen.save();
    pen.beginPath();
    pen.rect(left, y - scale, width, (lane.height + 2) * scale);
    pen.clip();
    drawStretches(plot, lane, y, scale);
    pen.restore();
    y += (lane.height + 2) * scale;
  }
  pen.restore();
}

function drawLaneLabel(pen, lane, x, y, scale) {
  if (!lane.label) return;
  pen.fillStyle = css("--quiet");
  pen.font = `${11 * scale}px ${AXIS_FONT.slice(5)}`;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.fillText(lane.label, x, y);
}

function drawStretches(plot, lane, y, scale) {
  const [pen, view] = [plot.ctx, plot.scales.x];
  const fills = new Map();
  const ink = css("--ink");
  for (const stretch of lane.stretches) {
    if (stretch.end < view.min || stretch.start > view.max) continue;
    const from = plot.valToPos(Math.max(stretch.start, view.min), "x", true);
    const to = plot.valToPos(Math.min(stretch.end, view.max), "x", true);
    if (!fills.has(stretch.kind)) fills.set(stretch.kind, fillOf(stretch.kind, pen));
    const box = { from, y, width: Math.max(to - from, scale), height: lane.height * scale };
    drawStretch(pen, box, fills.get(stretch.kind), ink, scale);
    if (stretch.letter && box.width > 16 * scale) drawLetter(pen, box, stretch, fills.get(stretch.kind), scale);
  }
}

const fillOf = (kind, pen) => ({
  color: css(`--${kind}`), ink: css(`--on-${kind}`) || css("--on-other"), pattern: patternOf(kind, pen),
});

function drawStretch(pen, { from, y, width, height }, fill, ink, scale) {
  pen.fillStyle = fill.color;
  pen.fillRect(from, y, width, height);
  if (fill.pattern) {
    pen.fillStyle = fill.pattern;
    pen.fillRect(from, y, width, height);
  }
  if (width < 6 * scale) return;
  pen.strokeStyle = ink;
  pen.lineWidth = scale;
  pen.strokeRect(from + scale / 2, y + scale / 2, width - scale, height - scale);
}

function drawLetter(pen, { from, y, width, height }, { letter }, fill, scale) {
  const [x, middle, half] = [from + width / 2, y + height / 2, 7 * scale];
  pen.fillStyle = fill.color;
  pen.fillRect(x - half, middle - half, 2 * half, 2 * half);
  pen.fillStyle = fill.ink;
  pen.font = `700 ${11 * scale}px ${AXIS_FONT.slice(5)}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(letter, x, middle + 0.5 * scale);
}
