// How a figure is written: three significant digits and the unit that fits, as in the text report.
// Decimal prefixes for octets and bits alike.

const DASH = "–";
const THIN = "\u202f";

function threeDigits(value) {
  if (value >= 99.95 || value === 0) return value.toFixed(0);
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

function scaled(value, units) {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value < 999.5 && Math.abs(value - Math.round(value)) < 1e-9) {
    return `${value.toFixed(0)} ${units[0]}`;
  }
  if (value > 0 && value < 0.005) return `< 0.01 ${units[0]}`;
  let step = 0;
  while (value >= 999.5 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${threeDigits(value)} ${units[step]}`;
}

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];
const RATE_UNITS = ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s"];
const TIME_UNITS = ["µs", "ms", "s"];

const bytes = (count) => scaled(count, BYTE_UNITS);
const rate = (bitsPerSecond) => scaled(bitsPerSecond, RATE_UNITS);

function seconds(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  if (value >= 59.95) return minutes(Math.round(value));
  const micros = value * 1e6;
  if (value <= 0) return "0 s";
  if (micros < 0.5) return "< 1 µs";
  if (micros < 999.5) return `${threeDigits(micros)} µs`;
  return micros < 999500 ? `${threeDigits(micros / 1e3)} ms` : `${threeDigits(value)} s`;
}

function minutes(whole) {
  const [hours, left, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  if (hours >= TWO_DAYS) return days(hours);
  if (hours > 0) return left > 0 ? `${count(hours)} h ${left} min` : `${count(hours)} h`;
  return rest > 0 ? `${left} min ${rest} s` : `${left} min`;
}

// Less reads better in hours.
const TWO_DAYS = 48;

function days(hours) {
  const [years, left, rest] = [Math.floor(hours / 8760), Math.floor(hours / 24) % 365, hours % 24];
  const ofMany = [[years, "year"], [left, "day"]].filter(([number]) => number > 0)
    .map(([number, thing]) => `${count(number)} ${thing}${number === 1 ? "" : "s"}`);
  return [...ofMany, ...(years === 0 && rest > 0 ? [`${rest} h`] : [])].join(" ");
}

const micros = (value) => (value === null || value === undefined ? DASH : seconds(value / 1e6));

function percent(share) {
  if (share === null || share === undefined) return DASH;
  const value = 100 * share;
  if (value <= 0) return "0 %";
  if (value < 0.01) return "< 0.01 %";
  if (value < 0.095) return `${value.toFixed(2)} %`;
  return value < 0.95 ? `${value.toFixed(1)} %` : `${value.toFixed(0)} %`;
}

// `812 345`.
function count(value) {
  if (value === null || value === undefined) return DASH;
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

const counted = (number, thing) => `${count(number)} ${thing}${number === 1 ? "" : "s"}`;

// A place on the time axis, exact to what a window of `span` seconds lets one see.
function moment(value, span) {
  const digits = Math.min(6, Math.max(2, 4 - Math.floor(Math.log10(Math.max(span, 1e-6)))));
  return `${value.toFixed(digits)} s`;
}

// `2026-11-20 23:59:25 UTC` of an RFC 3339 time.
const dayAndTime = (utc) => utc.replace(/^(\S{10})T(\S{8}).*$/, "$1 $2 UTC");

// `receive_window` of a field without words of its own.
const spaced = (key) => String(key).replaceAll("_", " ");
