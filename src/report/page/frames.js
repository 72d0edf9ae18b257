// Decoding of packed frames (src/report/pack.rs), and interpolation of the state of all bodies between two of them.

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decodeBase64(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** Reads numbers stored as planes of bytes, the lowest bytes first. */
class BytePlanes {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  read(count, width) {
    const numbers = new Uint32Array(count);
    for (let k = 0; k < width; k++) {
      for (let i = 0; i < count; i++) numbers[i] |= this.bytes[this.at++] << (8 * k);
    }
    return numbers;
  }
}

class Film {
  constructor(facts, bytes) {
    Object.assign(this, { facts, bytes, dimension: facts.dimension, count: facts.bodies, frames: [], ready: 0 });
    const n = this.count;
    this.times = facts.times;
    this.position = new Float32Array(3 * n);
    this.orientation = new Float32Array(4 * n);
    this.present = new Uint8Array(n);
    this.value = new Float32Array(n);
  }

  /** Unpacks all frames; calls `each` after every one. */
  async load(each) {
    let from = 0;
    const parts = this.facts.lengths.map((length) => this.bytes.subarray(from, (from += length)));
    const { fine, finer, all } = JSON.parse(new TextDecoder().decode(await inflate(parts[0])));
    this.forms = all.map((form) => ({
      balls: form.balls.map((ball) => ball.map((v) => v / fine)),
      corners: form.corners.map((corner) => corner.map((v) => v / fine)),
      sides: form.sides,
      deforms: form.deforms,
      rims: form.deforms ? rims(form.sides) : null,
    }));
    this.finer = finer;
    for (const form of this.forms) {
      form.isBall = form.sides.length === 0 && form.balls.length === 1 && form.balls[0].slice(0, 3).every((v) => v === 0);
    }
    const planes = new BytePlanes(await inflate(parts[1]));
    let id = 0;
    this.ids = Array.from(planes.read(this.count, 4), (change) => (id += change));
    this.form = planes.read(this.count, 4);
    this.radius = Float32Array.from(planes.read(this.count, 2), (v) => (v / 65535) * this.facts.largest);
    this.layOut();
    this.isBall = Uint8Array.from(this.form, (form) => (this.forms[form].isBall ? 1 : 0));
    const columns = this.dimension === 2 ? 7 : 14;
    let before = Array.from({ length: columns }, () => new Uint16Array(this.count));
    this.deformed = this.deformation();
    for (let k = 2; k < parts.length; k++) {
      before = this.unpack(await inflate(parts[k]), before);
      this.ready = this.frames.length;
      await each(this.ready);
    }
    this.bytes = null;
  }

  /** Numbers the corners and the faces of all deformable bodies one after the other. */
  layOut() {
    this.deformables = [];
    let [corners, sides] = [0, 0];
    for (let i = 0; i < this.count; i++) {
      const form = this.forms[this.form[i]];
      if (!form.deforms) continue;
      this.deformables.push({ body: i, form, corners, sides });
      corners += form.corners.length;
      sides += form.sides.length;
    }
    this.places = new Map(this.deformables.map((own) => [own.body, own]));
    [this.cornerCount, this.sideCount] = [corners, sides];
    this.corner = new Float32Array(3 * corners);
    this.stress = new Float32Array(sides);
  }

  /** Columns of undeformed bodies. */
  deformation() {
    return {
      displacements: Array.from({ length: this.dimension }, () => new Uint16Array(this.cornerCount)),
      stresses: new Uint16Array(this.sideCount),
    };
  }

  /** Reads displacements and stresses of the deformable bodies that are present. */
  deform(planes, present) {
    const before = this.deformed;
    const here = this.deformables.filter(({ body }) => present[body]);
    const add = (old, first, size) => {
      const now = old.slice();
      const changes = planes.read(
        here.reduce((sum, own) => sum + size(own.form), 0),
        2,
      );
      let k = 0;
      for (const own of here) {
        for (let c = 0; c < size(own.form); c++) now[own[first] + c] += changes[k++];
      }
      return now;
    };
    const displacements = before.displacements.map((old) => add(old, "corners", (form) => form.corners.length));
    this.deformed = { displacements, stresses: add(before.stresses, "sides", (form) => form.sides.length) };
    return this.deformed;
  }

  /** A corner of the shape of a body, in its axes and in units of its radius. */
  cornerOf(i, corner) {
    const own = this.places.get(i);
    if (!own) return this.forms[this.form[i]].corners[corner];
    const at = 3 * (own.corners + corner);
    return [this.corner[at], this.corner[at + 1], this.corner[at + 2]];
  }

  /** Number of the first face of a deformable body whose faces have colours of their own, or null. */
  ownColours(i, name) {
    return name === "stress" ? (this.places.get(i)?.sides ?? null) : null;
  }

  unpack(bytes, before) {
    const n = this.count,
      flat = this.dimension === 2;
    const present = new Uint8Array(n).fill(1);
    const planes = new BytePlanes(bytes);
    if (bytes[planes.at++] === 0) {
      for (let i = 0; i < n; i++) present[i] = (bytes[planes.at + (i >> 3)] >> (i & 7)) & 1;
      planes.at += Math.ceil(n / 8);
    }
    const some = [],
      rotated = [];
    for (let i = 0; i < n; i++) {
      if (!present[i]) continue;
      some.push(i);
      if (flat || !this.isBall[i]) rotated.push(i);
    }
    const columns = before.map((old, column) => {
      const whom = !flat && column >= 3 && column < 7 ? rotated : some;
      const changes = planes.read(whom.length, 2);
      const now = old.slice();
      for (let k = 0; k < whom.length; k++) now[whom[k]] += changes[k];
      return now;
    });
    const count =
      bytes[planes.at] | (bytes[planes.at + 1] << 8) | (bytes[planes.at + 2] << 16) | (bytes[planes.at + 3] << 24);
    planes.at += 4;
    const [a, b] = [planes.read(count, 4), planes.read(count, 4)];
    let last = 0;
    for (let k = 0; k < count; k++) {
      last = (last + a[k]) >>> 0;
      a[k] = last;
      b[k] = (b[k] + last) >>> 0;
    }
    const force = bytes.slice(planes.at, planes.at + count);
    planes.at += count;
    let places = 0;
    for (let k = 0; k < count; k++) places += (a[k] === 0) + (b[k] === 0);
    const points = [];
    for (let k = 0; k < this.dimension; k++) points.push(planes.read(places, 2));
    const chains = { count, a, b, force, points };
    const deformed = this.deformables.length ? this.deform(planes, present) : null;
    this.frames.push({ present, columns, chains, deformed });
    return columns;
  }

  place(axis, number) {
    return this.facts.min[axis] + (number / 65535) * this.facts.size[axis];
  }

  /** The frames before and after `at` (a fractional frame number), the fraction between them, and the number of the first. */
  around(at) {
    const k = Math.min(Math.max(0, Math.floor(at)), this.ready - 1);
    const next = Math.min(k + 1, this.ready - 1);
    return [this.frames[k], this.frames[next], next === k ? 0 : Math.min(1, at - k), k];
  }

  timeAt(at) {
    const k = Math.min(Math.floor(at), this.times.length - 1);
    const next = Math.min(k + 1, this.times.length - 1);
    return this.times[k] + (at - k) * (this.times[next] - this.times[k]);
  }

  /** Computes positions, orientations and presence of all bodies. */
  pose(at) {
    const [one, two, share] = this.around(at);
    const n = this.count,
      flat = this.dimension === 2,
      { min, size } = this.facts;
    // A body that moves farther than this between two frames has crossed a face of a periodic cell or was replaced.
    const jump = 65535 * 0.25;
    this.present.set(one.present);
    const q = this.orientation;
    for (let i = 0; i < n; i++) {
      const mixes = share > 0 && one.present[i] && two.present[i];
      let whole = mixes;
      for (let k = 0; k < this.dimension; k++) {
        if (mixes && size[k] > 0 && Math.abs(two.columns[k][i] - one.columns[k][i]) > jump) whole = false;
      }
      const s = whole ? share : 0;
      const own = this.places.get(i);
      if (own) this.poseCorners(own, one.deformed.displacements, two.deformed.displacements, s);
      for (let k = 0; k < this.dimension; k++) {
        const from = one.columns[k][i],
          to = two.columns[k][i];
        this.position[3 * i + k] = min[k] + ((from + s * (to - from)) / 65535) * size[k];
      }
      if (flat) {
        const [from, to] = [one.columns[2][i], two.columns[2][i]];
        const change = ((to - from + 98304) & 65535) - 32768;
        q[4 * i] = ((from + (whole ? s * change : 0)) / 65536) * 2 * Math.PI;
      } else if (!this.isBall[i]) {
        const from = orientationOf(one, i);
        if (!whole) {
          q.set(from, 4 * i);
          continue;
        }
        const to = orientationOf(two, i);
        const side = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3] < 0 ? -1 : 1;
        let length = 0;
        for (let k = 0; k < 4; k++) {
          q[4 * i + k] = from[k] + s * (side * to[k] - from[k]);
          length += q[4 * i + k] ** 2;
        }
        for (let k = 0; k < 4; k++) q[4 * i + k] /= Math.sqrt(length);
      }
    }
  }

  /** Computes the corners of a deformable body between two frames. */
  poseCorners({ form, corners }, from, to, share) {
    form.corners.forEach((corner, c) => {
      for (let k = 0; k < 3; k++) {
        let moved = 0;
        if (k < this.dimension) {
          const [a, b] = [signed(from[k][corners + c]), signed(to[k][corners + c])];
          moved = (a + share * (b - a)) / this.finer;
        }
        this.corner[3 * (corners + c) + k] = corner[k] + moved;
      }
    });
  }

  velocity(frame, i) {
    const first = this.dimension === 2 ? 3 : 7;
    return Array.from(
      { length: this.dimension },
      (_, k) => (signed(frame.columns[first + k][i]) / 2047) * this.facts.velocity,
    );
  }

  spin(frame, i) {
    const [first, count] = this.dimension === 2 ? [5, 1] : [10, 3];
    return Array.from({ length: count }, (_, k) => (signed(frame.columns[first + k][i]) / 511) * this.facts.spin);
  }

  contacts(frame, i) {
    return frame.columns[frame.columns.length - 1][i];
  }

  /** Computes the values that colour the bodies. */
  values(at, name) {
    const [frame] = this.around(at + 0.5 < this.ready ? at + 0.5 : at);
    const { value, count, facts, dimension } = this;
    const fill = (of) => {
      for (let i = 0; i < count; i++) value[i] = of(i);
    };
    /** Norm of the vector of these columns, or its only component. */
    const length = (columns, scale) => {
      if (columns.length === 1) fill((i) => signed(columns[0][i]) * scale);
      else
        fill((i) => {
          let sum = 0;
          for (const column of columns) sum += signed(column[i]) ** 2;
          return Math.sqrt(sum) * scale;
        });
    };
    const [first, last] = dimension === 2 ? [3, 5] : [7, 10];
    const velocities = frame.columns.slice(first, last);
    const axis = { velocity_x: 0, velocity_y: 1, velocity_z: 2 }[name];
    if (name === "speed") length(velocities, facts.velocity / 2047);
    else if (axis !== undefined) length([velocities[axis]], facts.velocity / 2047);
    else if (name === "spin") length(frame.columns.slice(last, -1), facts.spin / 511);
    else if (name === "contacts") fill((i) => this.contacts(frame, i));
    else if (name === "radius") fill((i) => this.radius[i]);
    else if (name === "id") fill((i) => this.ids[i]);
    else if (name === "stress") {
      value.fill(0);
      const { stresses } = frame.deformed;
      for (let k = 0; k < stresses.length; k++) this.stress[k] = (stresses[k] / 4095) * facts.stress;
    }
    else value.fill(0);
  }

  /** Bounding box of most bodies of some frames, so that a few distant ones do not shrink the view. */
  extent(numbers, share) {
    const skip = Math.ceil((this.count * numbers.length) / 60000);
    const box = [[], []];
    for (let k = 0; k < this.dimension; k++) {
      const [low, high] = [[], []];
      for (const number of numbers) {
        const { present, columns } = this.frames[number];
        for (let i = number % skip; i < this.count; i += skip) {
          if (!present[i]) continue;
          const at = this.place(k, columns[k][i]);
          low.push(at - this.radius[i]);
          high.push(at + this.radius[i]);
        }
      }
      const rank = (list, part) => list.sort((a, b) => a - b)[Math.round(part * (list.length - 1))];
      box[0].push(rank(low, 1 - share));
      box[1].push(rank(high, share));
    }
    return box[0].some((v, k) => !(v < box[1][k])) ? this.facts.view : box;
  }

  /** The view of the whole film: the box of nearly all bodies in all frames, if it is much smaller than the full view. */
  whole() {
    const every = Math.ceil(this.ready / 40);
    const box = this.extent(
      Array.from({ length: this.ready }, (_, k) => k).filter((k) => k % every === 0 || k === this.ready - 1),
      0.998,
    );
    const bulk = ([low, high]) => high.reduce((all, v, k) => all * Math.max(v - low[k], 1e-12), 1);
    return bulk(box) < 0.6 * bulk(this.facts.view) ? box : this.facts.view;
  }

  /** The values to which the range of colours is fitted. */
  shown(name) {
    return name === "stress" ? this.stress : this.value;
  }

  /** A sample of the values of a quantity over all frames. */
  sample(name) {
    const every = Math.ceil(this.ready / 40),
      skip = Math.ceil(this.count / 4000);
    const all = [];
    for (let k = this.ready - 1; k >= 0; k -= every) {
      this.values(k, name);
      if (name === "stress") {
        const step = Math.ceil(this.sideCount / 4000);
        for (let s = 0; s < this.sideCount; s += step) all.push(this.stress[s]);
        continue;
      }
      for (let i = 0; i < this.count; i += skip) if (this.frames[k].present[i]) all.push(this.value[i]);
    }
    return all;
  }

  /** Calls `each` with the ends and the force of every chain at a time, and the mean force of that frame. */
  chains(at, each) {
    const [frame, , , k] = this.around(Math.round(at));
    const { count, a, b, force, points } = frame.chains;
    const ends = [new Float32Array(3), new Float32Array(3)];
    let place = 0;
    for (let c = 0; c < count; c++) {
      [a[c], b[c]].forEach((body, side) => {
        for (let d = 0; d < this.dimension; d++) {
          ends[side][d] = body ? this.position[3 * (body - 1) + d] : this.place(d, points[d][place]);
        }
        if (!body) place++;
      });
      each(ends[0], ends[1], (force[c] / 255) ** 2 * this.facts.force, this.facts.means[k]);
    }
  }
}

const signed = (v) => (v << 16) >> 16;

function orientationOf(frame, i) {
  const largest = frame.columns[3][i];
  const rest = [4, 5, 6].map((column) => signed(frame.columns[column][i]) / 32767 / Math.SQRT2);
  const last = Math.sqrt(Math.max(0, 1 - rest[0] ** 2 - rest[1] ** 2 - rest[2] ** 2));
  rest.splice(largest, 0, last);
  return rest;
}

/** Rotates a vector in body axes by the quaternion (w, x, y, z) at offset `o`. */
function rotate(q, o, [x, y, z]) {
  const [w, a, b, c] = [q[o], q[o + 1], q[o + 2], q[o + 3]];
  const [u, v, t] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
  return [x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u];
}
