// Builds what is shown. A string becomes a text node or an attribute's value, never markup.

// What a reader could be misled by: controls and direction marks, shown as escapes.
const UNPRINTABLE =
  /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
// Longest name from a capture or a command line, in characters.
const NAME_MAX = 256;

function clean(text) {
  return String(text).replace(UNPRINTABLE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

function shortened(text) {
  const letters = Array.from(clean(text));
  return letters.length > NAME_MAX ? letters.slice(0, NAME_MAX).join("") + "…" : letters.join("");
}

// A number stays with its unit at a line's end.
const glued = (text) => text.replace(/(\d) (?=(?:%|min|h|[µm]?s|[kMGTP]?(?:B|bit\/s))(?![A-Za-z]))/g, "$1\u00a0");

// An element. `on...` attributes are listeners; null, undefined and false leave one out.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) {
      made.addEventListener(key.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? "" : clean(value));
    }
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined)
    .map((child) => (child instanceof Node ? child : glued(clean(child)))));
  return made;
}

function replaceChildren(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child));
}

// A table; `columns` are [title, class], a row is a list of nodes and strings.
function table(caption, columns, rows, rowAttributes = () => ({})) {
  const cell = (content, index) => element("td", { class: columns[index][1] }, content);
  return element("div", { class: "scroll" },
    element("table", {},
      element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {},
        columns.map(([title, kind]) => element("th", { scope: "col", class: kind }, title)))),
      element("tbody", {},
        rows.map((row, index) => element("tr", rowAttributes(index), row.map(cell))))));
}

// Of many controls in rows one is a stop of the Tab key; arrow keys go to the others.
function onRowKeys(event, selector) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  const row = event.target.closest("tbody tr");
  if (!step || !row) return;
  const all = [...row.parentElement.querySelectorAll(selector)].filter((one) => !one.closest("tr").hidden);
  const next = all[Math.min(all.length - 1, Math.max(0, all.indexOf(row.querySelector(selector)) + step))];
  setStop(row.parentElement, selector, next);
  next.focus();
  event.preventDefault();
}

// `stop`, or the first that is shown.
function setStop(body, selector, stop = null) {
  const all = [...body.querySelectorAll(selector)];
  const first = stop ?? all.find((one) => !one.closest("tr").hidden);
  for (const one of all) one.tabIndex = one === first ? 0 : -1;
}

// Says it to readers of a screen reader.
function announce(text) {
  document.getElementById("live").textContent = clean(text);
}
