// Helpers of all scripts: elements, numbers as text, colours of curves.

const byId = (id) => document.getElementById(id);

/** Creates an element with attributes and children; the prefix `svg:` makes it an SVG element. */
function make(name, attributes = {}, ...children) {
  const svg = name.startsWith("svg:");
  const own = svg ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) own.setAttribute(key, value === true ? "" : value);
  }
  own.append(...children.filter((child) => child !== undefined && child !== null));
  return own;
}

/** Colours of curves, distinguishable with colour vision deficiency (Okabe and Ito), also on a dark background. */
const CURVES = ["#1c84c6", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8f98", "#b8a800"];
/** Colours of the phases of a step, in their order. */
const PHASES = ["#8a8f98", "#56b4e9", "#009e73", "#e69f00", "#1c84c6", "#cc79a7", "#b8a800", "#7d5fb2", "#d55e00"];

/** Shortest form of a number with `digits` significant digits. */
function formatNumber(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e5) {
    if (Number.isInteger(x) && size < 1e9) return x.toLocaleString("en").replaceAll(",", "\u202f");
    const [mantissa, power] = x.toExponential(Math.max(0, digits - 2)).split("e");
    return (mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa) + "e" + power.replace("+", "");
  }
  return String(Number(x.toPrecision(digits)));
}

/** About `count` ticks between two values, at multiples of 1, 2 or 5 times a power of ten. */
function ticks(from, to, count = 5) {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const all = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + 1e-9 * step && all.length < 40; k++) all.push(k * step);
  return all;
}
