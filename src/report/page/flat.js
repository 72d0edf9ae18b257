// Three dimensions without WebGL: bodies are drawn from back to front.

class FlatView {
  constructor(canvas, film, palette) {
    Object.assign(this, { canvas, film, palette, pen: canvas.getContext("2d") });
    this.home();
  }

  home(box = this.film.whole()) {
    this.eye = new Orbit(this.film.facts.view).fit(this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1), box);
  }
  drag(dx, dy, unit) {
    this.eye.rotate(dx / unit, dy / unit);
  }
  pan(dx, dy) {
    this.eye.move(dx, dy, this.canvas.height);
  }
  magnify(factor) {
    this.eye.magnify(factor);
  }
  follow(i) {
    this.eye.target = Array.from(this.film.position.subarray(3 * i, 3 * i + 3));
  }
  spot(i) {
    return SpaceView.prototype.spot.call(this, i);
  }
  pick(px, py, state) {
    return SpaceView.prototype.pick.call(this, px, py, state);
  }

  draw(state) {
    const { pen, canvas, film, palette, eye } = this;
    const { view, lens } = eye.matrices(canvas.width / canvas.height);
    const see = (at) => {
      const own = transform(view, [...at, 1]),
        clip = transform(lens, own);
      return [(0.5 + (0.5 * clip[0]) / clip[3]) * canvas.width, (0.5 - (0.5 * clip[1]) / clip[3]) * canvas.height, -own[2]];
    };
    pen.fillStyle = css(state.paper);
    pen.fillRect(0, 0, canvas.width, canvas.height);
    const hidden = eye.cutPredicate(state.cut),
      sun = eye.sun().to;
    const marks = [];
    const place = (i, v) =>
      rotate(film.orientation, 4 * i, v).map((x, k) => film.position[3 * i + k] + x * film.radius[i] * state.size);
    for (let i = 0; i < film.count && state.size > 0; i++) {
      if (!film.present[i] || hidden(film.position, 3 * i)) continue;
      const first = i === state.picked ? null : film.ownColours(i, palette.field.name);
      const rgb = i === state.picked ? [255, 45, 149] : palette.rgb(palette.bodyIndex(film.value[i]));
      const form = film.forms[film.form[i]];
      for (const ball of form.balls) {
        const [x, y, far] = see(film.isBall[i] ? film.position.subarray(3 * i, 3 * i + 3) : place(i, ball));
        marks.push({ far, x, y, r: (film.radius[i] * ball[3] * state.size * lens[5] * canvas.height) / 2 / far, rgb });
      }
      form.sides.forEach((side, k) => {
        const own = first === null ? rgb : palette.rgb(palette.index(film.stress[first + k]));
        const corners = side.map((corner) => place(i, film.cornerOf(i, corner)));
        const normal = normalOf(corners),
          facing = dot(normal, minus(eye.place(), corners[0])) > 0 ? 1 : -1;
        const seen = corners.map(see);
        const light = 0.55 + 0.45 * Math.max(0, facing * dot(normal, sun));
        marks.push({
          far: seen.reduce((sum, v) => sum + v[2], 0) / seen.length,
          seen,
          rgb: own.map((v) => Math.round(v * light)),
        });
      });
    }
    marks.sort((a, b) => b.far - a.far);
    for (const mark of marks) {
      pen.beginPath();
      if (mark.seen) {
        mark.seen.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
        pen.closePath();
        pen.fillStyle = pen.strokeStyle = css(mark.rgb);
        pen.stroke();
      } else {
        const { x, y, r, rgb } = mark;
        pen.arc(x, y, Math.max(r, 0.3), 0, 7);
        const shade = pen.createRadialGradient(x - 0.35 * r, y - 0.4 * r, 0.1 * r, x, y, Math.max(r, 0.3));
        shade.addColorStop(0, css(rgb.map((v) => Math.round(v + 0.35 * (255 - v)))));
        shade.addColorStop(1, css(rgb.map((v) => Math.round(0.55 * v))));
        pen.fillStyle = shade;
      }
      pen.fill();
    }
    if (!state.chains) return;
    const { strong_force: strong, typical_radius: radius, chain_colours: colours } = film.facts;
    film.chains(state.at, (a, b, force, mean) => {
      const [p, q] = [see(a), see(b)];
      pen.beginPath();
      pen.moveTo(p[0], p[1]);
      pen.lineTo(q[0], q[1]);
      pen.lineWidth = Math.max(
        0.5,
        (0.84 * radius * Math.min(2, force / (strong || 1)) * lens[5] * canvas.height) / 2 / p[2],
      );
      pen.strokeStyle = hex(colours[force > mean ? 0 : 1]);
      pen.stroke();
    });
  }
}
