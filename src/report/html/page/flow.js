// One flow: heading, verdict, shares, reasons, timeline, tables.

class FlowPage {
  constructor(section, flow, neighbours) {
    this.flow = flow;
    this.timeline = new Timeline(flow, panelsOf(flow));
    replaceChildren(section,
      element("div", { class: "head" }, this.heading(), neighbours),
      element("p", { class: "quiet" }, this.facts()),
      verdictCard(flow),
      reasons(flow),
      element("div", { class: "shares" }, sharesTable(flow)),
      this.timeline.root,
      intervalsTable(flow, this.timeline),
      episodeTables(flow, this.timeline),
      evidenceTable(flow),
      figuresTable(flow));
    section.hidden = false;
    this.timeline.draw();
  }

  heading() {
    return element("h2", { id: "flow-title" }, ends(this.flow));
  }

  facts() {
    const { flow } = this;
    return [
      `stream ${flow.stream}`, flow.scope ? shortened(flow.scope) : null, WORDS.vantages[flow.vantage],
      `begins ${moment(flow.start_s, REPORT.input.duration_s)} into the capture`,
      flow.has_handshake ? null : "its start was not captured",
    ].filter(Boolean).join(" · ");
  }

  destroy() {
    this.timeline.destroy();
  }
}

// What stands above each other, from the report's data.
function panelsOf(flow) {
  return [limitPanel(flow), windowPanel(flow), eventPanel(flow)].filter(Boolean);
}

function limitPanel(flow) {
  const stretches = flow.intervals.map(({ start_s: start, end_s: end, limit }) => ({ start, end, kind: limitClass(limit), letter: limitWords(limit).letter }));
  return { title: "Limit", lanes: [{ height: BAND_HEIGHT, stretches }] };
}

function windowPanel(flow) {
  const series = flow.cwnd?.series ?? [];
  if (series.length === 0) return null;
  const times = series.map((point) => point.t_s);
  const of = (key) => series.map((point) => point[key]);
  const color = "--congestion_window";
  return {
    title: "Windows", units: BYTE_UNITS, figure: bytes,
    curves: [
      { label: "cwnd, at least to at most", color, times, values: of("high_bytes"), width: 0, isBandTop: true },
      { color, times, values: of("low_bytes"), width: 0, isBandBottom: true },
      { label: "cwnd (estimated)", color, times, values: of("best_bytes"), dash: [6, 3] },
    ],
  };
}

function eventPanel(flow) {
  const { losses, stalls, zero_windows: closed } = flow.episodes;
  const lane = (label, list, kind, letter) => (list.length > 0
    ? { label, height: LANE_HEIGHT, stretches: list.map(({ start_s: start, end_s: end }) => ({ start, end, kind, letter })) } : null);
  const lanes = [lane("loss", losses, "congestion_window", "L"), lane("stall", stalls, "application", "S"), lane("closed", closed, "receive_window", "0")].filter(Boolean);
  return lanes.length > 0 ? { title: "Losses, stalls, closed windows", lanes } : null;
}
