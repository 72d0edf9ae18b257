// Three dimensions with WebGL: balls, solids, walls and rods.

const WHOLE_NUMBERS = ["over", "map", "depths", "facings", "colours", "dims"];

class SpaceView {
  constructor(canvas, film, palette, gl) {
    Object.assign(this, { canvas, film, palette, gl });
    gl.getExtension("EXT_color_buffer_float");
    this.programs = {
      ball: compile(gl, BALL_VERTEX, BALL_FRAGMENT),
      ballShadow: compile(gl, BALL_VERTEX, BALL_SHADOW),
      side: compile(gl, SIDE_VERTEX, SIDE_FRAGMENT),
      sideShadow: compile(gl, SIDE_VERTEX, NOTHING),
      rod: compile(gl, ROD_VERTEX, SIDE_FRAGMENT),
      rodShadow: compile(gl, ROD_VERTEX, NOTHING),
      wall: compile(gl, WALL_VERTEX, WALL_FRAGMENT),
      dim: compile(gl, WHOLE, OCCLUSION),
      finish: compile(gl, WHOLE, FINISH),
    };
    this.home();
    this.buildShadows();
    this.buildBodies();
    this.buildWalls();
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

  buffer(numbers, usage = this.gl.STATIC_DRAW) {
    const { gl } = this;
    const own = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, own);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, usage);
    return own;
  }

  /** Lists the balls and solids of all bodies and creates the buffers of their positions. */
  buildBodies() {
    const { film } = this;
    this.balls = [];
    const solids = film.forms.map(() => []);
    for (let i = 0; i < film.count; i++) {
      const form = film.forms[film.form[i]];
      for (const ball of form.balls) this.balls.push({ body: i, ball, plain: form.isBall });
      if (form.sides.length && !form.deforms) solids[film.form[i]].push(i);
    }
    this.meshes = [];
    let first = 0;
    film.forms.forEach((form, k) => {
      if (!solids[k].length) return;
      const numbers = [];
      for (const side of form.sides) {
        const corners = side.map((corner) => form.corners[corner]);
        const normal = normalOf(corners);
        for (let c = 1; c + 1 < corners.length; c++) {
          for (const corner of [corners[0], corners[c], corners[c + 1]]) numbers.push(...corner, ...normal);
        }
      }
      this.meshes.push({
        bodies: solids[k],
        first,
        count: numbers.length / 6,
        corners: this.buffer(new Float32Array(numbers)),
      });
      first += solids[k].length;
    });
    this.deformed = film.deformables.map(({ body, form, sides }, k) => {
      const count = form.sides.reduce((sum, side) => sum + 3 * (side.length - 2), 0);
      const [numbers, paint] = [new Float32Array(6 * count), new Uint8Array(4 * count)];
      const usage = this.gl.DYNAMIC_DRAW;
      const at = { numbersAt: this.buffer(numbers, usage), paintAt: this.buffer(paint, usage) };
      return { body, form, sides, count, numbers, paint, ...at, solid: first + k };
    });
    first += this.deformed.length;
    this.square = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    const rod = [],
      sides = 10;
    for (let k = 0; k < sides; k++) {
      const [a, b] = [k, k + 1].map((v) => (2 * Math.PI * v) / sides).map((v) => [Math.cos(v), Math.sin(v)]);
      rod.push(...a, 0, ...b, 0, ...b, 1, ...a, 0, ...b, 1, ...a, 1);
    }
    this.rod = { corners: this.buffer(new Float32Array(rod)), count: rod.length / 3 };
    this.ballNumbers = new Float32Array(4 * this.balls.length);
    this.ballPaint = new Uint8Array(4 * this.balls.length);
    this.solidNumbers = new Float32Array(8 * first);
    this.solidPaint = new Uint8Array(4 * first);
    for (const name of ["ballNumbers", "ballPaint", "solidNumbers", "solidPaint"]) {
      this[name + "At"] = this.buffer(this[name], this.gl.DYNAMIC_DRAW);
    }
    this.rodNumbersAt = this.gl.createBuffer();
    this.rodPaintAt = this.gl.createBuffer();
  }

  buildWalls() {
    const numbers = [];
    this.sides = this.film.facts.sides.map(({ corners, normal }) => {
      const first = numbers.length / 6;
      for (let c = 1; c + 1 < corners.length; c++) {
        for (const corner of [corners[0], corners[c], corners[c + 1]]) numbers.push(...corner, ...normal);
      }
      return { first, count: numbers.length / 6 - first, normal, at: corners[0] };
    });
    this.wallsAt = this.buffer(new Float32Array(numbers));
  }

  buildShadows() {
    const { gl } = this;
    this.mapSize = 2048;
    this.map = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.map);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, this.mapSize, this.mapSize);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.shade = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shade);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.map, 0);
    gl.drawBuffers([gl.NONE]);
  }

  /** Creates the render targets, `over` times the size of the canvas. */
  targets(over) {
    const { gl, canvas } = this;
    const key = `${canvas.width} ${canvas.height} ${over}`;
    if (this.key === key) return;
    this.key = key;
    for (const texture of this.textures ?? []) gl.deleteTexture(texture);
    const [w, h] = [canvas.width, canvas.height];
    const texture = (format, wide, high) => {
      const own = gl.createTexture();
      gl.bindTexture(gl.TEXTURE_2D, own);
      gl.texStorage2D(gl.TEXTURE_2D, 1, format, wide, high);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      for (const name of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, name, gl.CLAMP_TO_EDGE);
      return own;
    };
    const [colours, facings, depths, dims] = (this.textures = [
      texture(gl.RGBA8, w * over, h * over),
      texture(gl.RGBA8, w * over, h * over),
      texture(gl.DEPTH_COMPONENT24, w * over, h * over),
      texture(gl.RGBA8, w, h),
    ]);
    this.scene ??= gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.scene);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, colours, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT1, gl.TEXTURE_2D, facings, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depths, 0);
    gl.drawBuffers([gl.COLOR_ATTACHMENT0, gl.COLOR_ATTACHMENT1]);
    this.dimmer ??= gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.dimmer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, dims, 0);
  }

  /** Fills the buffers with positions and colours of the bodies. */
  fill(state) {
    const { film, palette } = this;
    const size = state.size,
      hidden = this.eye.cutPredicate(state.cut);
    const gone = (i) => !film.present[i] || size === 0 || hidden(film.position, 3 * i);
    const picked = [255, 45, 149];
    const paint = (i) => (i === state.picked ? picked : palette.rgb(palette.bodyIndex(film.value[i])));
    const p = film.position;
    this.balls.forEach(({ body, ball, plain }, k) => {
      const r = film.radius[body];
      const off = plain ? [0, 0, 0] : rotate(film.orientation, 4 * body, ball);
      for (let d = 0; d < 3; d++) this.ballNumbers[4 * k + d] = p[3 * body + d] + off[d] * r * size;
      this.ballNumbers[4 * k + 3] = gone(body) ? 0 : r * ball[3] * size;
      this.ballPaint.set(paint(body), 4 * k);
    });
    const solid = (body, k) => {
      for (let d = 0; d < 3; d++) this.solidNumbers[8 * k + d] = p[3 * body + d];
      this.solidNumbers[8 * k + 3] = gone(body) ? 0 : film.radius[body] * size;
      for (let d = 0; d < 4; d++) this.solidNumbers[8 * k + 4 + d] = film.orientation[4 * body + d];
      this.solidPaint.set(paint(body), 4 * k);
    };
    for (const mesh of this.meshes) mesh.bodies.forEach((body, m) => solid(body, mesh.first + m));
    const { gl } = this;
    for (const own of this.deformed) {
      solid(own.body, own.solid);
      this.fillDeformed(own, paint(own.body), own.body === state.picked);
    }
    for (const name of ["ballNumbers", "ballPaint", "solidNumbers", "solidPaint"]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this[name + "At"]);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, this[name]);
    }
    this.fillRods(state, hidden);
  }

  /** Fills the buffers of a deformable body with its corners and the colours of its faces, or the one of the body. */
  fillDeformed({ body, form, sides, numbers, paint, numbersAt, paintAt }, plain, picked) {
    const { film, palette, gl } = this;
    const owns = !picked && film.ownColours(body, palette.field.name) !== null;
    let k = 0;
    form.sides.forEach((side, s) => {
      const rgb = owns ? palette.rgb(palette.index(film.stress[sides + s])) : plain;
      const corners = side.map((corner) => film.cornerOf(body, corner));
      const normal = normalOf(corners);
      for (let c = 1; c + 1 < corners.length; c++) {
        for (const corner of [corners[0], corners[c], corners[c + 1]]) {
          numbers.set(corner, 6 * k);
          numbers.set(normal, 6 * k + 3);
          paint.set(rgb, 4 * k++);
        }
      }
    });
    for (const [buffer, own] of [
      [numbersAt, numbers],
      [paintAt, paint],
    ]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, own);
    }
  }

  fillRods(state, hidden) {
    const { film, gl } = this;
    const { strong_force: strong, typical_radius: radius, chain_colours: colours } = film.facts;
    const numbers = [],
      paint = [];
    const parts = (code) => [16, 8, 0].map((shift) => (code >> shift) & 255);
    const [high, low] = [state.dark ? [255, 96, 84] : parts(colours[0]), parts(colours[1])];
    if (state.chains) {
      film.chains(state.at, (a, b, force, mean) => {
        if (hidden(a, 0) && hidden(b, 0)) return;
        numbers.push(...a, Math.max(0.55 * radius * Math.min(1.6, force / (strong || 1)), 0.025 * radius), ...b, 0);
        paint.push(...(force > mean ? high : low), 255);
      });
    }
    this.rods = numbers.length / 8;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.rodNumbersAt);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.rodPaintAt);
    gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(paint), gl.DYNAMIC_DRAW);
  }

  use(name, uniforms) {
    const { gl } = this;
    const { whole, places } = this.programs[name];
    gl.useProgram(whole);
    for (const [key, value] of Object.entries(uniforms)) {
      const at = places[key];
      if (!at) continue;
      if (typeof value === "number") WHOLE_NUMBERS.includes(key) ? gl.uniform1i(at, value) : gl.uniform1f(at, value);
      else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else gl["uniform" + value.length + "fv"](at, value);
    }
  }

  /** Binds a buffer to an attribute; `each`: one value per instance. */
  attribute(place, buffer, size, stride, offset, each, bytes) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, bytes ? gl.UNSIGNED_BYTE : gl.FLOAT, !!bytes, stride, offset);
    gl.vertexAttribDivisor(place, each ? 1 : 0);
  }

  plain() {
    for (let k = 0; k < 5; k++) this.gl.disableVertexAttribArray(k);
  }

  solids(uniforms, shadow) {
    const { gl } = this;
    const suffix = shadow ? "Shadow" : "";
    if (this.balls.length) {
      this.plain();
      this.use("ball" + suffix, { ...uniforms, flatness: shadow ? 1 : 0 });
      this.attribute(0, this.square, 2, 0, 0);
      this.attribute(1, this.ballNumbersAt, 4, 0, 0, true);
      this.attribute(2, this.ballPaintAt, 4, 0, 0, true, true);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.balls.length);
    }
    if (this.meshes.length || this.deformed.length) {
      this.plain();
      this.use("side" + suffix, uniforms);
      for (const mesh of this.meshes) {
        this.attribute(0, mesh.corners, 3, 24, 0);
        this.attribute(1, mesh.corners, 3, 24, 12);
        this.attribute(2, this.solidNumbersAt, 4, 32, 32 * mesh.first, true);
        this.attribute(3, this.solidNumbersAt, 4, 32, 32 * mesh.first + 16, true);
        this.attribute(4, this.solidPaintAt, 4, 0, 4 * mesh.first, true, true);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, mesh.count, mesh.bodies.length);
      }
      for (const own of this.deformed) {
        this.attribute(0, own.numbersAt, 3, 24, 0);
        this.attribute(1, own.numbersAt, 3, 24, 12);
        this.attribute(2, this.solidNumbersAt, 4, 32, 32 * own.solid, true);
        this.attribute(3, this.solidNumbersAt, 4, 32, 32 * own.solid + 16, true);
        this.attribute(4, own.paintAt, 4, 0, 0, false, true);
        gl.drawArraysInstanced(gl.TRIANGLES, 0, own.count, 1);
      }
    }
    if (this.rods) {
      this.plain();
      this.use("rod" + suffix, uniforms);
      this.attribute(0, this.rod.corners, 3, 0, 0);
      this.attribute(2, this.rodNumbersAt, 4, 32, 0, true);
      this.attribute(3, this.rodNumbersAt, 4, 32, 16, true);
      this.attribute(4, this.rodPaintAt, 4, 0, 0, true, true);
      gl.drawArraysInstanced(gl.TRIANGLES, 0, this.rod.count, this.rods);
    }
  }

  draw(state) {
    const { gl, canvas, eye } = this;
    const fine = state.quality;
    const over = fine > 1 ? 2 : 1;
    this.targets(over);
    this.fill(state);
    const { view, lens, back, focal } = eye.matrices(canvas.width / canvas.height);
    const sun = eye.sun();
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.CULL_FACE);
    if (fine > 0) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.shade);
      gl.viewport(0, 0, this.mapSize, this.mapSize);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      this.solids({ view: sun.view, lens: sun.lens }, true);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.scene);
    gl.viewport(0, 0, canvas.width * over, canvas.height * over);
    const paper = state.paper.map((v) => v / 255);
    gl.clearBufferfv(gl.COLOR, 0, [...paper, 1]);
    gl.clearBufferfv(gl.COLOR, 1, [0.5, 0.5, 1, 0]);
    gl.clearBufferfv(gl.DEPTH, 0, [1]);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, fine > 0 ? this.map : null);
    const shared = {
      view,
      lens,
      back,
      sun: multiply(sun.lens, sun.view),
      toSun: transformDirection(view, sun.to),
      up: transformDirection(view, [0, 0, 1]),
      shadows: fine > 0 ? 1 : 0,
      map: 0,
      texel: eye.size / this.mapSize,
      low: eye.low,
      high: eye.high,
      paper,
      wall: state.dark ? [0.36, 0.39, 0.43] : [0.8, 0.815, 0.83],
    };
    this.solids(shared, false);
    if (state.walls && this.sides.length) {
      this.plain();
      this.use("wall", shared);
      this.attribute(0, this.wallsAt, 3, 24, 0);
      this.attribute(1, this.wallsAt, 3, 24, 12);
      const at = eye.place();
      for (const side of this.sides) {
        if (dot(side.normal, minus(at, side.at)) > 0) gl.drawArrays(gl.TRIANGLES, side.first, side.count);
      }
    }
    this.post(fine, over, focal);
  }

  /** Applies ambient occlusion and averages the samples of each pixel. */
  post(fine, over, focal) {
    const { gl, canvas } = this;
    const [colours, facings, depths, dims] = this.textures;
    gl.disable(gl.DEPTH_TEST);
    gl.viewport(0, 0, canvas.width, canvas.height);
    this.plain();
    const bind = (unit, texture) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, texture);
    };
    this.attribute(0, this.square, 2, 0, 0);
    const size = [canvas.width, canvas.height];
    bind(1, depths);
    if (fine > 0) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, this.dimmer);
      bind(2, facings);
      this.use("dim", { depths: 1, facings: 2, focal, size, reach: 3 * this.film.facts.typical_radius });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    bind(2, colours);
    bind(3, dims);
    this.use("finish", { depths: 1, colours: 2, dims: 3, size, over, dimmed: fine > 0 ? 1 : 0 });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Position and radius of a body on the canvas. */
  spot(i) {
    const { eye, canvas, film } = this;
    const { view, lens } = eye.matrices(canvas.width / canvas.height);
    const at = transform(view, [...film.position.subarray(3 * i, 3 * i + 3), 1]);
    const clip = transform(lens, at);
    const x = (0.5 + (0.5 * clip[0]) / clip[3]) * canvas.width,
      y = (0.5 - (0.5 * clip[1]) / clip[3]) * canvas.height;
    return [x, y, (film.radius[i] * lens[5] * canvas.height) / 2 / Math.max(-at[2], 1e-9)];
  }

  pick(px, py, state) {
    const { film, eye, canvas } = this;
    const ray = eye.ray(px, py, canvas.width, canvas.height);
    const from = eye.place(),
      hidden = eye.cutPredicate(state.cut);
    let best = null,
      nearest = Infinity;
    for (let i = 0; i < film.count; i++) {
      if (!film.present[i] || hidden(film.position, 3 * i)) continue;
      const far = hitDistance(film, i, from, ray, Math.max(state.size, 0.05));
      if (far < nearest) [best, nearest] = [i, far];
    }
    return best;
  }
}
