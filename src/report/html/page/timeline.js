// The panels of one flow, one above the other on the same stretch of time.

class Timeline {
  constructor(flow) {
    this.flow = flow;
    this.panels = panelsOf(flow);
    this.plots = [];
    this.view = new View(flow.duration_s, () => this.onView());
    this.time = null;
    this.build();
  }

  build() {
    this.from = this.input("from", () => this.onInputs());
    this.to = this.input("to", () => this.onInputs());
    this.readout = element("div", { class: "readout" });
    this.place = element("div", { class: "panels", tabindex: "0", role: "group", "aria-label": this.described(),
      "aria-describedby": "keys-hint", onkeydown: (event) => this.onKey(event) });
    const button = (text, label, act) => element("button", { type: "button", "aria-label": label, title: label, onclick: act }, text);
    this.whole = button("Whole", "Show the whole flow", () => this.view.reset());
    this.root = element("div", { class: "timeline" },
      element("h3", {}, "Timeline"),
      element("div", { class: "toolbar", role: "toolbar", "aria-label": "Time shown" },
        button("−", "Zoom out", () => this.view.zoom(2)), button("+", "Zoom in", () => this.view.zoom(0.5)),
        button("←", "Earlier", () => this.view.pan(-0.25)), button("→", "Later", () => this.view.pan(0.25)), this.whole,
        this.sequenceButton(),
        element("span", { class: "gap" }),
        element("label", {}, "from", this.from), element("label", {}, "to", this.to, "s")),
      element("p", { class: "unseen", id: "keys-hint" }, "Arrow keys move the pointer, plus and minus zoom, 0 shows the whole flow."),
      this.flow.series ? null : element("p", { class: "notice" }, "Only the flows of this page with most payload have curves; this one has its intervals and episodes."),
      this.readout, this.place);
    this.observer = new ResizeObserver(() => this.onResize());
  }

  // Only flows that share a page with few others have the lines for it.
  sequenceButton() {
    if (!sequencePanel(this.flow)) return null;
    return element("button", { type: "button", "aria-pressed": "false", onclick: (event) => {
      const isShown = event.currentTarget.getAttribute("aria-pressed") !== "true";
      event.currentTarget.setAttribute("aria-pressed", String(isShown));
      this.panels = panelsOf(this.flow, isShown);
      this.draw();
    } }, "Sequence graph");
  }

  input(label, act) {
    return element("input", { type: "text", inputmode: "decimal", "aria-label": `${label}, in seconds`, onchange: act });
  }

  // What a reader who does not see the plots hears.
  described() {
    const { flow } = this;
    const names = this.panels.map((panel) => panel.title).join("; ");
    return `Timeline of ${seconds(flow.duration_s)}: ${names}. ${sentence(flow.verdict.text)}. `
      + `Time by limit: ${inWords(sharesOf(flow))}. The intervals stand in the table beneath.`;
  }

  // Draws all panels anew: at first, in other colours, at another width.
  draw(width = this.place.clientWidth) {
    this.width = Math.max(280, width);
    for (const { plot } of this.plots) plot.destroy();
    replaceChildren(this.place);
    this.plots = this.panels.map((panel, index) => {
      const parent = element("div", { class: "panel" });
      this.place.append(parent);
      const isLast = index === this.panels.length - 1;
      const make = panel.lanes ? bandPanel : curvePanel;
      return make(panel, this, parent, isLast);
    });
    this.observer.observe(this.place);
    this.onView();
  }

  onResize() {
    if (this.place.clientWidth > 0 && Math.max(280, this.place.clientWidth) !== this.width && !this.isPrinting) this.draw();
  }

  onView() {
    const { min, max, span } = this.view;
    // A plot takes its new scale, and tells of its pointer, at the end of this task.
    this.isMoving = true;
    for (const { plot } of this.plots) plot.setScale("x", { min, max });
    queueMicrotask(() => this.onViewTaken());
    const digits = Math.min(6, Math.max(2, 4 - Math.floor(Math.log10(span))));
    this.from.value = min.toFixed(digits);
    this.to.value = max.toFixed(digits);
    this.whole.disabled = this.view.isWhole;
  }

  onViewTaken() {
    this.isMoving = false;
    if (this.time !== null) this.moveTo(this.time);
    else this.say();
  }

  onInputs() {
    const [min, max] = [Number.parseFloat(this.from.value), Number.parseFloat(this.to.value)];
    if (max > min) this.view.set(min, max);
    else this.onView();
  }

  // Dragging over a panel shows that stretch in all of them.
  onSelect(plot) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [min, max] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.view.set(min, max);
  }

  onPointer(plot) {
    if (this.isMoving) return;
    const { left } = plot.cursor;
    if (left === undefined || left < 0) this.leave();
    else this.moveTo(plot.posToVal(left, "x"), plot);
  }

  // The pointer of all panels goes to `time`.
  moveTo(time, source = null) {
    this.time = Math.min(Math.max(time, this.view.min), this.view.max);
    this.isMoving = true;
    for (const { plot, readAt } of this.plots) {
      if (plot !== source) plot.setCursor({ left: plot.valToPos(this.time, "x"), top: 1 }, false);
      readAt(this.time);
    }
    this.isMoving = false;
    this.say();
  }

  leave() {
    this.time = null;
    this.isMoving = true;
    for (const { plot, clear } of this.plots) {
      plot.setCursor({ left: -10, top: -10 }, false);
      clear();
    }
    this.isMoving = false;
    this.say();
  }

  say() {
    if (this.time === null) {
      const shown = this.view.isWhole ? "the whole flow" : `${seconds(this.view.span)} of ${seconds(this.view.end)}`;
      replaceChildren(this.readout, element("span", { class: "quiet" }, `Shown: ${shown}. Point at a panel to read it; drag to zoom.`));
      return;
    }
    const interval = intervalAt(this.flow.intervals, this.time);
    replaceChildren(this.readout, element("strong", {}, moment(this.time, this.view.span)), interval
      ? [limitName(interval.limit), element("span", {}, causeOf(interval)), element("span", { class: "quiet" }, `its frames ${framesOf(interval)}`)]
      : null, this.frameAt(this.time));
  }

  // The frame of the last step at or before `time`.
  frameAt(time) {
    const line = this.flow.series?.flight;
    const index = line ? lastAt(line.t_s, time) : -1;
    return index < 0 ? null : element("span", { class: "quiet" }, `last frame drawn ${count(line.frame[index])}`);
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.view.span / 100;
    const at = this.time ?? this.view.min;
    const acts = {
      ArrowLeft: () => (event.shiftKey ? this.view.pan(-0.25) : this.step(at - step)),
      ArrowRight: () => (event.shiftKey ? this.view.pan(0.25) : this.step(at + step)),
      Home: () => this.step(this.view.min), End: () => this.step(this.view.max),
      "+": () => this.view.zoom(0.5, this.time ?? undefined), "=": () => this.view.zoom(0.5, this.time ?? undefined),
      "-": () => this.view.zoom(2, this.time ?? undefined), 0: () => this.view.reset(), Escape: () => this.leave(),
    };
    if (!acts[event.key]) return;
    acts[event.key]();
    event.preventDefault();
  }

  // Moves the pointer, and says what is there.
  step(time) {
    this.moveTo(time);
    const values = [...this.place.querySelectorAll(".key")].map((key) => key.textContent).filter(Boolean);
    announce([this.readout.textContent, ...values].join(", "));
  }

  // Shows a stretch, from a table beneath.
  show(min, max) {
    this.view.set(min, max);
    this.root.scrollIntoView({ block: "start" });
    this.place.focus({ preventScroll: true });
  }

  destroy() {
    this.observer.disconnect();
    for (const { plot } of this.plots) plot.destroy();
  }
}

// By halves: the last of these sorted times that is not after `time`; -1 if all are.
function lastAt(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Intervals stand in order without holes.
const intervalAt = (intervals, time) => intervals[Math.max(0, lastAt(intervals.map((one) => one.start_s), time))] ?? null;
