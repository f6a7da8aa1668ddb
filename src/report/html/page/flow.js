// One flow: heading, verdict, shares, reasons, timeline, tables.

class FlowPage {
  constructor(section, flow, neighbours) {
    this.flow = flow;
    this.timeline = new Timeline(flow);
    replaceChildren(section,
      element("div", { class: "head" }, this.heading(), neighbours),
      element("p", { class: "quiet" }, this.facts()),
      verdictCard(flow),
      reasons(flow),
      element("div", { class: "shares" }, sharesTable(flow)),
      whatIfTable(flow),
      this.timeline.root,
      intervalsTable(flow, this.timeline),
      episodeTables(flow, this.timeline),
      evidenceTable(flow),
      topics(flow),
      allFigures(flow),
      asText(flow));
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
      flow.start_s > 0 ? `begins ${moment(flow.start_s, REPORT.input.duration_s)} into the capture` : null,
      flow.has_handshake ? null : "its start was not captured",
    ].filter(Boolean).join(" · ");
  }

  destroy() {
    this.timeline.destroy();
  }
}
