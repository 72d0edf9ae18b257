// Charts over two axes, drawn by uPlot: curves with their values under the pointer or the arrow keys.

const HIGH = 262;
/** All plots of the page, to be drawn again when its colours change. */
const plots = [];

/** The part of the page for a section with its charts. */
function section(given) {
  const charts = make("div", { class: "charts" });
  for (const chart of given.charts) {
    const draw = { rose: showDrawing, phases: drawPhases, ranks: drawRanks }[chart.kind] ?? drawChart;
    charts.append(draw(chart));
  }
  const note = given.note ? make("p", { class: "note" }, given.note) : null;
  return make("section", { id: given.id }, make("h2", {}, given.title), note, charts);
}

/** A box with a title and keys: names with their colours. */
function chartBox(title, keys, wide) {
  const row = make("div", { class: "keys" });
  for (const [name, colour, block] of keys) {
    row.append(make("span", {}, make("i", { style: `background:${colour}`, class: block ? "block" : null }), name));
  }
  return make("div", { class: wide ? "chart wide" : "chart" }, make("h3", {}, title), row);
}

/** A drawing given as SVG. */
function showDrawing(given) {
  const box = chartBox(given.title, []);
  const drawing = make("div", { class: "drawing", role: "img", "aria-label": given.title });
  drawing.innerHTML = given.svg;
  box.append(drawing);
  return box;
}

/** A colour of the style sheet, evaluated when something is drawn. */
const themeVariable = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function axis(label, digits, more = {}) {
  const line = (name) => ({ stroke: themeVariable(name), width: 1 });
  return {
    label,
    stroke: themeVariable("--faint"),
    font: "11px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    labelSize: 18,
    grid: line("--grid"),
    ticks: { ...line("--line"), size: 5 },
    values: (_, splits) => splits.map((v) => (v === null ? "" : formatNumber(v, digits))),
    ...more,
  };
}

/**
 * A plot in a box. `tell` gives the lines of text for the position of the cursor; `about` is the text for screen readers,
 * `rows` the number of steps of the arrow keys from bottom to top.
 */
function plotIn(box, { about, high = HIGH, rows = 1 }, options, data, tell) {
  const tip = make("div", { class: "tip", role: "status", hidden: true });
  const place = make("div", { class: "plot", tabindex: 0, role: "img", "aria-label": about });
  box.append(place, tip);
  const follow = (u) => {
    const { left, top, idx } = u.cursor;
    const lines = left >= 0 && idx !== null && idx !== undefined ? tell(u) : null;
    tip.hidden = !lines;
    if (lines) showTip(box, tip, place.offsetLeft + u.over.offsetLeft + left, place.offsetTop + u.over.offsetTop + top, lines);
  };
  const u = new uPlot(
    {
      width: 400,
      height: high,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      ...options,
      hooks: { ...options.hooks, setCursor: [follow] },
    },
    data,
    place,
  );
  plots.push(u);
  new ResizeObserver(() => u.setSize({ width: Math.max(160, place.clientWidth), height: high })).observe(place);
  const leave = () => u.setCursor({ left: -10, top: -10 });
  place.addEventListener("blur", leave);
  place.addEventListener("keydown", (event) => {
    const [along, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    if (event.key === "Escape") return leave();
    if (!along && !up) return;
    event.preventDefault();
    event.stopPropagation();
    const { left, top, idx, idxs } = u.cursor;
    // Where a curve has no value at the cursor, that of the nearest place with one is told.
    const told = idxs?.slice(1).find((k) => k !== null && k !== undefined) ?? idx ?? 0;
    const { clientWidth: wide, clientHeight: tall } = u.over;
    const isIn = left >= 0;
    const next = isIn ? Math.min(u.data[0].length - 1, Math.max(0, told + along)) : 0;
    const row = Math.floor(((isIn ? top : 0) / tall) * rows) + up;
    u.setCursor({
      left: Math.min(wide - 0.5, Math.max(0, u.valToPos(u.data[0][next], "x"))),
      top: ((Math.min(rows - 1, Math.max(0, row)) + 0.5) / rows) * tall,
    });
  });
  return box;
}

function showTip(box, tip, x, y, lines) {
  tip.textContent = lines.join("\n");
  const flip = x + tip.offsetWidth + 24 > box.clientWidth;
  tip.style.left = `${flip ? Math.max(0, x - tip.offsetWidth - 12) : x + 14}px`;
  tip.style.top = `${Math.max(0, y - tip.offsetHeight - 6)}px`;
}

/** Minimum and maximum of the known values, widened if they coincide. */
function extent(values) {
  const known = values.filter((v) => v !== null && v !== undefined && Number.isFinite(v));
  if (!known.length) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b)),
    high = known.reduce((a, b) => Math.max(a, b));
  if (high - low > 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return [low, high];
  const air = low === 0 ? 1 : 0.1 * Math.abs(low);
  return [low - air, high + air];
}

/** The range of the vertical axis: a few values near zero must not compress all others. */
function range(chart, values, limits) {
  if (!chart.log) {
    let [low, high] = extent([...values, ...limits]);
    if (low > 0 && low < 0.4 * high) low = 0;
    return [low === 0 ? 0 : low - 0.04 * (high - low), high + 0.05 * (high - low)];
  }
  const known = values.map(Math.log10).sort((a, b) => a - b);
  const marks = limits.map(Math.log10);
  let [low, high] = extent([...known, ...marks]);
  low = Math.max(low, (known[Math.floor(0.02 * known.length)] ?? low) - 0.5, high - 9);
  low = Math.min(low, high - 0.3, ...marks);
  return [low - 0.03 * (high - low), high + 0.04 * (high - low)].map((v) => 10 ** v);
}

/** Index of the nearest known value of a curve: other curves may have values where it has none. */
function nearest(u, series, idx) {
  const values = u.data[series];
  for (let k = 0; k < values.length; k++) {
    for (const at of [idx - k, idx + k]) if (values[at] !== null && values[at] !== undefined) return at;
  }
  return idx;
}

function drawChart(chart) {
  const isShown = (v) => v !== null && (!chart.log || v > 0);
  const limits = chart.limits.filter((limit) => isShown(limit.value));
  const curves = chart.curves.filter((curve) => curve.x.length);
  const ends = extent(curves.flatMap((curve) => curve.x));
  const tables = curves.map((curve) => [curve.x, curve.y.map((v) => (isShown(v) ? v : null))]);
  for (const limit of limits) tables.push([ends, [limit.value, limit.value]]);
  const colour = (curve, k) => (curve.name === "not converged" ? "#d40000" : CURVES[k % CURVES.length]);
  const series = curves.map((curve, k) => {
    const own = { label: curve.name, stroke: colour(curve, k), width: 1.5 };
    const points = { show: curve.x.length <= 40, size: 5, fill: own.stroke };
    if (curve.name !== "not converged") return { ...own, points };
    return { ...own, paths: () => null, points: { show: true, size: 6, fill: own.stroke } };
  });
  const limit = { stroke: themeVariable("--ink"), width: 1, dash: [5, 4], points: { show: false } };
  for (const own of limits) series.push({ ...limit, label: own.name });
  const keys = [
    ...curves.map((curve, k) => [curve.name, colour(curve, k)]).slice(0, 12),
    ...limits.map((own) => [`${own.name} ${formatNumber(own.value, 3)}`, "var(--ink)"]),
  ];
  const values = tables.slice(0, curves.length).flatMap(([, y]) => y.filter((v) => v !== null));
  const y = range(chart, values, limits.map((own) => own.value));
  const options = {
    series: [{}, ...series],
    scales: {
      x: { time: false, range: (_, low, high) => (low < high ? [low, high] : ends) },
      y: { distr: chart.log ? 3 : 1, range: () => y },
    },
    axes: [axis(chart.labels[0], 5, { size: 28 }), axis(chart.labels[1], chart.log ? 3 : 5, { size: 58 })],
    cursor: { y: false, dataIdx: nearest, points: { size: 6 } },
  };
  const tell = (u) => {
    const known = curves.slice(0, 10).map((curve, k) => [curve.name, k + 1, u.cursor.idxs[k + 1]]);
    const at = known.length ? u.data[0][known[0][2]] : null;
    return [`${chart.labels[0]} = ${formatNumber(at)}`, ...known.map(([name, k, idx]) => `${name}: ${formatNumber(u.data[k][idx])}`)];
  };
  const box = chartBox(chart.title, keys.length > 1 ? keys : []);
  const about = `${chart.title}: ${chart.labels[1]} over ${chart.labels[0]}`;
  return plotIn(box, { about }, options, tables.length ? uPlot.join(tables) : [ends], tell);
}

/** Redraws the plots when the colour scheme changes; the background is white in print. */
function followTheme() {
  const redraw = () => plots.forEach((u) => u.redraw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  for (const [event, isPaper] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle("paper", isPaper);
      redraw();
    });
  }
}
