// Distribution of wall time: phases of a step over the run, and a row for every process.

/** Share of a row that its columns may fill. */
const FULL = 0.9;

/** A column of phases between two values of x, stacked from `base`. `paint` gives the colour of a phase. */
function paintColumn(u, from, to, base, heights, paint = (k) => PHASES[k]) {
  const across = [from, to].map((v) => Math.round(u.valToPos(v, "x", true)));
  let below = base;
  heights.forEach((height, k) => {
    if (!height) return;
    const [bottom, top] = [below, below + height].map((v) => u.valToPos(v, "y", true));
    u.ctx.fillStyle = paint(k);
    u.ctx.fillRect(across[0], top, across[1] - across[0], bottom - top);
    below += height;
  });
}

/** Paints inside the axes of a plot. */
function insideAxes(paint) {
  return (u) => {
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    paint(u);
    u.ctx.restore();
  };
}

/** Options of a plot of columns that end at `ends`; the first one begins at `first`. */
function columnPlot(first, ends, [low, high], axes, paint) {
  return {
    series: [{}, { paths: () => null, points: { show: false } }],
    scales: {
      x: { time: false, range: () => [first, Math.max(ends[ends.length - 1], first + 1)] },
      y: { range: () => [low, high] },
    },
    axes,
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    hooks: { draw: [insideAxes(paint)] },
  };
}

function drawPhases(given) {
  const { steps, milliseconds, totals, names } = given;
  const heights = steps.map((_, i) => milliseconds.map((row) => row[i] ?? 0));
  const sums = heights.map((column) => column.reduce((sum, v) => sum + v, 0));
  // One slow step must not compress all others.
  const sorted = [...sums].sort((a, b) => a - b);
  const last = sorted.length - 1;
  const most = Math.min(sorted[last], 2.5 * sorted[Math.floor(0.95 * last)]) * 1.05 || 1;
  const first = steps.length > 1 ? Math.max(0, 2 * steps[0] - steps[1]) : 0;
  const all = totals.reduce((sum, v) => sum + v, 0) || 1;
  const keys = names.map((name, k) => [
    `${name} ${formatNumber(totals[k], 3)} s (${Math.round((100 * totals[k]) / all)} %)`,
    PHASES[k],
    true,
  ]);
  const box = chartBox(
    given.title,
    keys.filter((_, k) => totals[k] > 0.002 * all),
    true,
  );
  const axes = [axis("step", 6, { size: 28 }), axis("time of a step (ms)", 4, { size: 58 })];
  const options = columnPlot(first, steps, [0, most], axes, (u) => {
    heights.forEach((column, i) => paintColumn(u, i ? steps[i - 1] : first, steps[i], 0, column));
  });
  return plotIn(box, { about: given.title }, options, [steps, sums], (u) => {
    const at = u.posToVal(u.cursor.left, "x");
    const i = Math.max(0, steps.findIndex((step) => step >= at));
    const rows = names.map((name, k) => [name, heights[i][k]]).filter(([, v]) => v > 0.002 * sums[i]);
    return [
      `steps to ${formatNumber(steps[i], 7)}: ${formatNumber(sums[i])} ms`,
      ...rows.map(([name, v]) => `${name}: ${formatNumber(v, 3)} ms`),
    ];
  });
}

/** White hatching on a colour. */
function hatched(colour) {
  const tile = make("canvas", { width: 8, height: 8 });
  const pen = tile.getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 8, 8);
  pen.strokeStyle = "#fffc";
  pen.lineWidth = 2;
  for (const x of [-8, 0, 8]) {
    pen.moveTo(x, 8);
    pen.lineTo(x + 8, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat");
}

function drawRanks(given) {
  const { rows, names, count } = given;
  const [from, to] = given.steps;
  const columns = Math.max(...rows.map((row) => row.seconds[0].length));
  const sum = (row, i) => row.seconds.reduce((all, v) => all + (v[Math.min(i, v.length - 1)] ?? 0), 0);
  // Equal times have equal heights in all rows: the rest of a row is time that no phase accounts for.
  const most = (i) => Math.max(...rows.map((row) => sum(row, i)), 1e-12);
  const waiting = names.map((_, k) => hatched(PHASES[k] ?? "#888"));
  const edge = (k, all) => from + ((to - from || 1) * k) / all;
  const paint = (u) =>
    rows.forEach((row, r) => {
      const own = row.seconds[0].length;
      for (let i = 0; i < own; i++) {
        const unit = FULL / most(i);
        const base = rows.length - 1 - r;
        const heights = row.seconds.map((v) => unit * (v[i] ?? 0));
        paintColumn(u, edge(i, own), edge(i + 1, own), base, heights);
        let below = base;
        heights.forEach((height, k) => {
          const waited = Math.min(height, unit * (row.waited[k][i] ?? 0));
          paintColumn(u, edge(i, own), edge(i + 1, own), below, [waited], () => waiting[k]);
          below += height;
        });
      }
    });
  const shown = rows.map((_, r) => r).filter((r) => rows.length <= 32 || r % 4 === 0);
  const named = (tell) => ({
    splits: () => shown.map((r) => rows.length - 1 - r + 0.5 * FULL),
    values: () => shown.map((r) => tell(rows[r])),
    grid: { show: false },
    ticks: { show: false },
    size: 84,
  });
  const axes = [
    axis("step (hatched: waiting for other processes)", 7, { size: 28 }),
    axis(null, 4, named((row) => `process ${row.rank}`)),
    axis(null, 4, { ...named((row) => `${formatNumber(row.bodies[row.bodies.length - 1], 6)} bodies`), scale: "y", side: 1 }),
  ];
  const ends = Array.from({ length: columns }, (_, i) => edge(i + 1, columns));
  const high = 58 + rows.length * (rows.length > 24 ? 15 : rows.length > 8 ? 23 : 33);
  const title = `${given.title}: ${count}${rows.length < count ? `, of which ${rows.length} are shown` : ""}`;
  const box = chartBox(
    title,
    names.map((name, k) => [name, PHASES[k], true]),
    true,
  );
  const place = { about: "Time of every process by phase", high, rows: rows.length };
  const options = columnPlot(from, ends, [0, rows.length], axes, paint);
  return plotIn(box, place, options, [ends, ends], (u) => {
    const row = rows[Math.min(rows.length - 1, Math.floor(rows.length - u.posToVal(u.cursor.top, "y")))];
    const own = row.seconds[0].length;
    const share = (u.posToVal(u.cursor.left, "x") - from) / (to - from || 1);
    const i = Math.min(own - 1, Math.max(0, Math.floor(share * own)));
    const all = sum(row, i);
    const parts = names.map((name, k) => [name, row.seconds[k][i], row.waited[k][i] ?? 0]).filter(([, v]) => v > 0.005 * all);
    const waited = row.waited.reduce((sum, v) => sum + (v[i] ?? 0), 0);
    return [
      `process ${row.rank}, ${formatNumber(row.bodies[i], 6)} bodies: ${formatNumber(all)} s`,
      ...parts.map(([name, v, w]) => `${name}: ${formatNumber(v, 3)} s${w > 0.005 * all ? `, ${formatNumber(w, 3)} s of it waiting` : ""}`),
      `waiting for others: ${formatNumber(waited, 3)} s`,
    ];
  });
}
