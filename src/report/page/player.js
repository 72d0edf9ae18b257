// The film and its controls: play, pick, rotate, zoom; and the start of the page.

/** Minimum and maximum duration of a film at speed 1, s. */
const SHORTEST = 4,
  LONGEST = 14;

class Player {
  constructor(facts, bytes) {
    this.film = new Film(facts, bytes);
    this.palette = new Palette(facts);
    this.canvas = byId("canvas");
    this.marks = byId("marks").getContext("2d");
    this.at = 0;
    this.playing = false;
    this.picked = null;
    this.stale = true;
    this.slow = false;
    this.moved = 0;
    this.seconds = Math.min(LONGEST, Math.max(SHORTEST, facts.times.length / 20));
  }

  async start() {
    await this.film.load(async (ready) => {
      if (ready === 1) this.open();
      if (ready > 1 && ready % 8 === 0) await new Promise((done) => setTimeout(done));
      byId("message").textContent =
        ready < this.film.times.length ? `unpacking frames: ${ready} of ${this.film.times.length}` : "";
      this.stale = true;
    });
    // All frames are known now.
    if (!this.moved) this.view.home();
    this.recolour(byId("field").value);
    document.body.dataset.ready = "yes";
  }

  open() {
    const { film, palette, canvas } = this;
    const flat = film.dimension === 2;
    const gl = flat
      ? null
      : canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true, powerPreference: "high-performance" });
    try {
      this.view = flat
        ? new PlaneView(canvas, film, palette)
        : gl
          ? new SpaceView(canvas, film, palette, gl)
          : new FlatView(canvas, film, palette);
    } catch (error) {
      // The kind of context of a canvas cannot change.
      console.warn(error);
      const other = make("canvas", {
        id: "canvas",
        tabindex: 0,
        role: "img",
        "aria-label": canvas.getAttribute("aria-label"),
      });
      canvas.replaceWith(other);
      this.canvas = other;
      this.view = new FlatView(other, film, palette);
    }
    document.body.dataset.view = this.view.constructor.name;
    byId("cut-label").hidden = flat;
    byId("walls").disabled = this.view instanceof FlatView;
    byId("hint").textContent =
      (flat ? "Drag to move" : "Drag to turn, with Shift or two fingers to move") +
      ", scroll or pinch to zoom, click a body to follow it; space plays, arrows step, f fits, r resets.";
    const field = byId("field");
    for (const own of film.facts.fields) field.append(make("option", { value: own.name }, own.title || "one colour"));
    this.recolour("speed");
    const chains = byId("chains");
    chains.disabled = !film.facts.has_chains;
    byId("slider").max = Math.max(film.times.length - 1, 1e-9);
    this.controls();
    this.gestures();
    new ResizeObserver(() => {
      this.stale = true;
    }).observe(byId("stage"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.stale = true;
      this.colours = null;
    });
    requestAnimationFrame((now) => this.tick(now, now));
  }

  recolour(name) {
    byId("field").value = name;
    this.palette.choose(name);
    if (byId("range").value === "usual") this.palette.fit(this.film.sample(name), 0.99);
    this.palette.legend(byId("legend"));
    this.stale = true;
  }

  controls() {
    const on = (id, event, work) =>
      byId(id).addEventListener(event, (given) => {
        work(given.target);
        this.stale = true;
      });
    on("play", "click", () => this.toggle());
    on("slider", "input", (slider) => {
      this.at = Number(slider.value);
      this.touch();
    });
    on("field", "change", (field) => this.recolour(field.value));
    on("range", "change", () => this.recolour(byId("field").value));
    on("chains", "change", (box) => {
      // Forces lie inside: bodies shrink in 3D and lose their colours.
      if (this.film.dimension === 3) byId("size").value = box.checked ? 30 : 100;
      if (box.checked) this.previousField = byId("field").value;
      this.recolour(box.checked ? "none" : this.previousField);
    });
    on("walls", "change", () => {});
    on("size", "input", () => this.touch());
    on("cut", "input", () => this.touch());
    on("home", "click", () => this.go());
    on("fit", "click", () => this.go(this.film.extent([Math.round(this.at)], 0.99)));
    on("full", "click", () => (document.fullscreenElement ? document.exitFullscreen() : byId("stage").requestFullscreen?.()));
    document.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, textarea, button, summary") || event.ctrlKey || event.metaKey || event.altKey)
        return;
      const seen = byId("stage").getBoundingClientRect();
      if (seen.bottom < 0 || seen.top > innerHeight) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === " ") this.toggle();
      else if (event.key === "r") this.go();
      else if (event.key === "f") byId("fit").click();
      else if (step) this.at = Math.max(0, Math.min(this.film.ready - 1, Math.round(this.at) + step));
      else return;
      event.preventDefault();
      this.touch();
    });
  }

  /** Shows the whole scene, or a box. */
  go(box) {
    this.view.home(box);
    this.choose(null);
  }

  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.at >= this.film.ready - 1) this.at = 0;
    const play = byId("play");
    play.textContent = this.playing ? "❚❚" : "▶";
    play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  /** Notes an interaction: frames are drawn coarsely until it ends. */
  touch() {
    this.stale = true;
    this.moved = performance.now();
  }

  gestures() {
    const { canvas } = this;
    const fingers = new Map();
    let travelled = 0;
    const unit = () => canvas.width / Math.max(canvas.clientWidth, 1);
    const place = (event) => {
      const own = canvas.getBoundingClientRect();
      return [(event.clientX - own.left) * unit(), (event.clientY - own.top) * unit()];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, place(event));
      if (fingers.size === 1) travelled = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = place(event),
        [dx, dy] = [now[0] - before[0], now[1] - before[1]];
      travelled += Math.hypot(dx, dy) / unit();
      if (travelled < 4) return;
      if (fingers.size === 2) {
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.view.magnify(gap(now) / gap(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
        this.view.pan(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) {
        this.view.pan(dx, dy);
      } else {
        this.view.drag(dx, dy, unit());
      }
      if (this.picked !== null && this.film.dimension === 2) this.following = false;
      fingers.set(event.pointerId, now);
      this.touch();
    });
    const lift = (event) => {
      if (!fingers.delete(event.pointerId)) return;
      if (travelled < 4 && event.type === "pointerup" && event.button === 0)
        this.choose(this.view.pick(...place(event), this.state()));
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.view.magnify(Math.exp(-0.0016 * event.deltaY * (event.deltaMode ? 16 : 1)), ...place(event));
        this.touch();
      },
      { passive: false },
    );
  }

  choose(body) {
    this.picked = body;
    this.following = body !== null;
    this.stale = true;
    this.tell();
  }

  state() {
    this.colours ??= { paper: themeColour("--stage"), ink: themeColour("--stage-ink") };
    const { paper, ink } = this.colours;
    const moving = this.playing || performance.now() - this.moved < 180;
    return {
      at: this.at,
      picked: this.picked,
      chains: byId("chains").checked,
      walls: byId("walls").checked,
      size: Number(byId("size").value) / 100,
      cut: Number(byId("cut").value) / 100,
      paper,
      ink,
      dark: paper[0] < 128,
      unit: this.canvas.width / Math.max(this.canvas.clientWidth, 1),
      quality: moving ? (this.slow ? 0 : 1) : 2,
      moving,
    };
  }

  tick(now, before) {
    const { film, view, canvas } = this;
    if (this.playing) {
      const rate = (Number(byId("speed").value) * (film.times.length - 1)) / this.seconds;
      this.at += (rate * Math.min(now - before, 250)) / 1000;
      if (this.at >= film.ready - 1) {
        this.at = film.ready - 1;
        if (film.ready === film.times.length) this.toggle();
      }
      this.stale = true;
    }
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (wide && high && (canvas.width !== wide || canvas.height !== high)) {
      [canvas.width, canvas.height] = [wide, high];
      this.stale = true;
    }
    const state = this.state();
    // Draw once more at full quality when the motion has ended.
    const settles = this.coarse && !state.moving;
    if ((this.stale || settles) && canvas.width > 0 && film.ready > 0) {
      this.stale = false;
      this.coarse = state.quality < 2;
      film.pose(this.at);
      film.values(this.at, this.palette.field.name);
      if (byId("range").value === "now" && this.palette.fit(film.shown(this.palette.field.name), 1)) this.palette.legend(byId("legend"));
      if (this.picked !== null && this.following && film.present[this.picked]) view.follow(this.picked);
      view.draw(state);
      this.overlay(state);
      this.tell(state);
      document.body.dataset.drawn = String(Number(document.body.dataset.drawn ?? 0) + 1);
      // Slow drawing shows as a long time between two frames.
      this.pace = state.moving ? 0.7 * (this.pace ?? 16) + 0.3 * (now - before) : 16;
      if (this.pace > 90) this.slow = true;
    }
    requestAnimationFrame((next) => this.tick(next, now));
  }

  /** Draws over a 3D view: a ring around the picked body, and the axes. */
  overlay(state) {
    const { marks, canvas, film, view } = this;
    [marks.canvas.width, marks.canvas.height] = [canvas.width, canvas.height];
    if (film.dimension === 2) return;
    const { unit, ink } = state;
    if (this.picked !== null && film.present[this.picked]) {
      const [x, y, r] = view.spot(this.picked);
      marks.strokeStyle = "#ff2d95";
      marks.lineWidth = 2 * unit;
      marks.beginPath();
      marks.arc(x, y, r + 5 * unit, 0, 7);
      marks.stroke();
    }
    const { view: turned } = view.eye.matrices(1);
    const [x, y] = [44 * unit, canvas.height - 44 * unit];
    marks.font = `600 ${12 * unit}px system-ui, "DejaVu Sans", sans-serif`;
    marks.textAlign = "center";
    ["x", "y", "z"].forEach((name, k) => {
      const [dx, dy] = [turned[4 * k], -turned[4 * k + 1]];
      marks.strokeStyle = marks.fillStyle = ["#d55e00", "#009e73", state.dark ? "#56b4e9" : "#0072b2"][k];
      marks.lineWidth = 2 * unit;
      marks.beginPath();
      marks.moveTo(x, y);
      marks.lineTo(x + 26 * unit * dx, y + 26 * unit * dy);
      marks.stroke();
      marks.fillText(name, x + 35 * unit * dx, y + 35 * unit * dy + 4 * unit);
    });
    marks.fillStyle = `rgb(${ink})`;
  }

  tell() {
    const { film, at } = this;
    byId("slider").value = at;
    byId("clock").textContent = `${formatNumber(film.timeAt(at), 5)} s`;
    byId("slider").setAttribute("aria-valuetext", byId("clock").textContent);
    const card = byId("card");
    card.hidden = this.picked === null;
    if (this.picked === null) return;
    const i = this.picked,
      [frame] = film.around(Math.round(at));
    const vector = (v) => v.map((x) => formatNumber(x, 4)).join(", ");
    const form = film.forms[film.form[i]];
    const flat = film.dimension === 2;
    const kind = form.deforms
      ? `deformable, ${form.sides.length} ${flat ? "elements" : "facets"}`
      : form.isBall
      ? flat
        ? "disk"
        : "sphere"
      : form.balls.length + (flat ? form.sides.length : Math.sign(form.sides.length)) > 1
        ? "compound"
        : flat
          ? `polygon, ${form.corners.length} corners`
          : `solid, ${form.sides.length} sides`;
    const rows = film.present[i]
      ? [
          ["shape", kind],
          [form.isBall ? "radius" : "reach", `${formatNumber(film.radius[i])} m`],
          ["position", `${vector(Array.from(film.position.subarray(3 * i, 3 * i + film.dimension)))} m`],
          ["velocity", `${vector(film.velocity(frame, i))} m/s`],
          ["speed", `${formatNumber(Math.hypot(...film.velocity(frame, i)))} m/s`],
          ["spin", `${vector(film.spin(frame, i))} rad/s`],
          ["contacts", String(film.contacts(frame, i))],
        ]
      : [["", "not there at this time"]];
    const close = make("button", { type: "button", "aria-label": "Let go" }, "✕");
    close.addEventListener("click", () => this.choose(null));
    const list = make("dl", {});
    for (const [name, value] of rows) list.append(make("dt", {}, name), make("dd", {}, value));
    card.replaceChildren(make("h3", {}, `body ${film.ids[i]}`, close), list);
  }
}

function start() {
  const { sections, film } = JSON.parse(byId("data").textContent);
  byId("charts").append(...sections.map(section));
  followTheme();
  if (location.hash)
    document.querySelector(CSS.escape ? "#" + CSS.escape(location.hash.slice(1)) : location.hash)?.scrollIntoView();
  if (!film) {
    document.body.dataset.ready = "yes";
    return;
  }
  const player = new Player(film, decodeBase64(byId("frames").textContent));
  player.start().catch((error) => {
    console.error(error);
    byId("message").textContent = `The film cannot be shown: ${error.message}`;
  });
}
