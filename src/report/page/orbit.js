// A camera that orbits a target, the directional light, and matrices (column-major, as in WebGL).

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => {
  const l = Math.hypot(...a) || 1;
  return [a[0] / l, a[1] / l, a[2] / l];
};

function multiply(a, b) {
  const c = new Array(16).fill(0);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
const transform = (m, v) => [0, 1, 2, 3].map((i) => m[i] * v[0] + m[4 + i] * v[1] + m[8 + i] * v[2] + m[12 + i] * v[3]);
const transformDirection = (m, v) => unit(transform(m, [...v, 0]));

/** View matrix of a camera at `from` that looks at `to`. */
function lookAt(from, to, over) {
  const back = unit(minus(from, to)),
    right = unit(cross(over, back)),
    up = cross(back, right);
  return [
    right[0],
    up[0],
    back[0],
    0,
    right[1],
    up[1],
    back[1],
    0,
    right[2],
    up[2],
    back[2],
    0,
    -dot(right, from),
    -dot(up, from),
    -dot(back, from),
    1,
  ];
}

function normalOf(corners) {
  let sum = [0, 0, 0];
  for (let k = 1; k + 1 < corners.length; k++) {
    const own = cross(minus(corners[k], corners[0]), minus(corners[k + 1], corners[0]));
    sum = [sum[0] + own[0], sum[1] + own[1], sum[2] + own[2]];
  }
  return unit(sum);
}

class Orbit {
  constructor([low, high]) {
    Object.assign(this, { low, high, azimuth: -60, elevation: 22, lens: 2 * Math.atan(Math.tan((28 * Math.PI) / 360)) });
    this.middle = low.map((v, k) => (v + high[k]) / 2);
    this.target = [...this.middle];
    this.size = Math.hypot(...minus(high, low)) || 1;
    this.far = (0.5 * this.size) / Math.sin(this.lens / 2);
  }

  /** Moves the camera as close as a box of this size allows on a canvas of this aspect ratio. */
  fit(aspect, box) {
    const corners = Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((d) => box[(k >> d) & 1][d]));
    this.target = box[0].map((v, k) => (v + box[1][k]) / 2);
    const widest = () => {
      const { view, lens } = this.matrices(aspect);
      const places = corners.map((corner) => transform(lens, transform(view, [...corner, 1]))).map((p) => [p[0] / p[3], p[1] / p[3]]);
      const ends = [0, 1].map((d) => [Math.min(...places.map((p) => p[d])), Math.max(...places.map((p) => p[d]))]);
      return { ends, most: Math.max(...ends.map(([a, b]) => (b - a) / 2)) };
    };
    for (let k = 0; k < 12; k++) this.far *= widest().most / 0.92;
    const { ends } = widest();
    // Centre the projection of the box on the canvas.
    const high = 1000;
    this.move((-(ends[0][0] + ends[0][1]) / 4) * high * aspect, ((ends[1][0] + ends[1][1]) / 4) * high, high);
    return this;
  }

  rotate(dx, dy) {
    this.azimuth -= 0.35 * dx;
    this.elevation = Math.max(-89, Math.min(89, this.elevation + 0.35 * dy));
  }

  magnify(factor) {
    this.far = Math.max(0.01 * this.size, Math.min(12 * this.size, this.far / factor));
  }

  move(dx, dy, high) {
    const scale = (2 * this.far * Math.tan(this.lens / 2)) / high;
    const out = this.outward(),
      right = unit(cross([0, 0, 1], out)),
      up = cross(out, right);
    this.target = this.target.map((v, k) => v - scale * (dx * right[k] - dy * up[k]));
  }

  /** Unit vector from the target to the camera. */
  outward() {
    const [a, e] = [this.azimuth, this.elevation].map((v) => (v * Math.PI) / 180);
    return [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
  }

  place() {
    return this.outward().map((v, k) => this.target[k] + this.far * v);
  }

  matrices(aspect) {
    const from = this.place();
    const view = lookAt(from, this.target, [0, 0, 1]);
    // On a narrow canvas the angle of view applies to the width.
    const f = 1 / Math.tan(this.lens / 2) / Math.max(1, 1 / aspect);
    const middle = Math.hypot(...minus(from, this.middle));
    const near = Math.max(middle - 1.6 * this.size, 0.004 * this.size),
      far = middle + 2.2 * this.size;
    const [c, d] = [(far + near) / (near - far), (2 * far * near) / (near - far)];
    const lens = [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, c, -1, 0, 0, d, 0];
    const [r, u, b] = [0, 1, 2].map((k) => [view[k], view[4 + k], view[8 + k]]);
    const back = [...r, 0, ...u, 0, ...b, 0, ...from, 1];
    return { view, lens, back, focal: [f / aspect, f, c, d] };
  }

  /** The directional light, from behind and to the left of the initial view; its shadow map covers the whole scene. */
  sun() {
    const to = unit([0.1, -0.72, 1.15]);
    const reach = 0.62 * this.size;
    const from = this.middle.map((v, k) => v + 2 * reach * to[k]);
    const lens = [1 / reach, 0, 0, 0, 0, 1 / reach, 0, 0, 0, 0, -2 / (4 * reach), 0, 0, 0, -1, 1];
    return { to, view: lookAt(from, this.middle, [0, 1, 0]), lens };
  }

  /** Predicate for positions that are cut away: `cut` from 0 to 1 removes what is closer to the camera. */
  cutPredicate(cut) {
    if (!cut) return () => false;
    const out = this.outward(),
      limit = 0.5 * this.size * (0.75 - 1.5 * cut);
    return (p, o) =>
      (p[o] - this.middle[0]) * out[0] + (p[o + 1] - this.middle[1]) * out[1] + (p[o + 2] - this.middle[2]) * out[2] > limit;
  }

  /** Direction of the ray through a point of the canvas. */
  ray(px, py, wide, high) {
    const { focal } = this.matrices(wide / high);
    const [x, y] = [((2 * px) / wide - 1) / focal[0], (1 - (2 * py) / high) / focal[1]];
    const out = this.outward(),
      right = unit(cross([0, 0, 1], out)),
      up = cross(out, right);
    return unit([0, 1, 2].map((k) => x * right[k] + y * up[k] - out[k]));
  }
}

/** Distance at which a ray hits a body; infinity if it misses. */
function hitDistance(film, i, from, ray, size) {
  const centre = Array.from(film.position.subarray(3 * i, 3 * i + 3));
  const ball = (at, r) => {
    const arm = minus(at, from),
      b = dot(arm, ray),
      under = b * b - dot(arm, arm) + r * r;
    return under < 0 ? Infinity : b - Math.sqrt(under);
  };
  const r = film.radius[i] * size;
  const whole = ball(centre, r);
  if (film.isBall[i] || whole === Infinity) return whole;
  const form = film.forms[film.form[i]];
  const place = (v) => rotate(film.orientation, 4 * i, v).map((x, k) => centre[k] + r * x);
  let nearest = Infinity;
  for (const own of form.balls) nearest = Math.min(nearest, ball(place(own.slice(0, 3)), r * own[3]));
  for (const side of form.sides) {
    const corners = side.map((corner) => place(film.cornerOf(i, corner)));
    const normal = normalOf(corners),
      speed = dot(normal, ray);
    if (Math.abs(speed) < 1e-12) continue;
    const far = dot(normal, minus(corners[0], from)) / speed;
    const at = from.map((v, k) => v + far * ray[k]);
    const inside = corners.every(
      (a, k) => dot(cross(minus(corners[(k + 1) % corners.length], a), minus(at, a)), normal) >= 0,
    );
    if (inside && far > 0) nearest = Math.min(nearest, far);
  }
  return nearest;
}
