// Two dimensions: disks, polygons, walls and forces on a canvas.

/** For each side and each of its edges, whether no other side has this edge: then it is part of the outline. */
function rims(sides) {
  const edge = (side, k) => {
    const ends = [side[k], side[(k + 1) % side.length]];
    return `${Math.min(...ends)},${Math.max(...ends)}`;
  };
  const counts = new Map();
  for (const side of sides) side.forEach((_, k) => counts.set(edge(side, k), (counts.get(edge(side, k)) ?? 0) + 1));
  return sides.map((side) => side.map((_, k) => counts.get(edge(side, k)) === 1));
}

class PlaneView {
  constructor(canvas, film, palette) {
    Object.assign(this, { canvas, film, palette, pen: canvas.getContext("2d") });
    this.home();
  }

  home(box = this.film.whole()) {
    const [[x0, y0], [x1, y1]] = box;
    this.centre = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.zoom = 1;
    this.extent = [Math.max(x1 - x0, 1e-12), Math.max(y1 - y0, 1e-12)];
  }

  get scale() {
    const { width, height } = this.canvas;
    return this.zoom * Math.min(width / (1.08 * this.extent[0]), height / (1.1 * this.extent[1]));
  }

  place(x, y) {
    const s = this.scale;
    return [this.canvas.width / 2 + s * (x - this.centre[0]), this.canvas.height / 2 - s * (y - this.centre[1])];
  }

  drag(dx, dy) {
    this.centre[0] -= dx / this.scale;
    this.centre[1] += dy / this.scale;
  }

  pan(dx, dy) {
    this.drag(dx, dy);
  }

  /** Zooms about a point of the canvas. */
  magnify(factor, x, y) {
    const { width, height } = this.canvas;
    const s = this.scale;
    const at = [this.centre[0] + (x - width / 2) / s, this.centre[1] - (y - height / 2) / s];
    this.zoom = Math.min(400, Math.max(0.2, this.zoom * factor));
    const t = this.scale;
    this.centre = [at[0] - (x - width / 2) / t, at[1] + (y - height / 2) / t];
  }

  follow(i) {
    this.centre = [this.film.position[3 * i], this.film.position[3 * i + 1]];
  }

  draw(state) {
    const { pen, film, palette, canvas } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = css(state.paper);
    pen.fillRect(0, 0, canvas.width, canvas.height);
    if (state.walls) this.walls(state);
    if (state.size > 0) this.bodies(state);
    if (state.chains) this.chains(state);
    if (state.picked !== null && film.present[state.picked]) {
      const i = state.picked;
      const [x, y] = this.place(film.position[3 * i], film.position[3 * i + 1]);
      pen.beginPath();
      pen.arc(x, y, Math.max(4, film.radius[i] * this.scale) + 3 * state.unit, 0, 7);
      pen.lineWidth = 2.5 * state.unit;
      pen.strokeStyle = "#ff2d95";
      pen.stroke();
    }
    palette.field && this.bar(state);
  }

  walls({ unit, ink }) {
    const { pen, film } = this;
    const thick = 14 * unit;
    const faint = `rgba(${ink},0.13)`,
      line = `rgba(${ink},0.6)`;
    pen.lineWidth = 1.4 * unit;
    const band = (corners) => {
      pen.beginPath();
      corners.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.closePath();
      pen.fillStyle = faint;
      pen.fill();
    };
    for (const [from, to, normal] of film.facts.walls) {
      const [a, b] = [this.place(...from), this.place(...to)];
      const back = [-normal[0] * thick, normal[1] * thick];
      band([a, b, [b[0] + back[0], b[1] + back[1]], [a[0] + back[0], a[1] + back[1]]]);
      pen.beginPath();
      pen.moveTo(...a);
      pen.lineTo(...b);
      pen.strokeStyle = line;
      pen.stroke();
    }
    for (const [centre, radius] of film.facts.rings) {
      const [x, y] = this.place(...centre);
      const r = radius * this.scale;
      pen.beginPath();
      pen.arc(x, y, r + thick / 2, 0, 7);
      pen.lineWidth = thick;
      pen.strokeStyle = faint;
      pen.stroke();
      pen.beginPath();
      pen.arc(x, y, r, 0, 7);
      pen.lineWidth = 1.4 * unit;
      pen.strokeStyle = line;
      pen.stroke();
    }
    pen.lineWidth = 3 * unit;
    for (const [from, to] of film.facts.segments) {
      pen.beginPath();
      pen.moveTo(...this.place(...from));
      pen.lineTo(...this.place(...to));
      pen.strokeStyle = line;
      pen.stroke();
    }
  }

  /** Draws the bodies, those of one colour together. */
  bodies(state) {
    const { film, palette, canvas, pen } = this;
    const groups = new Map();
    const s = this.scale,
      size = state.size;
    for (let i = 0; i < film.count; i++) {
      if (!film.present[i]) continue;
      const [x, y] = this.place(film.position[3 * i], film.position[3 * i + 1]);
      const reach = film.radius[i] * s;
      if (x < -reach || y < -reach || x > canvas.width + reach || y > canvas.height + reach) continue;
      // Line widths follow the size of the bodies.
      const bulk = Math.min(7, Math.max(0, Math.floor(1.5 * Math.log2(reach))));
      const put = (colour, side) => {
        const key = 8 * colour + bulk;
        let group = groups.get(key);
        if (!group) groups.set(key, (group = []));
        group.push(i, x, y, side);
      };
      const first = film.ownColours(i, palette.field.name);
      const index = palette.bodyIndex(film.value[i]);
      if (first === null) put(index === PLAIN ? index : index & 0xfe, -1);
      else {
        const { sides } = film.forms[film.form[i]];
        sides.forEach((_, side) => put(palette.index(film.stress[first + side]) & 0xfe, side));
      }
    }
    const pale = state.chains ? 0.62 : 0;
    // Mitres of sharp corners would stand out of the outline.
    pen.lineJoin = "round";
    pen.lineCap = "round";
    for (const [key, group] of groups) {
      const rgb = palette.rgb(key >> 3).map((v, k) => Math.round(v + pale * (state.paper[k] - v)));
      const dark = 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] < 96;
      const rim = rgb.map((v) => Math.round(dark ? v + 0.4 * (255 - v) : 0.62 * v));
      const fill = new Path2D(),
        lines = new Path2D(),
        seams = new Path2D();
      let widest = 0;
      for (let g = 0; g < group.length; g += 4) {
        const [i, x, y, side] = [group[g], group[g + 1], group[g + 2], group[g + 3]];
        widest = Math.max(widest, this.outline(i, x, y, s * size, fill, lines, seams, side));
      }
      pen.fillStyle = css(rgb);
      pen.fill(fill);
      pen.lineWidth = Math.min(1.3 * state.unit, 0.09 * widest);
      // No lines between the parts of one body.
      pen.strokeStyle = css(rgb);
      pen.stroke(seams);
      pen.strokeStyle = css(rim);
      if (pen.lineWidth > 0.15) pen.stroke(lines);
    }
    pen.lineCap = "butt";
  }

  /** Adds the outline of a body, or of its face number `only` if that is not negative; returns its radius, px. */
  outline(i, x, y, s, fill, lines, seams, only = -1) {
    const { film } = this;
    const form = film.forms[film.form[i]];
    const angle = film.orientation[4 * i],
      r = film.radius[i] * s;
    const [c, n] = [Math.cos(angle), Math.sin(angle)];
    const single = form.balls.length + form.sides.length === 1;
    for (const [u, v, , own] of form.balls) {
      const [bx, by, br] = [x + r * (c * u - n * v), y - r * (n * u + c * v), r * own];
      fill.moveTo(bx + br, by);
      fill.arc(bx, by, br, 0, 7);
      if (single && br > 1.5) {
        lines.moveTo(bx + br, by);
        lines.arc(bx, by, br, 0, 7);
        if (br > 4) {
          lines.moveTo(bx, by);
          lines.lineTo(bx + 0.85 * br * c, by - 0.85 * br * n);
        }
      }
    }
    for (const number of only < 0 ? form.sides.keys() : [only]) {
      const target = single ? lines : seams;
      const places = form.sides[number].map((corner) => {
        const [u, v] = film.cornerOf(i, corner);
        return [x + r * (c * u - n * v), y - r * (n * u + c * v)];
      });
      places.forEach((place, k) => {
        fill[k ? "lineTo" : "moveTo"](...place);
        target[k ? "lineTo" : "moveTo"](...place);
        if (form.rims && !single && form.rims[number][k]) {
          lines.moveTo(...place);
          lines.lineTo(...places[(k + 1) % places.length]);
        }
      });
      fill.closePath();
      target.closePath();
    }
    return r;
  }

  chains(state) {
    const { pen, film } = this;
    const { strong_force: strong, typical_radius: radius, chain_colours: colours } = film.facts;
    const widths = new Map();
    film.chains(state.at, (a, b, force, mean) => {
      const width = 0.84 * radius * Math.min(2, force / (strong || 1)) * this.scale;
      const key = (force > mean ? 1000 : 0) + Math.max(1, Math.min(300, Math.ceil(3 * width)));
      let path = widths.get(key);
      if (!path) widths.set(key, (path = new Path2D()));
      path.moveTo(...this.place(a[0], a[1]));
      path.lineTo(...this.place(b[0], b[1]));
    });
    pen.lineCap = "round";
    for (const key of [...widths.keys()].sort((a, b) => a - b)) {
      pen.lineWidth = Math.max(0.5 * state.unit, (key % 1000) / 3);
      pen.strokeStyle = key >= 1000 ? (state.dark ? "#ff6b5e" : hex(colours[0])) : state.dark ? "#5d7286" : hex(colours[1]);
      pen.stroke(widths.get(key));
    }
    pen.lineCap = "butt";
  }

  /** Draws the scale bar. */
  bar({ unit, ink }) {
    const { pen, canvas } = this;
    const most = (0.22 * canvas.width) / this.scale;
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((m) => m * power).find((v) => v <= most) ?? power;
    const [x, y] = [18 * unit, canvas.height - 18 * unit];
    pen.strokeStyle = pen.fillStyle = `rgb(${ink})`;
    pen.lineWidth = 1.5 * unit;
    pen.beginPath();
    pen.moveTo(x, y - 5 * unit);
    pen.lineTo(x, y);
    pen.lineTo(x + length * this.scale, y);
    pen.lineTo(x + length * this.scale, y - 5 * unit);
    pen.stroke();
    pen.font = `${12 * unit}px system-ui, "DejaVu Sans", sans-serif`;
    pen.fillText(`${formatNumber(length, 2)} m`, x + 6 * unit, y - 6 * unit);
  }

  /** The body at a point of the canvas, or null. */
  pick(px, py) {
    const { film } = this;
    let best = null;
    for (let i = 0; i < film.count; i++) {
      if (!film.present[i]) continue;
      const [x, y] = this.place(film.position[3 * i], film.position[3 * i + 1]);
      const r = Math.max(film.radius[i] * this.scale, 3);
      if (Math.hypot(px - x, py - y) > r || !this.covers(i, px, py, x, y)) continue;
      if (best === null || film.radius[i] < film.radius[best]) best = i;
    }
    return best;
  }

  covers(i, px, py, x, y) {
    const { pen, film } = this;
    if (film.isBall[i]) return true;
    const path = new Path2D();
    this.outline(i, x, y, this.scale, path, new Path2D(), new Path2D());
    return pen.isPointInPath(path, px, py);
  }
}
