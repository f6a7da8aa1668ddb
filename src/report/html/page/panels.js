// One panel: curves or stretches over the shared time axis, drawn by uPlot.

const AXIS_WIDTH = 62;
const PANEL_HEIGHT = 150;
// Ticks with their labels, and the axis's name.
const TIME_AXIS_HEIGHT = 46;

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Samples of different curves on one list of times. `null` ends a curve, `undefined` passes it by.
function joined(curves) {
  const tables = curves.map((curve) => [curve.times, curve.values]);
  // 1: a null stays a null.
  const [times, ...lines] = uPlot.join(tables, tables.map((table) => table.map(() => 1)));
  return [times, ...lines.map(withWholeGaps)];
}

// A gap ends where a curve has no null, and where another one alone has a sample it has none: the
// null is held until the curve's own next value.
function withWholeGaps(values) {
  let isGap = false;
  return values.map((value) => {
    if (value !== undefined) isGap = value === null;
    return isGap ? null : value;
  });
}

// The last value at or before `index`: what a curve of steps shows there.
function heldValue(values, index) {
  while (index >= 0 && values[index] === undefined) index -= 1;
  return index >= 0 ? values[index] : null;
}

// Ticks in one unit, which the panel's title names, the larger one from two of it on.
const TICK_MAX = 2000;

function unitOf(curves, units) {
  let most = Math.max(0, ...curves.filter((curve) => !curve.isAbove).map((curve) => greatest(curve.values)));
  let step = 0;
  while (most >= TICK_MAX && step < units.length - 1) {
    most /= 1000;
    step += 1;
  }
  return { name: units[step], size: 1000 ** step };
}

function timeAxis(isLast) {
  return {
    show: isLast, stroke: css("--quiet"), size: 26, font: AXIS_FONT, labelFont: AXIS_FONT, labelSize: 20,
    label: "seconds since the flow's start", gap: 4,
    grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line"), width: 1, size: 4 },
  };
}

const AXIS_FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

function valueAxis(unit) {
  return {
    stroke: css("--quiet"), size: AXIS_WIDTH, font: AXIS_FONT, gap: 4, space: 32,
    values: (_, splits) => splits.map((value) => tick(value / unit.size)),
    grid: { stroke: css("--line"), width: 1 }, ticks: { show: false },
  };
}

const tick = (value) => (value === 0 ? "0" : String(Number(value.toPrecision(4))));

// What all panels have in common; `timeline` hears of the pointer.
function baseOptions(timeline, height, isLast) {
  return {
    width: timeline.width, height: height + (isLast ? TIME_AXIS_HEIGHT : 0), padding: [6, 12, isLast ? 0 : 6, 0],
    legend: { show: false },
    cursor: {
      y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: { dblclick: () => () => { timeline.view.reset(); return null; } },
    },
    hooks: {
      setCursor: [(plot) => timeline.onPointer(plot)],
      setSelect: [(plot) => timeline.onSelect(plot)],
    },
  };
}

// A panel of curves: [{ label, color, values, times, dash, fill, isBandTop, isBandBottom }].
function curvePanel(panel, timeline, parent, isLast) {
  const { curves, units } = panel;
  const data = joined(curves);
  const unit = unitOf(curves, units);
  const options = baseOptions(timeline, panel.height ?? PANEL_HEIGHT, isLast);
  options.scales = {
    x: { time: false, range: () => [timeline.view.min, timeline.view.max] },
    y: { range: (_, least, most) => (panel.isFloating ? floating(least, most) : [0, most > 0 ? most * 1.06 : 1]) },
  };
  options.axes = [timeAxis(isLast), valueAxis(unit)];
  options.series = [{}, ...curves.map(curveOptions)];
  options.bands = bandsOf(curves);
  if (panel.ranges) options.hooks.draw = [(plot) => drawRanges(plot, panel.ranges)];
  const outputs = panelHead(parent, `${panel.title}, ${unit.name}`, [...curves, ...(panel.ranges ?? [])].filter((curve) => curve.label), panel.says);
  const plot = new uPlot(options, data, parent);
  return { plot, readAt: (time) => readCurves(plot, curves, outputs, time, panel.figure), clear: () => clearAll(outputs) };
}

// Positions in the stream do not start at zero.
function floating(least, most) {
  const room = Math.max(0.06 * (most - least), 1000);
  return [Math.max(0, least - room), most + room];
}

function curveOptions(curve) {
  const stepped = curve.isSampled ? undefined : uPlot.paths.stepped({ align: 1 });
  return {
    stroke: css(curve.color) || curve.color, width: curve.width ?? 1.5, dash: curve.dash, paths: curve.isDots ? () => null : stepped,
    points: { show: Boolean(curve.isDots), size: 2.5, width: 0, fill: css(curve.color) }, auto: !curve.isAbove,
  };
}

function bandsOf(curves) {
  const top = curves.findIndex((curve) => curve.isBandTop);
  const bottom = curves.findIndex((curve) => curve.isBandBottom);
  if (top < 0 || bottom < 0) return [];
  return [{ series: [top + 1, bottom + 1], fill: translucent(css(curves[top].color)) }];
}

const translucent = (color) => `${color}38`;

function readCurves(plot, curves, outputs, time, figure) {
  const index = plot.valToIdx(time);
  const last = plot.data[0][index] > time ? index - 1 : index;
  let shown = 0;
  curves.forEach((curve, number) => {
    if (!curve.label) return;
    outputs[shown].textContent = figure(heldValue(plot.data[number + 1], last));
    shown += 1;
  });
}

function clearAll(outputs) {
  for (const output of outputs) output.textContent = "";
}

// Title and key; returns where the values at the pointer go.
function panelHead(parent, title, keys, says) {
  const outputs = keys.map(() => element("output"));
  parent.append(element("div", { class: "panel-head" }, element("strong", {}, title),
    keys.map((key, index) => element("span", { class: "key" }, keySample(key), key.label, outputs[index])),
    says ? element("span", { class: "says" }, says) : null));
  return outputs;
}

// A short piece of the line, as it is drawn.
function keySample(key) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "22");
  svg.setAttribute("height", "10");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  const ends = { x1: 0, x2: 22, y1: 5, y2: 5, stroke: css(key.color) || key.color, "stroke-width": key.isBandTop ? 8 : 2.5 };
  for (const [name, value] of Object.entries(ends)) line.setAttribute(name, value);
  if (key.isBandTop) line.setAttribute("stroke-opacity", "0.3");
  if (key.dash) line.setAttribute("stroke-dasharray", key.dash.join(" "));
  if (key.isDots) line.setAttribute("stroke-dasharray", "3 6");
  svg.append(line);
  return svg;
}
