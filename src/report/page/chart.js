// Charts over two axes, roses of directions: drawings made of the numbers given, with the value under the pointer.

const WIDE = 430,
  HIGH = 262,
  LEFT = 66,
  RIGHT = 10,
  TOP = 8,
  BOTTOM = 40;

/** The part of the page for a section with its charts. */
function section(given) {
  const charts = make("div", { class: "charts" });
  for (const chart of given.charts) {
    const draw = { rose: drawRose, phases: drawPhases, ranks: drawRanks }[chart.kind] ?? drawChart;
    charts.append(draw(chart));
  }
  const note = given.note ? make("p", { class: "note" }, given.note) : null;
  return make("section", { id: given.id }, make("h2", {}, given.title), note, charts);
}

/** A frame for a drawing: title, keys, the drawing and a place for words under the pointer. */
function chartBox(title, keys, svg, wide) {
  const tip = make("div", { class: "tip", hidden: true });
  const row = make("div", { class: "keys" });
  for (const [name, colour, block] of keys) {
    row.append(make("span", {}, make("i", { style: `background:${colour}`, class: block ? "block" : null }), name));
  }
  const box = make("div", { class: wide ? "chart wide" : "chart" }, make("h3", {}, title), row, svg, tip);
  return { box, tip };
}

function showTip(box, tip, event, words) {
  tip.hidden = false;
  tip.textContent = words;
  const own = box.getBoundingClientRect();
  const x = event.clientX - own.left,
    y = event.clientY - own.top;
  const flip = x + tip.offsetWidth + 24 > own.width;
  tip.style.left = `${flip ? Math.max(0, x - tip.offsetWidth - 12) : x + 14}px`;
  tip.style.top = `${Math.max(0, y - tip.offsetHeight - 6)}px`;
}

/** Axes with lines and words; `scale` are the two functions from values to the drawing. */
function axes(svg, labels, [x, y], [xTicks, yTicks], [low, high, bottom, top]) {
  for (const [at, words] of xTicks) {
    svg.append(make("svg:line", { class: "grid", x1: x(at), x2: x(at), y1: top, y2: bottom }));
    svg.append(make("svg:text", { x: x(at), y: bottom + 16, "text-anchor": "middle" }, words));
  }
  for (const [at, words] of yTicks) {
    svg.append(make("svg:line", { class: "grid", x1: low, x2: high, y1: y(at), y2: y(at) }));
    svg.append(make("svg:text", { x: low - 6, y: y(at) + 4, "text-anchor": "end" }, words));
  }
  svg.append(make("svg:path", { class: "axis", fill: "none", d: `M${low} ${top}V${bottom}H${high}` }));
  svg.append(make("svg:text", { class: "label", x: (low + high) / 2, y: bottom + 34, "text-anchor": "middle" }, labels[0]));
  const middle = (top + bottom) / 2;
  svg.append(
    make(
      "svg:text",
      { class: "label", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` },
      labels[1],
    ),
  );
}

function extent(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) {
    const air = low === 0 ? 1 : 0.1 * Math.abs(low);
    return [low - air, high + air];
  }
  return [low, high];
}

function drawChart(chart) {
  const lift = chart.log ? (v) => (v > 0 ? Math.log10(v) : null) : (v) => v;
  const limits = chart.limits.filter((limit) => lift(limit.value) !== null);
  const xs = extent(chart.curves.flatMap((curve) => curve.x));
  let [low, high] = extent([
    ...chart.curves.flatMap((curve) => curve.y.map((v) => (v === null ? null : lift(v)))),
    ...limits.map((l) => lift(l.value)),
  ]);
  if (!chart.log) {
    if (low > 0 && low < 0.4 * high) low = 0;
    [low, high] = [low === 0 ? 0 : low - 0.04 * (high - low), high + 0.05 * (high - low)];
  } else {
    // A few values near nothing must not press all others flat.
    const known = chart.curves
      .flatMap((curve) => curve.y)
      .filter((v) => v > 0)
      .map(Math.log10)
      .sort((a, b) => a - b);
    low = Math.min(
      Math.max(low, (known[Math.floor(0.02 * known.length)] ?? low) - 0.5, high - 9),
      high - 0.3,
      ...limits.map((l) => lift(l.value)),
    );
    [low, high] = [low - 0.03 * (high - low), high + 0.04 * (high - low)];
  }
  const [bottom, right] = [HIGH - BOTTOM, WIDE - RIGHT];
  const x = (v) => LEFT + ((v - xs[0]) / (xs[1] - xs[0])) * (right - LEFT);
  const y = (v) => Math.min(bottom - ((v - low) / (high - low)) * (bottom - TOP), bottom);
  const svg = make("svg:svg", {
    viewBox: `0 0 ${WIDE} ${HIGH}`,
    role: "img",
    "aria-label": `${chart.title}: ${chart.labels[1]} over ${chart.labels[0]}`,
  });
  const yTicks = chart.log
    ? decades(low, high).map((v) => [v, told(10 ** v, 3)])
    : ticks(low, high).map((v) => [v, told(v, 5)]);
  axes(svg, chart.labels, [x, y], [ticks(...xs, 5).map((v) => [v, told(v, 5)]), yTicks], [LEFT, right, bottom, TOP]);
  for (const limit of limits) {
    const at = y(lift(limit.value));
    svg.append(make("svg:line", { class: "limit", x1: LEFT, x2: right, y1: at, y2: at }));
    svg.append(make("svg:text", { x: right - 4, y: at - 4, "text-anchor": "end" }, `${limit.name} ${told(limit.value, 3)}`));
  }
  chart.curves.forEach((curve, k) => {
    const colour = CURVES[k % CURVES.length];
    const places = curve.x
      .map((v, i) => [x(v), curve.y[i] === null ? null : lift(curve.y[i])])
      .map(([a, b]) => [a, b === null ? null : y(b)]);
    if (curve.name === "not converged") {
      for (const [a, b] of places) if (b !== null) svg.append(make("svg:circle", { cx: a, cy: b, r: 3, fill: "#d40000" }));
      return;
    }
    let path = "",
      pen = "M";
    for (const [a, b] of places) {
      if (b === null) {
        pen = "M";
        continue;
      }
      path += `${pen}${a.toFixed(1)} ${b.toFixed(1)}`;
      pen = "L";
    }
    svg.append(make("svg:path", { d: path, fill: "none", stroke: colour, "stroke-width": 1.5, "stroke-linejoin": "round" }));
    if (places.length <= 40)
      for (const [a, b] of places) if (b !== null) svg.append(make("svg:circle", { cx: a, cy: b, r: 2.5, fill: colour }));
  });
  const named = chart.curves.map((curve, k) => [
    curve.name,
    curve.name === "not converged" ? "#d40000" : CURVES[k % CURVES.length],
  ]);
  const { box, tip } = chartBox(chart.title, named.length > 1 ? named.slice(0, 12) : [], svg);
  const guide = make("svg:line", { class: "guide", y1: TOP, y2: bottom, visibility: "hidden" });
  svg.append(guide);
  const move = (event) => {
    const own = svg.getBoundingClientRect();
    const at = ((event.clientX - own.left) / own.width) * WIDE;
    if (at < LEFT - 8 || at > right + 8) return leave();
    const value = xs[0] + ((at - LEFT) / (right - LEFT)) * (xs[1] - xs[0]);
    let nearest = null;
    const lines = chart.curves
      .filter((curve) => curve.x.length)
      .slice(0, 10)
      .map((curve) => {
        let best = 0;
        curve.x.forEach((v, i) => {
          if (Math.abs(v - value) < Math.abs(curve.x[best] - value)) best = i;
        });
        nearest ??= curve.x[best];
        return `${curve.name}: ${told(curve.y[best])}`;
      });
    if (nearest === null) return;
    guide.setAttribute("x1", x(nearest));
    guide.setAttribute("x2", x(nearest));
    guide.setAttribute("visibility", "visible");
    showTip(box, tip, event, [`${chart.labels[0]} = ${told(nearest)}`, ...lines].join("\n"));
  };
  const leave = () => {
    tip.hidden = true;
    guide.setAttribute("visibility", "hidden");
  };
  svg.addEventListener("pointermove", move);
  svg.addEventListener("pointerleave", leave);
  return box;
}

/** How often directions occur, in sectors of equal angle from the first axis counter-clockwise. */
function drawRose(rose) {
  const [cx, cy, reach] = [WIDE / 2, HIGH / 2 + 4, HIGH / 2 - 22];
  const most = Math.max(...rose.density, 1e-12);
  const svg = make("svg:svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": rose.title });
  const { box, tip } = chartBox(rose.title, [], svg);
  const step = (2 * Math.PI) / rose.density.length;
  const at = (angle, r) => `${(cx + r * Math.cos(angle)).toFixed(2)} ${(cy - r * Math.sin(angle)).toFixed(2)}`;
  const rings = ticks(0, most, 3).filter((v) => v > 0);
  const even = 1 / (2 * Math.PI);
  rose.density.forEach((density, k) => {
    const r = (reach * density) / most;
    const d = `M${cx} ${cy}L${at(k * step, r)}A${r} ${r} 0 0 0 ${at((k + 1) * step, r)}Z`;
    const sector = make("svg:path", { d, fill: CURVES[5], "fill-opacity": 0.65, stroke: CURVES[0] });
    sector.addEventListener("pointermove", (event) => {
      const degrees = (angle) => Math.round((angle * 180) / Math.PI);
      showTip(box, tip, event, `${degrees(k * step)}° to ${degrees((k + 1) * step)}°\n${told(density)} 1/rad`);
    });
    sector.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
    svg.append(sector);
  });
  for (const ring of rings) {
    const r = (reach * ring) / most;
    svg.append(make("svg:circle", { cx, cy, r, fill: "none", class: "axis" }));
    svg.append(make("svg:text", { x: cx + 3, y: cy - r - 3 }, `${told(ring, 3)} 1/rad`));
  }
  svg.append(make("svg:circle", { cx, cy, r: (reach * even) / most, fill: "none", class: "limit" }));
  svg.append(make("svg:text", { class: "label", x: cx + reach + 10, y: cy + 4 }, rose.axes[0]));
  svg.append(make("svg:text", { class: "label", x: cx, y: cy - reach - 9, "text-anchor": "middle" }, rose.axes[1]));
  svg.append(make("svg:text", { x: WIDE - 6, y: HIGH - 8, "text-anchor": "end" }, "dashed: the same in all directions"));
  return box;
}
