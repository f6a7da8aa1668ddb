// The stretch of time that all panels show.

class View {
  constructor(end, onChange) {
    this.end = end > 0 ? end : 1e-6;
    // Nothing is finer than the capture's clock; ten ticks of a microsecond fill a page.
    this.span_min = Math.min(this.end, 1e-5);
    this.onChange = onChange;
    this.min = 0;
    this.max = this.end;
  }

  get span() {
    return this.max - this.min;
  }

  get isWhole() {
    return this.min <= 0 && this.max >= this.end;
  }

  set(min, max) {
    const span = Math.min(this.end, Math.max(this.span_min, max - min));
    this.min = Math.min(Math.max(0, min), this.end - span);
    this.max = this.min + span;
    this.onChange();
  }

  // `factor` below 1 goes nearer; the time `at` keeps its place.
  zoom(factor, at = (this.min + this.max) / 2) {
    const span = Math.min(this.end, Math.max(this.span_min, this.span * factor));
    const min = at - ((at - this.min) / this.span) * span;
    this.set(min, min + span);
  }

  // By a part of what is shown.
  pan(part) {
    this.set(this.min + part * this.span, this.max + part * this.span);
  }

  reset() {
    this.set(0, this.end);
  }
}
