// Colour maps and the colour bar.

/** Index of the colour of bodies without values. */
const PLAIN = 256;

class Palette {
  constructor(facts) {
    this.facts = facts;
    this.tables = [facts.sequential, facts.diverging].map((colours) => {
      const table = new Uint8Array(256 * 3);
      for (let i = 0; i < 256; i++) {
        const place = (i / 255) * (colours.length - 1);
        const left = Math.min(Math.floor(place), colours.length - 2);
        for (let k = 0; k < 3; k++) {
          const part = (code) => (code >> (16 - 8 * k)) & 255;
          table[3 * i + k] = Math.round(
            part(colours[left]) + (place - left) * (part(colours[left + 1]) - part(colours[left])),
          );
        }
      }
      return table;
    });
  }

  choose(name) {
    this.field = this.facts.fields.find((field) => field.name === name) ?? this.facts.fields[0];
    this.table = this.tables[this.field.is_diverging ? 1 : 0];
    [this.low, this.high] = this.field.range;
    this.beyond = this.field.beyond;
  }

  /** Fits the range of colours to a fraction `share` of these values. Returns whether it has changed. */
  fit(values, share) {
    const { range, is_diverging: diverging, is_whole: whole, name } = this.field;
    const before = `${this.low} ${this.high}`;
    const known = Float32Array.from(values).sort();
    const at = (part) => known[Math.round(part * (known.length - 1))];
    if (!known.length || name === "none" || name === "id" || name === "radius") return false;
    const sizes = diverging ? known.map(Math.abs).sort() : known;
    let high = sizes[Math.round(share * (sizes.length - 1))];
    if (whole) high = Math.max(1, Math.ceil(high));
    if (!(high > 1e-6 * range[1])) high = range[1];
    [this.low, this.high] = [diverging ? -high : Math.min(range[0], at(0)), high];
    this.beyond = [diverging && at(0) < -1.001 * high, at(1) > 1.001 * high];
    return before !== `${this.low} ${this.high}`;
  }

  /** Index of the colour of a value, 0 to 255. */
  index(value) {
    const { low, high } = this;
    return Math.max(0, Math.min(255, Math.round((255 * (value - low)) / (high - low || 1))));
  }

  /** Index of the colour of a body with this value; `PLAIN` where bodies have no values. */
  bodyIndex(value) {
    const { name } = this.field;
    return name === "none" ? 0 : name === "stress" ? PLAIN : this.index(value);
  }

  rgb(index) {
    if (this.field.name === "none" || index === PLAIN) return [168, 182, 197];
    return [this.table[3 * index], this.table[3 * index + 1], this.table[3 * index + 2]];
  }

  /** Draws the colour bar with its title and ticks. */
  legend(box) {
    box.replaceChildren();
    if (this.field.name === "none") return;
    const [wide, high] = [14, 170];
    const { low, high: most } = this;
    const svg = make("svg:svg", { width: 96, height: high + 20, viewBox: `0 0 96 ${high + 20}` });
    for (let i = 0; i < 64; i++) {
      const [r, g, b] = this.rgb(Math.round((i / 63) * 255));
      svg.append(
        make("svg:rect", {
          x: 0,
          y: 10 + high - ((i + 1) * high) / 64,
          width: wide,
          height: high / 64 + 0.6,
          fill: `rgb(${r},${g},${b})`,
        }),
      );
    }
    if (this.beyond[1]) svg.append(make("svg:path", { d: `M0 10L${wide / 2} 0L${wide} 10Z`, fill: `rgb(${this.rgb(255)})` }));
    if (this.beyond[0])
      svg.append(
        make("svg:path", {
          d: `M0 ${high + 10}L${wide / 2} ${high + 20}L${wide} ${high + 10}Z`,
          fill: `rgb(${this.rgb(0)})`,
        }),
      );
    for (const tick of ticks(low, most, 4).filter((v) => !this.field.is_whole || Number.isInteger(v))) {
      const y = 10 + high * (1 - (tick - low) / (most - low || 1));
      svg.append(make("svg:line", { x1: wide, x2: wide + 4, y1: y, y2: y, stroke: "currentColor" }));
      svg.append(make("svg:text", { x: wide + 8, y: y + 4, fill: "currentColor", "font-size": 11 }, formatNumber(tick, 4)));
    }
    box.append(make("div", {}, this.field.title), svg);
  }
}

const css = (rgb) => `rgb(${rgb[0]},${rgb[1]},${rgb[2]})`;
const hex = (code) => "#" + code.toString(16).padStart(6, "0");

/** Components of a colour of the style sheet. */
function themeColour(name) {
  const probe = make("span", { style: `color: var(${name})` });
  document.body.append(probe);
  const parts = getComputedStyle(probe)
    .color.match(/[\d.]+/g)
    .map(Number);
  probe.remove();
  return parts.slice(0, 3);
}
