// What a verdict rests on, as tables beneath the plots.

// More rows come when they are asked for.
const ROWS_MAX = 200;

function intervalsTable(flow, timeline) {
  const { intervals } = flow;
  if (intervals.length === 0) return null;
  const place = element("div");
  const show = (most) => replaceChildren(place, intervalRows(intervals.slice(0, most), timeline),
    intervals.length > most ? element("button", { type: "button", onclick: () => show(intervals.length) },
      `Show all ${count(intervals.length)}`) : null);
  show(ROWS_MAX);
  return fold("Intervals", `what limited when; ${counted(intervals.length, "interval")}`, place, true);
}

function intervalRows(intervals, timeline) {
  const columns = [["from", "number"], ["to", "number"], ["length", "number"], ["limit", "name"], ["cause", "name wide"], ["frames", "number"], ["", "no-print"]];
  const rows = intervals.map((interval) => [
    moment(interval.start_s, timeline.view.end), moment(interval.end_s, timeline.view.end), seconds(interval.end_s - interval.start_s),
    limitName(interval.limit), causeOf(interval), framesOf(interval), zoomButton(interval, timeline)]);
  const made = table("Intervals with their limit", columns, rows);
  return stretchTable(made, intervals.length);
}

// Long ones scroll by themselves.
function stretchTable(made, rows) {
  if (rows > 14) made.classList.add("long");
  made.addEventListener("keydown", (event) => onRowKeys(event, "button"));
  setStop(made, "button");
  return made;
}

const causeOf = ({ cause }) => (cause ? WORDS.causes[cause] ?? spaced(cause) : "");
const framesOf = ({ first_frame: first, last_frame: last }) => (first === last ? count(first) : `${count(first)}${DASH}${count(last)}`);

// Shows the stretch in the plots, with some time around it.
function zoomButton(stretch, timeline) {
  const around = Math.max(0.1 * (stretch.end_s - stretch.start_s), 1e-5);
  return element("button", { type: "button", class: "small", "aria-label": `Show ${moment(stretch.start_s, timeline.view.end)} in the plots`,
    onclick: () => timeline.show(stretch.start_s - around, stretch.end_s + around) }, "show");
}

function evidenceTable(flow) {
  if (flow.evidence.length === 0) return null;
  const rows = flow.evidence.map(({ code, metric, value, threshold }) => [
    codeText(code), metricName(metric), metricFigure(metric, value), threshold === null ? "" : metricFigure(metric, threshold)]);
  return fold("Evidence", "numbers behind the verdict", table("Evidence", [["code", "name"], ["measure", "name wide"], ["value", "number"], ["compared with", "number"]], rows));
}

const UNITS = [[/_bytes$/, bytes], [/(^|_)bps$/, rate], [/_us$/, micros], [/_s$/, seconds], [/(^|_)share$/, percent]];

// A key whose unit ends it, in words and as a figure with that unit.
const metricName = (key) => spaced(key === "bps" ? "rate" : key.replace(/_(bytes|bps|us|s)$/, ""));

function metricFigure(key, value) {
  const known = UNITS.find(([ending]) => ending.test(key));
  if (known) return known[1](value);
  return Number.isInteger(value) ? count(value) : Number(value.toPrecision(4)).toString();
}

function episodeTables(flow, timeline) {
  const { episodes } = flow;
  return [
    episodeTable("Losses", episodes.losses, episodes.losses_count, episodes.losses_time_s, timeline, [
      ["learned by", (loss) => (loss.trigger === "timeout" ? "timeout" : "ACKs")], ["segments", (loss) => count(loss.segments)],
      ["pipe before", (loss) => bytes(loss.pipe_before_bytes)], ["pipe after", (loss) => (loss.is_open ? DASH : bytes(loss.pipe_after_bytes))]]),
    episodeTable("Stalls", episodes.stalls, episodes.stalls_count, episodes.stalls_time_s, timeline, [
      ["cause", (stall) => WORDS.stalls[stall.cause] ?? spaced(stall.cause)]]),
    episodeTable("Closed windows", episodes.zero_windows, episodes.zero_windows_count, episodes.zero_windows_time_s, timeline, [
      ["left open", (closed) => bytes(closed.window_min_bytes)], ["opened by", (closed) => spaced(closed.opened_by)], ["probes", (closed) => count(closed.probes)]]),
  ];
}

function episodeTable(title, list, all, time, timeline, more) {
  if (all === 0) return null;
  const columns = [["from", "number"], ["length", "number"], ...more.map(([heading]) => [heading, "number"]), ["frames", "number"], ["", "no-print wide"]];
  const rows = list.map((episode) => [
    moment(episode.start_s, timeline.view.end), seconds(episode.end_s - episode.start_s), ...more.map(([, show]) => show(episode)),
    framesOf(episode), zoomButton(episode, timeline)]);
  const which = title === "Losses" ? "first" : "longest";
  const listed = list.length < all ? `, the ${which} ${count(list.length)} listed` : "";
  const made = table(title, columns, rows);
  return fold(title, `${count(all)}, ${seconds(time)} in all${listed}`, stretchTable(made, list.length));
}

function fold(title, says, content, isOpen = false) {
  return element("details", { class: "fold", open: isOpen }, element("summary", {}, title, " ", element("span", { class: "quiet" }, says)), content);
}
