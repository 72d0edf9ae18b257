// Where the wall time went: phases of a step over the run, and every process in a row of its own.

function drawPhases(given) {
  const columns = given.steps.length;
  const sums = given.steps.map((_, i) => given.milliseconds.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  // One slow step must not press all others flat.
  const sorted = [...sums].sort((a, b) => a - b);
  const most = Math.min(sorted[columns - 1], 2.5 * sorted[Math.floor(0.95 * (columns - 1))]) * 1.05 || 1;
  const wide = 1160,
    [bottom, right] = [HIGH - BOTTOM, wide - RIGHT];
  const first = columns > 1 ? Math.max(0, given.steps[0] - (given.steps[1] - given.steps[0])) : 0;
  const last = given.steps[columns - 1];
  const x = (v) => LEFT + ((v - first) / (last - first || 1)) * (right - LEFT);
  const y = (v) => bottom - (Math.min(v, most) / most) * (bottom - TOP);
  const svg = make("svg:svg", { viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": given.title });
  const labels = ["step", "time of a step (ms)"];
  axes(
    svg,
    labels,
    [x, y],
    [ticks(first, last, 10).map((v) => [v, told(v, 6)]), ticks(0, most).map((v) => [v, told(v, 4)])],
    [LEFT, right, bottom, TOP],
  );
  const base = new Array(columns).fill(0);
  const start = (i) => (i === 0 ? first : given.steps[i - 1]);
  given.names.forEach((_, k) => {
    let up = "",
      down = "";
    for (let i = 0; i < columns; i++) {
      const below = base[i];
      base[i] += given.milliseconds[k][i] ?? 0;
      const [a, b] = [x(start(i)).toFixed(1), x(given.steps[i]).toFixed(1)];
      up += `${i ? "L" : "M"}${a} ${y(base[i]).toFixed(1)}L${b} ${y(base[i]).toFixed(1)}`;
      down = `L${b} ${y(below).toFixed(1)}L${a} ${y(below).toFixed(1)}` + down;
    }
    svg.append(make("svg:path", { d: `${up}${down}Z`, fill: PHASES[k] }));
  });
  const all = given.totals.reduce((sum, v) => sum + v, 0) || 1;
  const keys = given.names.map((name, k) => [
    `${name} ${told(given.totals[k], 3)} s (${Math.round((100 * given.totals[k]) / all)} %)`,
    PHASES[k],
    true,
  ]);
  const { box, tip } = chartBox(
    given.title,
    keys.filter((_, k) => given.totals[k] > 0.002 * all),
    svg,
    true,
  );
  svg.addEventListener("pointermove", (event) => {
    const own = svg.getBoundingClientRect();
    const at = first + ((((event.clientX - own.left) / own.width) * wide - LEFT) / (right - LEFT)) * (last - first);
    const i = given.steps.findIndex((step) => step >= at);
    if (i < 0 || at < first) {
      tip.hidden = true;
      return;
    }
    const rows = given.names.map((name, k) => [name, given.milliseconds[k][i]]).filter(([, v]) => v > 0.002 * sums[i]);
    showTip(
      box,
      tip,
      event,
      [
        `steps to ${told(given.steps[i], 7)}: ${told(sums[i])} ms`,
        ...rows.map(([name, v]) => `${name}: ${told(v, 3)} ms`),
      ].join("\n"),
    );
  });
  svg.addEventListener("pointerleave", () => {
    tip.hidden = true;
  });
  return box;
}

function drawRanks(given) {
  const rows = given.rows.length;
  const row = rows > 24 ? 12 : rows > 8 ? 20 : 30;
  const wide = 1160,
    left = 92,
    right = wide - 96,
    top = 8;
  const high = top + rows * (row + 3) + 40;
  const svg = make("svg:svg", {
    viewBox: `0 0 ${wide} ${high}`,
    role: "img",
    "aria-label": "Time of every process by phase",
  });
  const waiting = make(
    "svg:pattern",
    { id: "waiting", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    make("svg:line", { x1: 0, y1: 0, x2: 0, y2: 5, stroke: "#fff", "stroke-width": 2, "stroke-opacity": 0.75 }),
  );
  svg.append(make("svg:defs", {}, waiting));
  const keys = given.names.map((name, k) => [name, PHASES[k], true]);
  const { box, tip } = chartBox(
    `${given.title}: ${given.count}${rows < given.count ? `, of which ${rows} are shown` : ""}`,
    keys,
    svg,
    true,
  );
  const [from, to] = given.steps;
  const x = (v) => left + ((v - from) / (to - from || 1)) * (right - left);
  // The same seconds are the same height in all rows: what a row lacks to its full height it had no clock for.
  given.rows.forEach((own, r) => {
    const y0 = top + r * (row + 3);
    const columns = own.seconds[0].length;
    const paths = given.names.map(() => "");
    let waits = "";
    for (let i = 0; i < columns; i++) {
      const most = Math.max(
        ...given.rows.map((other) => other.seconds.reduce((sum, v) => sum + (v[Math.min(i, v.length - 1)] ?? 0), 0)),
        1e-12,
      );
      let at = y0 + row;
      const a = left + (i / columns) * (right - left),
        b = left + ((i + 1) / columns) * (right - left);
      given.names.forEach((name, k) => {
        const h = (row * (own.seconds[k][i] ?? 0)) / most;
        paths[k] += `M${a.toFixed(1)} ${at.toFixed(2)}H${b.toFixed(1)}V${(at - h).toFixed(2)}H${a.toFixed(1)}Z`;
        if (name === "solve") {
          const w = Math.min(h, (row * (own.waited[i] ?? 0)) / most);
          if (w > 0.3) waits += `M${a.toFixed(1)} ${at.toFixed(2)}H${b.toFixed(1)}V${(at - w).toFixed(2)}H${a.toFixed(1)}Z`;
        }
        at -= h;
      });
    }
    paths.forEach((d, k) => svg.append(make("svg:path", { d, fill: PHASES[k] })));
    if (waits) svg.append(make("svg:path", { d: waits, fill: "url(#waiting)" }));
    const middle = y0 + row / 2 + 4;
    if (rows <= 32 || r % 4 === 0) {
      svg.append(make("svg:text", { x: left - 8, y: middle, "text-anchor": "end" }, `process ${own.rank}`));
      svg.append(make("svg:text", { x: right + 8, y: middle }, `${told(own.bodies[own.bodies.length - 1], 6)} bodies`));
    }
    const cover = make("svg:rect", { x: left, y: y0, width: right - left, height: row, fill: "transparent" });
    cover.addEventListener("pointermove", (event) => {
      const area = svg.getBoundingClientRect();
      const i = Math.min(
        columns - 1,
        Math.max(0, Math.floor((((event.clientX - area.left) / area.width) * wide - left) / ((right - left) / columns))),
      );
      const sum = own.seconds.reduce((all, v) => all + (v[i] ?? 0), 0);
      const parts = given.names
        .map((name, k) => [name, own.seconds[k][i]])
        .filter(([, v]) => v > 0.005 * sum)
        .map(([name, v]) => `${name}: ${told(v, 3)} s`);
      showTip(
        box,
        tip,
        event,
        [
          `process ${own.rank}, ${told(own.bodies[i], 6)} bodies: ${told(sum)} s`,
          ...parts,
          `waiting for others in sweeps: ${told(own.waited[i], 3)} s`,
        ].join("\n"),
      );
    });
    cover.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
    svg.append(cover);
  });
  const bottom = top + rows * (row + 3);
  for (const tick of ticks(from, to, 8))
    svg.append(make("svg:text", { x: x(tick), y: bottom + 14, "text-anchor": "middle" }, told(tick, 7)));
  svg.append(
    make(
      "svg:text",
      { class: "label", x: (left + right) / 2, y: bottom + 32, "text-anchor": "middle" },
      "step (white hatching: waiting for other processes)",
    ),
  );
  return box;
}
