"""Tables and curves of the gallery, from the folders of runs; needs no packages, for deformable bodies h5dump.

python3 docs/gallery/figures.py PAGE DIR...     prints the figures of docs/gallery/PAGE.md and writes PAGE-curves.svg, if it has curves, beside it
"""
import csv
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLOURS = ["#1f4e8c", "#b5331d", "#2b7a3d", "#8a5a00", "#7a3e9d", "#444444"]


def table(run, name):
    with open(os.path.join(run, "measures", name + ".csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def ticks(low, high):
    size = 10 ** math.floor(math.log10(high - low))
    step = next(s * size for s in (0.2, 0.25, 0.5, 1, 2) if (high - low) / (s * size) <= 6)
    return [k * step for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def panel(left, width, height, x, y, curves, dots, early):
    """One chart: curves are (label, [(x, y)])."""
    xs = [p[0] for _, c in curves for p in c]
    ys = [p[1] for _, c in curves for p in c]
    low_x, high_x, low_y, high_y = min(xs), max(xs), min(ys), max(ys)
    low_y, high_y = low_y - 0.05 * (high_y - low_y), high_y + 0.05 * (high_y - low_y)
    px = lambda v: left + 55 + (width - 75) * (v - low_x) / (high_x - low_x)
    py = lambda v: 15 + (height - 60) * (high_y - v) / (high_y - low_y)
    out = [f'<rect x="{left + 55}" y="15" width="{width - 75}" height="{height - 60}" fill="none" stroke="#888"/>']
    for v in ticks(low_x, high_x):
        out.append(f'<text x="{px(v):.1f}" y="{height - 28}" text-anchor="middle">{v:.6g}</text>')
    for w in ticks(low_y, high_y):
        out.append(f'<text x="{left + 50}" y="{py(w) + 4:.1f}" text-anchor="end">{w:.6g}</text>')
    out.append(f'<text x="{left + 55 + (width - 75) / 2}" y="{height - 8}" text-anchor="middle">{x}</text>')
    out.append(f'<text transform="translate({left + 12},{15 + (height - 60) / 2}) rotate(-90)" text-anchor="middle">{y}</text>')
    for k, (label, curve) in enumerate(curves):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{px(a):.1f},{py(b):.1f}" for a, b in curve)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        if dots:
            out += [f'<circle cx="{px(a):.1f}" cy="{py(b):.1f}" r="3" fill="{colour}"/>' for a, b in curve]
        if len(curves) > 1:
            up = all(a[1] < b[1] for _, c in curves for a, b in zip(c, c[1:]))     # where the curves leave room
            place, anchor = (left + 65, "start") if up or early else (left + width - 28, "end")
            low = height - 40 - 15 * len(curves)
            hidden = lambda y: sum(px(a) > left + width - 140 and y - 12 < py(b) < y + 15 * len(curves) for _, c in curves for a, b in c)
            line = (low if dots and not up else 32 if up or early else min((32, low, height / 2 - 20), key=hidden)) + 15 * k
            out.append(f'<text x="{place}" y="{line}" text-anchor="{anchor}" fill="{colour}">{label}</text>')
    return out


def chart(page, panels, dots=False, early=()):
    """panels: (x label, y label, curves), side by side; those in `early` have their labels on the left."""
    width, height = 400, 280
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * len(panels)}" height="{height}" '
           'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>']
    for k, (x, y, curves) in enumerate(panels):
        out += panel(k * width, width, height, x, y, curves, dots, k in early)
    with open(os.path.join(HERE, page + "-curves.svg"), "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>\n"]))


def biaxial(runs):
    ratio, void, sliding = [], [], []
    for run in runs:
        name = os.path.basename(os.path.normpath(run))
        rows = []
        for s, c, w, e in zip(*(table(run, n) for n in ("stress", "contacts", "walls", "energy"))):
            if s["time_s"] > 0.2:
                strain = 1 - (w["body_3_position_x_m"] - w["body_2_position_x_m"] - 0.03) / 0.32
                rows.append((strain, s["stress_xx_N_m"] / s["stress_yy_N_m"], s["void_ratio"], c["sliding_share"],
                             c["coordination_number"], e["dissipated_friction_J"]))
        peak, least, last = max(rows, key=lambda r: r[1]), min(rows, key=lambda r: r[2]), rows[-1]
        tail = [r for r in rows if r[0] > 0.15]
        print(f"{name}: peak {peak[1]:.2f} at {100 * peak[0]:.1f} %; mean beyond 15 % {sum(r[1] for r in tail) / len(tail):.2f}; "
              f"void ratio {rows[0][2]:.4f}, least {least[2]:.4f} at {100 * least[0]:.1f} %, last {last[2]:.4f}; "
              f"sliding {100 * rows[0][3]:.1f} % at first, mean {100 * sum(r[3] for r in rows) / len(rows):.1f} %; "
              f"coordination {rows[0][4]:.2f} to {last[4]:.2f}; friction {last[5] - rows[0][5]:.0f} J at {100 * last[0]:.1f} %")
        for curves, column in ((ratio, 1), (void, 2), (sliding, 3)):
            curves.append((name, [(100 * r[0], r[column]) for r in rows]))
    strain = "closing of the sides, %"
    chart("biaxial", [(strain, "stress_xx / stress_yy", ratio), (strain, "void ratio", void), (strain, "share of sliding contacts", sliding)])


def column_collapse(runs):
    """Folders are called HEIGHT-high-SEED."""
    found = {}
    for run in runs:
        ground, heights = table(run, "ground"), table(run, "heights")
        before = [r for r in heights if abs(r["time_s"] - 0.25) < 1e-6]
        height = 2 * sum(r["position_m"] * r["solid_fraction"] for r in before) / sum(r["solid_fraction"] for r in before)
        last = [r for r in ground if r["time_s"] == ground[-1]["time_s"]]
        total, part = sum(r["solid_fraction"] for r in last), 0.0
        for row in last:
            part += row["solid_fraction"]
            if part >= 0.99 * total:
                break
        farthest = max(r["position_m"] for r in last if r["solid_fraction"] > 0)
        top = [r for r in heights if r["time_s"] == heights[-1]["time_s"] and r["solid_fraction"] > 0][-1]
        key = os.path.basename(os.path.normpath(run)).split("-")[0]
        found.setdefault(float(key), []).append((height / 0.4, row["position_m"] / 0.4 - 1, farthest / 0.4 - 1, top["position_m"] / 0.4))
    means = []
    for key in sorted(found):
        rows = found[key]
        mean = [sum(r[k] for r in rows) / len(rows) for k in range(4)]
        spread = max(r[1] for r in rows) - min(r[1] for r in rows)
        means.append(mean)
        print(f"{key:g}: aspect ratio {mean[0]:.2f}, run-out {mean[1]:.2f} (from {min(r[1] for r in rows):.2f} to {max(r[1] for r in rows):.2f}), "
              f"farthest grain {mean[2]:.2f}, over aspect {mean[1] / mean[0]:.2f}, final height {mean[3]:.2f}")
    for a, b in zip(means, means[1:]):
        print(f"exponent from {a[0]:.2f} to {b[0]:.2f}: {math.log(b[1] / a[1]) / math.log(b[0] / a[0]):.2f}")
    logs = lambda column: [(math.log10(m[0]), math.log10(m[column])) for m in means]
    chart("column-collapse", [("aspect ratio", "run-out / width", [("99 % of the mass", [(m[0], m[1]) for m in means]),
          ("farthest grain", [(m[0], m[2]) for m in means])]),
          ("log10 of the aspect ratio", "log10 of run-out / width", [("99 % of the mass", logs(1)), ("farthest grain", logs(2))])], dots=True)


def sand_pile(runs):
    """Folders are called pile-FRICTION-ROLLING-SEED."""
    found, pressures = {}, {}
    for run in runs:
        ground, heights = table(run, "ground")[-100:], table(run, "heights")[-100:]
        cuts, floor = table(run, "cuts")[-1], table(run, "floor")[-1]
        mean = lambda rows, f: sum(f(r["position_m"]) * r["solid_fraction"] for r in rows) / sum(r["solid_fraction"] for r in rows)
        middle = mean(ground, lambda x: x)
        slope = mean(heights, lambda y: y) / mean(ground, lambda x: abs(x - middle))     # exact for a triangle
        weight = -floor["body_0_force_y_N"]
        between = weight * mean(ground, lambda x: float(abs(x) < 0.15))
        lifted = cuts["force_across_x_-0.15_y_N"] - cuts["force_across_x_0.15_y_N"]
        key = "-".join(os.path.basename(os.path.normpath(run)).split("-")[1:3])
        found.setdefault(key, []).append((math.degrees(math.atan(slope)), weight, between, lifted / between))
        if key == "0.5-0":     # equilibrium of slabs: what they weigh, less what their neighbours carry, is on the ground
            slabs = table(run, "slabs")[-1]
            edges = [-0.81 + 0.09 * k for k in range(19)]
            across = [slabs[f"force_across_x_{round(x, 2) + 0.0:g}_y_N"] for x in edges]
            for k, (low, high) in enumerate(zip(edges, edges[1:])):
                own = weight * mean(ground, lambda x: float(low < x < high))
                slot = pressures.setdefault(k, [low + 0.045, 0.0, 0.0, 0])
                slot[1] += own / 0.09
                slot[2] += (own - across[k] + across[k + 1]) / 0.09
                slot[3] += 1
    for key in sorted(found):
        rows = found[key]
        angles = ", ".join(f"{r[0]:.1f}" for r in rows)
        shares = ", ".join(f"{100 * r[3]:.1f}" for r in rows)
        print(f"{key}: angle {sum(r[0] for r in rows) / len(rows):.1f} ({angles}), weight {rows[0][1]:.0f} N, between the cuts {rows[0][2]:.0f} N, "
              f"of which the outer parts carry {100 * sum(r[3] for r in rows) / len(rows):.1f} % ({shares})")
    rows = [(x, weight / n, ground / n) for x, weight, ground, n in pressures.values()]
    print("; ".join(f"{x:.3f} m: {weight:.0f} above, {ground:.0f} N/m on the ground" for x, weight, ground in rows))
    chart("sand-pile", [("x, m", "force over length, N/m", [("pressure on the ground", [(x, g) for x, _, g in rows]), ("weight above", [(x, w) for x, w, _ in rows])])])


def sand_pile_slow(runs):
    """Folders are runs of scenes/sand-pile-slow.toml; with several, means over them."""
    edges = [round(-1.8 + 0.15 * k, 2) + 0.0 for k in range(25)]
    slabs = {}
    for run in runs:
        cuts, floors = table(run, "cuts"), table(run, "floor")
        for k in (next(k for k, r in enumerate(cuts) if r["time_s"] > 300 - 1e-9 or k + 1 == len(cuts)), len(cuts) - 1):
            time, cut, weight = cuts[k]["time_s"], cuts[k], -floors[k]["body_0_force_y_N"]
            ground, heights = at(table(run, "ground"), time), at(table(run, "heights"), time)
            centre = middle(ground)
            slope = math.degrees(math.atan(middle(heights) / middle(ground, lambda x: abs(x - centre))))     # exact for a triangle
            between = weight * middle(ground, lambda x: float(abs(x) < 0.3))
            left, right = ([sign * cut[f"force_across_x_{x}_{axis}_N"] for axis in "xy"] for x, sign in (("-0.3", 1), ("0.3", -1)))
            print(f"{os.path.basename(os.path.normpath(run))}, {time:g} s: the floor bears {weight:.0f} N, slope {slope:.1f} degrees; the left part pushes the middle with "
                  f"({left[0]:.0f}, {left[1]:.0f}) N, the right with ({right[0]:.0f}, {right[1]:.0f}) N; weight between the cuts {between:.0f} N, of which they carry {100 * (left[1] + right[1]) / between:.1f} %")
        across = [table(run, "slabs")[-1][f"force_across_x_{x:g}_y_N"] for x in edges]
        for k, (low, high) in enumerate(zip(edges, edges[1:])):
            own = weight * middle(ground, lambda x: float(low < x < high))
            slot = slabs.setdefault(k, [0.5 * (low + high), 0.0, 0.0])
            slot[1] += own / 0.15 / len(runs)
            slot[2] += (own - across[k] + across[k + 1]) / 0.15 / len(runs)
        steps = history(run)
        print(f"  steps not converged: {sum(r['converged'] == 0 for r in steps)} of {len(steps)}; sweeps {sum(r['sweeps'] for r in steps) / len(steps):.0f} a step")
    rows = list(slabs.values())
    for k in range(12):
        (x, above, ground), other = rows[12 + k], rows[11 - k]
        print(f"{x - 0.075:.2f} to {x + 0.075:.2f} m from the middle: {0.5 * (above + other[1]):.0f} N/m above, {0.5 * (ground + other[2]):.0f} N/m on the ground")
    chart("sand-pile-slow", [("x, m", "force over length, N/m", [("pressure on the ground", [(x, g) for x, _, g in rows]), ("weight above", [(x, w) for x, w, _ in rows])])])


def inclined_flow(runs):
    """Folders are called slope-DEGREES; means over the last ten seconds."""
    curves = []
    for run in runs:
        degrees = os.path.basename(os.path.normpath(run)).split("-")[1]
        rows = [r for r in table(run, "flow") if r["time_s"] > 10]
        count = len(rows) // 12
        mean = lambda k, name: sum(r[name] for r in rows[k::12]) / count
        energy = table(run, "energy")
        kinetic = lambda low, high: sum(r["translation_J"] for r in energy if low < r["time_s"] <= high) / sum(low < r["time_s"] <= high for r in energy)
        mu = [abs(mean(k, "stress_xy_N_m") / mean(k, "stress_yy_N_m")) for k in range(2, 9)]
        rates = [(mean(k + 1, "velocity_x_m_s") - mean(k - 1, "velocity_x_m_s")) / 0.04 for k in range(2, 9)]
        inertial = [g * 0.02 * math.sqrt(2600 / mean(k, "pressure_N_m")) for k, g in zip(range(2, 9), rates)]
        print(f"{degrees}: kinetic energy {kinetic(10, 15):.3g} J, then {kinetic(15, 20):.3g} J; velocity at 0.19 m {mean(9, 'velocity_x_m_s'):.3g} m/s; "
              f"shear over normal stress {min(mu):.3f} to {max(mu):.3f}, tangent {math.tan(math.radians(float(degrees))):.3f}; "
              f"inertial number {min(inertial):.3g} to {max(inertial):.3g}; solid fraction {mean(5, 'solid_fraction'):.3f}")
        curves.append((degrees + " degrees", [(rows[k]["position_m"], mean(k, "velocity_x_m_s")) for k in range(10)]))
    chart("inclined-flow", [("height, m", "velocity, m/s", curves[-4:][::-1])])


def silo(runs):
    """Folders are called silo-HEIGHT-FRICTION-SEED. Janssen: floor = W (1 - exp(-z))/z with z = 2 mu K h/width."""
    found = {}
    for run in runs:
        height, friction = os.path.basename(os.path.normpath(run)).split("-")[1:3]
        last = table(run, "floor")[-1]
        floor, walls = -last["body_0_force_y_N"], -last["body_1_force_y_N"] - last["body_2_force_y_N"]
        found.setdefault((friction, float(height)), []).append((floor, floor + walls))
    curves, walls = {}, {}
    for (friction, height), rows in sorted(found.items()):
        floor, weight = (sum(r[k] for r in rows) / len(rows) for k in (0, 1))
        shares = ", ".join(f"{r[0] / r[1]:.2f}" for r in rows)
        print(f"wall friction {friction}, {height} m: weight {weight:.0f} N, floor {floor:.0f} N, share {floor / weight:.3f} ({shares})")
        curves.setdefault("wall friction " + friction, []).append((height, floor))
        if friction == "0.5":
            walls[height] = (floor, weight)
    misfit = lambda k: sum((f / w - (1 - math.exp(-k * h / 0.2)) / (k * h / 0.2)) ** 2 for h, (f, w) in walls.items())
    best = min((0.001 * k for k in range(1, 3000)), key=misfit)
    print(f"2 mu K = {best:.3f}, K = {best:.3f} for mu = 0.5;", ", ".join(f"{h} m: {(1 - math.exp(-best * h / 0.2)) / (best * h / 0.2):.3f}" for h in walls))
    chart("silo", [("height of the filling, m", "force on the floor, N", list(curves.items())
          + [("Janssen", [(h, w * (1 - math.exp(-best * h / 0.2)) / (best * h / 0.2)) for h, (_, w) in walls.items()])])], dots=True)


def middle(rows, f=lambda x: x):
    """Mean of f over what lies in the slices of a profile."""
    return sum(f(r["position_m"]) * r["solid_fraction"] for r in rows) / sum(r["solid_fraction"] for r in rows)


def at(rows, time):
    return [r for r in rows if abs(r["time_s"] - time) < 1e-6]


def front(rows, share):
    left = share * sum(r["solid_fraction"] for r in rows)
    for row in rows:
        left -= row["solid_fraction"]
        if left <= 0:
            return row["position_m"]


def history(run):
    with open(os.path.join(run, "history.csv"), encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def inconsistency(runs):
    """Two disks with memory and without it, for the curves; then any others, for their figures."""
    sweeps, force, depth = [], [], []
    for run in runs:
        name, rows = os.path.basename(os.path.normpath(run)), history(run)
        walls = table(run, "walls")
        far = max(int(key.split("_")[1]) for key in walls[0] if key.startswith("body_"))
        push = [r[f"body_{far}_force_x_N"] for r in walls]
        counts = [int(r["sweeps"]) for r in rows]
        last = [int(r["step"]) for r in rows if not r["converged"]]
        print(f"{name}: {len(last)} of {len(rows)} steps at the cap, the last is {max(last, default=0)}; sweeps {counts[0]}, {counts[1]}, {counts[2]}, ..., "
              f"{counts[-1]}; force on the far wall {push[0]:.3g} N, greatest {max(push):.3g} N, last {push[-1]:.3g} N; "
              f"penetration over radius: greatest {max(r['max_penetration'] for r in rows):.3g}, last {rows[-1]['max_penetration']:.3g}; "
              f"kinetic energy at most {max(r['kinetic_energy_J'] for r in rows):.3g} J")
        if len(sweeps) < 2:
            sweeps.append((name, [(r["step"], r["sweeps"]) for r in rows]))
            force.append((name, [(r["step"], p / 1e6) for r, p in zip(rows, push)]))
            depth.append((name, [(r["step"], r["max_penetration"]) for r in rows]))
    chart("inconsistency", [("step", "sweeps", sweeps), ("step", "force on the far wall, MN", force), ("step", "deepest penetration over radius", depth)])


def sandbox(runs):
    """From the moment when the wall starts, 2.5 s."""
    sweeps, depth, pdf = [], [], []
    for run in runs:
        name = os.path.basename(os.path.normpath(run))
        rows = [r for r in history(run) if r["time_s"] > 2.5]
        counts = [r["sweeps"] for r in rows]
        capped = sum(r["converged"] == 0 for r in rows)
        forces = [r for r in table(run, "forces") if r["time_s"] > 2.5]
        print(f"{name}: sweeps {sum(counts) / len(rows):.0f}, at most {max(counts):.0f}, {capped} of {len(rows)} steps at the cap; mean penetration over "
              f"radius {sum(r['mean_penetration'] for r in rows) / len(rows):.2e}, last {rows[-1]['mean_penetration']:.2e}, greatest {max(r['max_penetration'] for r in rows):.2e}; "
              f"force on the wall {-sum(r['body_0_force_x_N'] for r in table(run, 'wall') if r['time_s'] > 2.5) / len(rows):.3g} N; "
              f"mean contact force {sum(r['mean_normal_force_N'] for r in forces) / len(forces):.3g} N")
        sweeps.append((name, [(r["time_s"], math.log10(r["sweeps"])) for r in rows]))
        depth.append((name, [(r["time_s"], 1e3 * r["mean_penetration"]) for r in rows]))
        bins = sorted((float(key[4:]), key) for key in forces[0] if key.startswith("pdf_"))
        mean = [(x, sum(r[key] for r in forces) / len(forces)) for x, key in bins]
        pdf.append((name, [(x, math.log10(p)) for x, p in mean if p > 0]))
    chart("sandbox", [("time, s", "log10 of the sweeps", sweeps), ("time, s", "mean penetration over radius, 1e-3", depth),
                      ("normal force over its mean", "log10 of the probability density", pdf)])


def indeterminacy(runs):
    """Curves for the first four."""
    curves = []
    for run in runs:
        name, rows, last = os.path.basename(os.path.normpath(run)), history(run), table(run, "supports")[-1]
        forces = [-last[f"body_{k}_force_y_N"] / 1e3 for k in range(8)]
        apart = sum(abs(a - b) for a, b in zip(forces, forces[::-1])) / sum(forces)
        speed = math.sqrt(2 * rows[-1]["kinetic_energy_J"] / 16640)
        print(f"{name}: {', '.join(f'{f:.1f}' for f in forces)} kN, sum {sum(forces):.3f} kN, from the mirror image {100 * apart:.1f} %; speed {speed:.0e} m/s; "
              f"sweeps {rows[0]['sweeps']:.0f} in the first step, {sum(r['sweeps'] for r in rows) / len(rows):.0f} a step; "
              f"{sum(r['converged'] == 0 for r in rows)} at the cap")
        if len(curves) < 4:
            curves.append((name, [(k + 1, f) for k, f in enumerate(forces)]))
    chart("indeterminacy", [("support", "force, kN", curves)], dots=True)


def rocking_block(runs):
    """Folders are called WIDTH, or WIDTH-what, of blocks 1 m high; the curves are of the first three."""
    curves = []
    for run in runs:
        name, rows = os.path.basename(os.path.normpath(run)), table(run, "block")
        spins = [r["body_1_spin_rad_s"] for r in rows]
        strike = next(k for k in range(1, len(spins)) if abs(spins[k]) < 0.99 * abs(spins[k - 1])) - 1
        width = float(name.split("-")[0])
        print(f"{name}: spin {spins[strike]:.4f} before the first stroke, {spins[strike + 2]:.4f} after it, share {abs(spins[strike + 2] / spins[strike]):.3f}; "
              f"Housner {1 - 1.5 * width ** 2 / (width ** 2 + 1):.3f}; at the end {abs(spins[-1]):.1e}")
        if len(curves) < 3:
            curves.append((name, [(r["time_s"], s) for r, s in zip(rows, spins)][::10]))
    chart("rocking-block", [("time, s", "spin, rad/s", curves)])


def column(runs):
    """Folders are called column-AMPLITUDE."""
    curves = []
    for run in runs:
        name = os.path.basename(os.path.normpath(run)).split("-")[1] + " m/s"
        rows = table(run, "column")
        over = lambda r, axis: r[f"body_12_position_{axis}_m"] - r[f"body_1_position_{axis}_m"]
        ways = [(r["time_s"], math.hypot(over(r, "x"), over(r, "y")), over(r, "z")) for r in rows]
        falls = next((f"below 3.75 m at {w[0]:.2f} s" for w in ways if w[2] < 3.75), "does not fall")
        print(f"{name}: capital at most {max(w[1] for w in ways):.2g} m from above the base, last {ways[-1][1]:.2g} m; {falls}; last height {ways[-1][2]:.3f} m")
        curves.append((name, [(w[0], min(w[1], 1.5)) for w in ways]))
    chart("column", [("time, s", "capital from above the base, m", curves)], early=[0])


def arch(runs):
    """Folders are called arch-THICKNESS."""
    curves = []
    for run in runs:
        rows = table(run, "crown")
        name = os.path.basename(os.path.normpath(run)).split("-")[1]
        fall = [(r["time_s"], rows[0]["body_7_position_z_m"] - r["body_7_position_z_m"]) for r in rows]
        print(f"thickness {name}: the crown falls by {fall[-1][1]:.2g} m in {fall[-1][0]:g} s")
        curves.append(("thickness " + name, [(t, f) for t, f in fall if f < 1]))
    chart("arch", [("time, s", "fall of the crown, m", curves[-4:])], early=[0])


def retaining_wall(runs):
    """Folders are called wall-with-SEED and wall-without-SEED."""
    curves = []
    for run in runs:
        _, kind, seed = os.path.basename(os.path.normpath(run)).split("-")
        rows, top = table(run, "wall"), 23 if kind == "with" else 25
        x = lambda row, body: row[f"body_{body}_position_x_m"]
        sunk = lambda row, body: rows[0][f"body_{body}_position_y_m"] - row[f"body_{body}_position_y_m"]
        before = next(r for r in rows if r["time_s"] >= 1)
        print(f"{kind} bond stones, ground {seed}: top of the facing {1000 * (x(rows[0], top) - x(before, top)):.1f} mm out before the subsidence, "
              f"{1000 * (x(before, top) - x(rows[-1], top)):.1f} mm more by it; it sinks by {sunk(rows[-1], top):.4f} m, the foot by {sunk(rows[-1], 3):.4f} m")
        if seed == "1":
            curves.append((kind + " bond stones", [(r["time_s"], sunk(r, top)) for r in rows]))
            if kind == "with":
                curves.append(("its foot", [(r["time_s"], sunk(r, 3)) for r in rows]))
    chart("retaining-wall", [("time, s", "top of the facing sinks by, m", curves)], early=[0])


def fracture(runs):
    forces, energies = [], []
    for run in runs:
        name = os.path.basename(os.path.normpath(run))
        rows, work = [], 0.0
        for f, e, d in zip(table(run, "forces"), table(run, "ends"), table(run, "energy")):
            rows.append((1000 * (e["body_1_position_x_m"] - e["body_0_position_x_m"] - 1.05), f["body_0_force_x_N"], d["dissipated_J"]))
            if len(rows) > 1:
                work += 0.5e-3 * (rows[-1][1] + rows[-2][1]) * (rows[-1][0] - rows[-2][0])
        peak = max(rows, key=lambda r: r[1])
        print(f"{name}: greatest force {peak[1] / 1000:.2f} kN at {peak[0]:.3f} mm; dissipated {d['dissipated_J']:.4f} J, of it by friction {d['dissipated_friction_J']:.1g} J; "
              f"work of the ends {work:.4f} J; moving {d['translation_J'] + d['rotation_J']:.1g} J")
        forces.append((name, [(r[0], r[1] / 1000) for r in rows]))
        energies.append((name, [(r[0], r[2]) for r in rows]))
    chart("fracture", [("displacement of the ends, mm", "force, kN", forces), ("displacement of the ends, mm", "absorbed by the bonds, J", energies)], early=[1])


def arena(runs):
    for run in runs:
        rows, ground, energy = table(run, "keystones"), table(run, "ground"), table(run, "energy")
        over = lambda r, body: [r[f"body_{body}_position_{axis}_m"] - r[f"body_0_position_{axis}_m"] for axis in "xyz"]
        before = next(k for k, r in enumerate(rows) if r["time_s"] >= 0.5 - 1e-9)
        ways = [math.dist(over(rows[before], 7 + 13 * bay), over(rows[-1], 7 + 13 * bay)) for bay in range(10)]
        dead = max(math.dist(over(rows[before], 7 + 13 * bay), over(rows[0], 7 + 13 * bay)) for bay in range(10))
        print(f"{os.path.basename(os.path.normpath(run))}: the ground bears {-ground[before]['body_0_force_z_N'] / 1000:.4f} kN at 0.5 s, {-ground[-1]['body_0_force_z_N'] / 1000:.4f} kN at the end; "
              f"keystones move by {dead:.1g} m under dead load, then {min(ways):.2g} to {max(ways):.2g} m; "
              f"dissipated {energy[before]['dissipated_J']:.2g} J, then {energy[-1]['dissipated_J'] - energy[before]['dissipated_J']:.3g} J, "
              f"of it by friction {energy[-1]['dissipated_friction_J'] - energy[before]['dissipated_friction_J']:.3g} J")


def arena_full(runs):
    for run in runs:
        rows, ground, energy = table(run, "keystones"), table(run, "ground"), table(run, "energy")
        stones = sorted({int(key.split("_")[1]) for key in rows[0] if key.startswith("body_")})
        moved = lambda body, a, b: math.dist(*([r[f"body_{body}_position_{axis}_m"] for axis in "xyz"] for r in (a, b)))
        before = next(k for k, r in enumerate(rows) if r["time_s"] >= 0.5 - 1e-9)
        # The ground has come back to where it was when the shaking ends.
        storeys = [stones[:4], stones[4:8], stones[8:]]
        dead = max(moved(body, rows[0], rows[before]) for body in stones)
        ways = "; ".join(f"{name} {min(w):.2g} to {max(w):.2g} m" for name, w in
                         ((name, [moved(body, rows[before], rows[-1]) for body in bodies]) for name, bodies in zip(("inner ring", "outer ring below", "outer ring above"), storeys)))
        steps = history(run)
        print(f"{os.path.basename(os.path.normpath(run))}: the ground bears {-ground[before]['body_0_force_z_N'] / 1000:.3f} kN at 0.5 s; keystones move by {dead:.1g} m under dead load, "
              f"then {ways}; dissipated {energy[before]['dissipated_J']:.3g} J, then {energy[-1]['dissipated_J'] - energy[before]['dissipated_J']:.3g} J to {rows[-1]['time_s']:g} s; "
              f"{sum(r['converged'] == 0 for r in steps)} of {len(steps)} steps not converged, {sum(r['sweeps'] for r in steps) / len(steps):.0f} sweeps a step, deepest overlap {max(r['max_penetration'] for r in steps):.2g} of a block")


def shapes(runs):
    """Folders are called SHAPE-SEED."""
    for run in runs:
        ground, heights = table(run, "ground"), table(run, "heights")
        last, height = at(ground, ground[-1]["time_s"]), 2 * middle(at(heights, 0.45))
        steps, out = history(run), front(last, 0.95) - 0.6
        angle = math.degrees(math.atan(middle(at(heights, heights[-1]["time_s"])) / middle(last)))     # exact for a triangle
        print(f"{os.path.basename(os.path.normpath(run))}: height before {height:.2f} m, run-out {out:.2f} m, over the height {out / height:.2f}; mean distance {middle(last):.3f} m, "
              f"mean height {middle(at(heights, heights[-1]['time_s'])):.3f} m, slope {angle:.1f} degrees; greatest overlap {100 * max(s['max_penetration'] for s in steps):.1f} %, "
              f"not converged {sum(s['converged'] == 0 for s in steps)} of {len(steps)}")


def triaxial(runs, start=1.3, name="triaxial"):
    """Shortening is counted from the time `start` on."""
    figure, ratio, fraction, networks = name, [], [], []
    for run in runs:
        name, rows, first = os.path.basename(os.path.normpath(run)), [], None
        for s, c, f, p in zip(*(table(run, n) for n in ("stress", "contacts", "forces", "plates"))):
            height = p["body_5_position_z_m"] - 0.05
            if s["time_s"] > start:
                first = first or height
                rows.append((1 - height / first, 2 * s["stress_zz_Pa"] / (s["stress_xx_Pa"] + s["stress_yy_Pa"]), s["solid_fraction"], c["coordination_number"],
                             f["strong_deviator_Pa"] / s["deviator_Pa"], f["weak_deviator_Pa"] / s["deviator_Pa"], f["weak_share"], f["weak_pressure_Pa"] / s["pressure_Pa"],
                             c["sliding_share"], c["rattlers"] / c["grains"]))
        tail = [r for r in rows if r[0] > 0.1]
        mean = [sum(r[k] for r in tail) / len(tail) for k in range(10)]
        print(f"{name}: before {rows[0][1]:.2f}, solid fraction {rows[0][2]:.3f}, coordination {rows[0][3]:.2f}; beyond 10 %: stress ratio {mean[1]:.2f} (from {min(r[1] for r in tail):.2f} to {max(r[1] for r in tail):.2f}), "
              f"solid fraction {mean[2]:.3f}, coordination {mean[3]:.2f}, rattlers {100 * mean[9]:.0f} %, sliding {100 * mean[8]:.0f} %, strong/deviator {mean[4]:.2f}, weak {mean[5]:.2f}, "
              f"weak contacts {100 * mean[6]:.0f} %, of the pressure {100 * mean[7]:.0f} %; to {100 * rows[-1][0]:.1f} %")
        for curves, column in ((ratio, 1), (fraction, 2), (networks, 4)):
            curves.append((name, [(100 * r[0], r[column]) for r in rows if column != 4 or r[0] > 0.01]))
    strain = "shortening, %"
    chart(figure, [(strain, "axial over lateral stress", ratio), (strain, "solid fraction", fraction), (strain, "strong forces' share of the deviator", networks)])


def triaxial_full(runs):
    triaxial(runs, 0.435, "triaxial-full")


def line(points):
    """Slope and intercept of the line through points, and R^2."""
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    xx, xy, yy = (sum((p[i] - (x, y)[i]) * (p[j] - (x, y)[j]) for p in points) for i, j in ((0, 0), (0, 1), (1, 1)))
    return xy / xx, y - xy / xx * x, xy * xy / (xx * yy)


def hopper(runs):
    """Folders are called mouth-WIDTH. Rates from the 200th to the 1000th disk."""
    points = []
    for run in runs:
        rows, width = history(run), float(os.path.basename(os.path.normpath(run)).split("-")[1])
        time = lambda died: next(r["time_s"] for r in rows if r["died"] >= died)
        points.append((width, 800 / (time(1000) - time(200))))
        print(f"{width} m: {points[-1][1]:.0f} a second; 200 to 600 {400 / (time(600) - time(200)):.0f}, 600 to 1000 {400 / (time(1000) - time(600)):.0f}")
    points.sort()
    slope, start, explained = line([(d, q ** (2 / 3)) for d, q in points])
    k = -start / slope / 0.015
    print(f"R^2 {explained:.4f}, k {k:.2f}, exponent {line([(math.log(d - k * 0.015), math.log(q)) for d, q in points])[0]:.3f}, "
          f"C {slope ** 1.5 * math.pi * 0.0075 ** 2 * (1 + 0.0015 ** 2 / 3 / 0.0075 ** 2) / math.sqrt(9.81):.2f}")
    chart("hopper", [("width of the mouth, m", "disks a second", [("", points)]),
          ("width of the mouth, m", "rate to the power 2/3", [("simulated", [(d, q ** (2 / 3)) for d, q in points]),
                                                             ("line", [(d, start + slope * d) for d in (k * 0.015, points[-1][0])])])], dots=True)


def isotropic_packing(runs):
    fraction, coordination = [], []
    for run in runs:
        name = os.path.basename(os.path.normpath(run))
        inside, contacts, whole, stress = (table(run, n) for n in ("inside", "inside-contacts", "contacts", "stress"))
        mean = lambda rows, key: sum(r[key] for r in rows[-10:]) / 10
        steps = history(run)
        print(f"{name}: solid fraction {mean(inside, 'solid_fraction'):.4f} inside, {mean(stress, 'solid_fraction'):.4f} in all; coordination {mean(contacts, 'coordination_number_without_rattlers'):.2f} inside, "
              f"rattlers {mean(whole, 'rattlers'):.0f}, contacts over 3 (grains - rattlers) {mean(whole, 'contacts') / (9000 - 3 * mean(whole, 'rattlers')):.3f}; "
              f"q/p {mean(stress, 'deviator_over_pressure'):.3f}; kinetic energy {steps[-1]['kinetic_energy_J']:.3g} J; overlap {100 * max(s['max_penetration'] for s in steps):.2f} %; "
              f"not converged {sum(s['converged'] == 0 for s in steps)} of {len(steps)}")
        fraction.append((name, [(r["time_s"], r["solid_fraction"]) for r in inside]))
        coordination.append((name, [(r["time_s"], r["coordination_number_without_rattlers"]) for r in contacts if r["time_s"] > 0.3]))
    chart("isotropic-packing", [("time, s", "solid fraction inside", fraction), ("time, s", "coordination number inside", coordination)])


def plane_shear(runs):
    points = []
    for run in runs:
        rows = [r for r in table(run, "stress") if r["time_s"] > 2]
        mean = lambda key: sum(r[key] for r in rows) / len(rows)
        pressure = mean("pressure_N_m")
        points.append((0.0435 * math.sqrt(2000 / pressure), -mean("stress_xy_N_m") / pressure, mean("solid_fraction")))
        print(f"{os.path.basename(os.path.normpath(run))}: solid fraction {points[-1][2]:.3f}, pressure {pressure:.1f} N/m, inertial number {points[-1][0]:.3f}, friction {points[-1][1]:.3f}, "
              f"normal stresses {mean('stress_xx_N_m') / mean('stress_yy_N_m'):.2f}")
    points.sort()
    chart("plane-shear", [("inertial number", "shear stress / pressure", [("", [(i, m) for i, m, _ in points])]),
          ("inertial number", "solid fraction", [("", [(i, f) for i, _, f in points])])], dots=True)


def drum(runs):
    """Folders are called drum-SPEED. The middle of a heap with a straight slope lies straight below the centre, seen from the slope."""
    points = []
    for run in runs:
        across, heights = {}, {}
        for slot, name in ((across, "across"), (heights, "heights")):
            for row in table(run, name):
                slot.setdefault(row["time_s"], []).append(row)
        angles = [math.degrees(math.atan2(middle(across[t]), -middle(heights[t]))) for t in across if t > 2]
        speed = float(os.path.basename(os.path.normpath(run)).split("-")[1])
        points.append((speed, sum(angles) / len(angles)))
        print(f"{speed} rad/s: Froude number {speed ** 2 / 9.81:.3f}, angle {points[-1][1]:.1f} (from {min(angles):.1f} to {max(angles):.1f})")
    chart("drum", [("rad/s", "slope, degrees", [("", sorted(points))])], dots=True)


def segregation(runs):
    """Folders are called KIND-FRICTION-RADIUS-SEED: the friction of the side walls and the radius of the large disk, mm. A row is a period."""
    mean = lambda values: sum(values) / len(values) if values else math.nan
    risen, moved = [], {}
    for run in runs:
        kind, friction, radius, seed = os.path.basename(os.path.normpath(run)).split("-")
        rows = table(run, "grains")
        bodies = sorted(int(key.split("_")[1]) for key in rows[0] if key.endswith("_position_x_m"))
        (_, *large), *small = zip(bodies, *([(row[f"body_{b}_position_x_m"], row[f"body_{b}_position_y_m"]) for b in bodies] for row in rows))
        small = [path for _, *path in small]
        below = [mean([path[k][1] < y for path in small]) for k, (_, y) in enumerate(large)]
        top = next((k for k, share in enumerate(below) if share > 0.9), len(rows))
        # Two periods at a time: the surface oscillates with twice the period of the floor.
        slots = moved.setdefault((kind, friction, radius), [[] for _ in range(10)])
        own, beside = [], []
        for k in range(20, len(rows) - 2):
            rise = lambda path: 500 * (path[k + 2][1] - path[k][1])
            for path in small:
                if 0.02 < path[k][1] < 0.08:
                    slots[min(9, int((0.05 - abs(path[k][0])) / 0.005))].append(rise(path))
            if k < top:
                x, y = large[k]
                own.append(rise(large))
                beside.append(mean([rise(path) for path in small if abs(path[k][0] - x) < 0.02 and abs(path[k][1] - y) < 0.004]))
        reached = f"above 90 % of the small disks after {top + 1} periods, then above {100 * mean(below[top:]):.0f} %" if top < len(rows) else "never above 90 % of the small disks"
        deep = [float(row["max_penetration"]) for row in history(run)]
        print(f"{kind}, side walls {friction}, radius {radius} mm, seed {seed}: {reached}; at the end at {1000 * large[-1][1]:.0f} mm, above {100 * below[-1]:.0f} %; "
              f"rise {mean(own):.2f} mm per period, small disks beside it {mean([b for b in beside if not math.isnan(b)]):.2f}; "
              f"overlap above a tenth of a radius in {sum(d > 0.1 for d in deep)} of {len(deep)} steps, greatest {max(deep):.2f}")
        risen.append((kind, friction, radius, seed, [(k + 1.5, 500 * (y + after)) for k, ((_, y), (_, after)) in enumerate(zip(large, large[1:]))]))
    name = lambda friction: "smooth" if float(friction) == 0 else "rough"
    profiles = {key: [(5 * k + 2.5, mean(slot)) for k, slot in enumerate(slots)] for key, slots in moved.items()}
    for (kind, friction, radius), profile in sorted(profiles.items()):
        print(f"{kind}, side walls {friction}, radius {radius} mm, rise of the small disks per period, mm: " + ", ".join(f"{x:g} mm from the wall {y:.2f}" for x, y in profile))
    curves = [(f"{name(f)}, {s}", curve) for kind, f, r, s, curve in sorted(risen, key=lambda c: (name(c[1]), c[3])) if kind == "segregation" and r == "8"]
    frequency = {"segregation": "6.25 Hz", "faster": "12.5 Hz"}
    rolls = [(f"{name(f)}, {frequency[kind]}", profile) for (kind, f, r), profile in sorted(profiles.items(), reverse=True) if r == "8" and kind in frequency]
    chart("segregation", [("periods", "height of the large disk, mm", curves), ("distance from the nearer side wall, mm", "rise of the small disks, mm per period", rolls)], early=[0])


def decomposition(runs):
    """Folders are called SCENE-VARIANT; prints what tests/experiments/decomposition.rs asserts, and how far the variants differ."""
    mean = lambda values: sum(values) / len(values)
    found = {}
    for run in runs:
        scene, variant = os.path.basename(os.path.normpath(run)).rsplit("-", 1)
        if scene == "biaxial":
            late = [[r for r in table(run, name) if r["time_s"] > 0.4 - 1e-9] for name in ("stress", "contacts")]
            across = mean([r["stress_yy_N_m"] for r in late[0]])
            figures = {"stress_yy": across, "stress_xx/stress_yy": mean([r["stress_xx_N_m"] for r in late[0]]) / across,
                       "void ratio": mean([r["void_ratio"] for r in late[0]]),
                       "coordination number": mean([r["coordination_number"] for r in late[1]])}
        elif scene == "column-collapse":
            profiles = [[(r["position_m"], r["solid_fraction"]) for r in rows if r["time_s"] == rows[-1]["time_s"]]
                        for rows in (table(run, "ground"), table(run, "heights"))]
            centre, height = (sum(x * w for x, w in p) / sum(w for _, w in p) for p in profiles)
            total, part, front = sum(w for _, w in profiles[0]), 0.0, 0.0
            for front, share in profiles[0]:
                part += share
                if part >= 0.95 * total:
                    break
            figures = {"front of 95 %": front, "centre": centre, "height of the centre": height}
        elif scene == "retaining-wall":
            wall, energy = table(run, "wall"), table(run, "energy")
            before = next(k for k, r in enumerate(wall) if r["time_s"] > 1 - 1e-9)
            figures = {"potential energy before": energy[before]["potential_J"], "potential energy after": energy[-1]["potential_J"],
                       "top leans by": wall[before]["body_23_position_x_m"] - wall[-1]["body_23_position_x_m"],
                       "foot sinks by": wall[0]["body_3_position_y_m"] - wall[-1]["body_3_position_y_m"]}
        else:
            stones, ground = table(run, "keystones"), table(run, "ground")
            before = next(k for k, r in enumerate(stones) if r["time_s"] > 0.5 - 1e-9)
            displacement = lambda body, axis: stones[-1][f"body_{body}_position_{axis}_m"] - stones[before][f"body_{body}_position_{axis}_m"]
            moved = [math.dist([displacement(7 + 13 * bay, axis) for axis in "xyz"], [displacement(0, axis) for axis in "xyz"]) for bay in range(10)]
            figures = {"ground bears": -ground[before]["body_0_force_z_N"], "a keystone moves by": mean(moved)}
        figures["dissipated"] = table(run, "energy")[-1]["dissipated_J"]
        rows = history(run)
        figures["sweeps a step"] = mean([r["sweeps"] for r in rows])
        figures["steps at the cap"] = sum(r["converged"] == 0 for r in rows)
        found.setdefault(scene, {})[variant] = figures
    for scene, variants in found.items():
        for name in next(iter(variants.values())):
            values = [figures[name] for figures in variants.values()]
            words = ", ".join(f"{variant} {value:.6g}" for variant, value in zip(variants, values))
            spread = (max(values) - min(values)) / max(abs(mean(values)), 1e-300)
            print(f"{scene}, {name}: {words}; spread {100 * spread:.2g} %")


def dataset(path, name, part=None):
    """A dataset of an HDF5 file, by the program h5dump; `part` is (first row, rows)."""
    part = [] if part is None else ["-s", f"{part[0]}", "-c", f"{part[1]}"]
    text = subprocess.run(["h5dump", "-y", "-m", "%.12g", "-d", name, *part, path], capture_output=True, text=True, check=True).stdout
    values = text[text.index("DATA {") + 6:]
    return [float(value) for value in values[:values.index("}")].replace(",", " ").split()]


def deformable(runs):
    """Runs of one of the scenes of the page. Folders are called NAME-WHAT; WHAT names the curves."""
    kinds = {"beads": beads, "arch": deformable_arch, "grains": elastic_biaxial, "lintel": lintel_wall, "beam": notched_beam, "bar": bar_impact, "ball": bouncing_ball, "bouncing": bouncing_ball, "strain": driven_biaxial, "sweeps": sweeps}
    kinds[os.path.basename(os.path.normpath(runs[0])).split("-")[0]](runs)


def label(run):
    return os.path.basename(os.path.normpath(run)).split("-", 1)[-1]


def beads(runs):
    """Arrival of the pulse at a contact: vertex of the parabola through the greatest force and its neighbours."""
    curves, ends = [], []
    for run in runs:
        rows, bodies = table(run, "cut"), table(run, "beads")
        cuts = [name for name in rows[0] if name.endswith("_x_N")]
        step = rows[1]["time_s"] - rows[0]["time_s"]
        pulses = []
        for cut in cuts[:-2]:
            k = max(range(1, len(rows) - 1), key=lambda k: rows[k][cut])
            a, b, c = (rows[k + i][cut] for i in (-1, 0, 1))
            width = sum(row[cut] > 0.01 * b for row in rows[:k + 1]) + next((i for i, row in enumerate(rows[k:]) if row[cut] < 0.01 * b), 0)
            pulses.append((rows[k]["time_s"] + 0.5 * step * (a - c) / (a - 2 * b + c), b, width * step))
        speeds = [0.09997 / (b[0] - a[0]) for a, b in zip(pulses, pulses[1:])]
        force, speed = pulses[-2][1], speeds[-1]
        last = bodies[-1]
        mass_velocity = sum(last[f"body_{k}_velocity_x_m_s"] for k in range(10))
        modulus, density, diameter = 5e6 / (1 - 0.3 ** 2), 1100, 0.1
        theory = 0.6802 * (2 * modulus / (diameter * density ** 1.5)) ** (1 / 3) * force ** (1 / 6)
        print(f"{label(run)}: greatest forces {', '.join(f'{p[1]:.3g}' for p in pulses)} N; speed {speed:.2f} m/s, Nesterenko {theory:.2f}; "
              f"width above 1 % {pulses[-2][2] * speed / diameter:.2f} diameters; sum of velocities {mass_velocity:.6f} m/s; "
              f"dissipated {table(run, 'energy')[-1]['dissipated_J']:.3g} J")
        ends.append((math.log10(force), math.log10(speed), math.log10(theory)))
        if not curves:
            curves = [(f"contact {k + 1}", [(1000 * row["time_s"], row[cuts[k]]) for row in rows]) for k in (0, 2, 4, 6)]
    for a, b in zip(ends, ends[1:]):
        print(f"exponent: {(b[1] - a[1]) / (b[0] - a[0]):.3f}")
    panels = [("time, ms", "contact force, N", curves)]
    if len(ends) > 1:
        panels.append(("log10 of the force, N", "log10 of the speed, m/s", [("measured", [e[:2] for e in ends]), ("Nesterenko", [(e[0], e[2]) for e in ends])]))
    chart("deformable-beads", panels)


def thrust_bounds(inner=0.9, outer=1.1, voussoirs=15, weight=2600 * 9.81):
    """Least and greatest thrust of an arch without tension: thrust lines inside all joints; by symmetry of half of it."""
    half = math.pi / voussoirs / 2
    low, high, tangent = inner * math.cos(half), outer * math.cos(half), math.tan(half)
    area = tangent * (high ** 2 - low ** 2)
    centre = (2 / 3) * (high ** 3 - low ** 3) / (high ** 2 - low ** 2)
    crown = tangent * (high ** 3 - low ** 3) / (3 * (high ** 2 - low ** 2))     # lever of half the voussoir at the crown

    def holds(thrust):
        least, greatest = -math.inf, math.inf
        for joint in range((voussoirs + 1) // 2):
            angle = (2 * joint + 1) * half
            loads = [(area / 2, crown)] + [(area, centre * math.sin(2 * k * half)) for k in range(1, joint + 1)]
            height = lambda r: r * math.cos(angle) + sum(weight * a * (r * math.sin(angle) - x) for a, x in loads) / thrust
            least, greatest = max(least, height(inner)), min(greatest, height(outer))
        return least <= greatest

    held = [thrust for thrust in range(1000, 8000) if holds(thrust)]
    return held[0], held[-1]


def beam_thrust(radius=1.0, thickness=0.2, weight=2600 * 9.81 * 0.2, poisson=0.2, parts=2000):
    """Thrust of an elastic semicircular beam with fixed ends, under its weight: least complementary energy over the thrust and the
    moment at the crown, of bending, compression and shear."""
    shear = 1.2 * 2 * (1 + poisson) / (1 - poisson ** 2)
    sums = [[0.0] * 3 for _ in range(2)]
    for part in range(parts):
        angle = (part + 0.5) * math.pi / 2 / parts
        c, s = math.cos(angle), math.sin(angle)
        # Moment, normal force and shear force of a unit thrust, a unit moment, and the weight.
        forces = ((radius * (1 - c), c, -s), (1, 0, 0), (-weight * radius ** 2 * (angle * s + c - 1), weight * radius * angle * s, weight * radius * angle * c))
        product = lambda f, g: f[0] * g[0] * 12 / thickness ** 3 + (f[1] * g[1] + shear * f[2] * g[2]) / thickness
        for i in range(2):
            for j in range(3):
                sums[i][j] += product(forces[i], forces[j])
    (a, b, e), (c, d, f) = sums
    return (b * f - d * e) / (a * d - b * c)


def deformable_arch(runs):
    for run in runs:
        thrust, crown, steps = table(run, "thrust"), table(run, "crown"), history(run)
        print(f"{label(run)}: thrust {thrust[-1]['force_across_x_0.05_x_N']:.0f} N, crown down by {crown[0]['body_7_position_y_m'] - crown[-1]['body_7_position_y_m']:.3g} m, "
              f"strain energy {steps[-1]['stored_energy_J']:.3g} J, still moving {steps[-1]['kinetic_energy_J']:.1g} J, sweeps {sum(r['sweeps'] for r in steps) / len(steps):.0f} a step")
    print("thrust lines without tension: {} to {} N; elastic beam {:.0f} N".format(*thrust_bounds(), beam_thrust()))


def elastic_biaxial(runs):
    curves = []
    for run in runs:
        walls, forces, steps = table(run, "walls"), table(run, "forces-on-walls"), history(run)
        start = next(k for k, row in enumerate(walls) if row["time_s"] > 0.2 - 1e-9)
        height = lambda row: row["body_1_position_y_m"] - 0.1
        rows = [(1 - height(w) / height(walls[start]),
                 f["body_1_force_y_N"] / (w["body_3_position_x_m"] - 0.1) / (f["body_3_force_x_N"] / height(w)))
                for w, f in zip(walls[start:], forces[start:])]
        reached = lambda strain: next((f"{r:.2f}" for e, r in rows if e >= strain), "-")
        print(f"{label(run)}: ratio {', '.join(reached(e) for e in (1e-5, 1e-4, 1e-3, 5e-3, 1e-2))} at strains of 1e-5, 1e-4, 1e-3, 5e-3, 1e-2; "
              f"strain at 1.5 {next((e for e, r in rows if r >= 1.5), math.nan):.2g}, last {rows[-1][0]:.4f}; "
              f"sweeps {sum(r['sweeps'] for r in steps[start:]) / len(steps[start:]):.0f} a step, steps at the cap {sum(r['converged'] == 0 for r in steps)}")
        curves.append((label(run), rows))
    # Four curves; few points are enough.
    part = lambda limit: [(name, [(100 * e, r) for e, r in rows if e <= limit][::2 if limit < 0.1 else 8]) for name, rows in curves[:4]]
    chart("deformable-biaxial", [("strain, %", "sigma1 / sigma3", part(1e-3)), ("strain, %", "sigma1 / sigma3", part(1.0))])


def driven_biaxial(runs):
    """Strains from where the piston (body 4) touches the upper wall; sigma1 from the force of the floor. Inertial number: mean diameter."""
    small, whole, effort = [], [], []
    for run in runs:
        walls, forces, steps = table(run, "walls"), table(run, "forces-on-walls"), history(run)
        start = next(k for k, row in enumerate(forces) if row["body_4_force_y_N"] != 0)
        heights, widths = ([row[f"body_{body}_position_{axis}_m"] - 0.1 for row in walls] for body, axis in ((1, "y"), (3, "x")))
        strains = [1 - height / heights[start - 1] for height in heights]
        ratios = [-f["body_0_force_y_N"] / width / (f["body_3_force_x_N"] / height) for f, width, height in zip(forces, widths, heights)]
        sums = [0.0]
        for ratio in ratios:
            sums.append(sums[-1] + ratio)
        mean = lambda k, reach: (sums[min(k + reach + 1, len(ratios))] - sums[max(k - reach, start)]) / (min(k + reach + 1, len(ratios)) - max(k - reach, start))
        effort_at = lambda k: sum(row["sweeps"] for row in steps[max(k - 50, start):k + 51]) / len(steps[max(k - 50, start):k + 51])
        reached = lambda strain: next(k for k in range(start, len(strains)) if strains[k] >= strain)
        between = lambda low, high: [ratios[k] for k in range(start, len(strains)) if low <= strains[k] < high]
        average = lambda values: sum(values) / len(values)
        volume = lambda k: heights[k] * widths[k] / heights[start - 1] / widths[start - 1] - 1
        rate = max((a - b) / 1e-3 / b for a, b in zip(heights[start:], heights[start + 1:]))
        print(f"{label(run)}: piston touches at {walls[start]['time_s']:.3f} s; ratio {', '.join(f'{mean(reached(e), 2):.2f}' for e in (1e-5, 1e-4, 3e-4, 1e-3, 3e-3))} at strains of 1e-5, 1e-4, 3e-4, 1e-3, 3e-3; "
              f"strain at 1.5 {strains[next(k for k in range(start, len(ratios)) if mean(k, 2) >= 1.5)]:.2g}; means {average(between(0.005, 0.01)):.2f}, {average(between(0.01, 0.02)):.2f}, {average(between(0.02, 0.04)):.2f} to 1, 2 and 4 %; "
              f"least change of volume {min(volume(k) for k in range(start, len(strains))):.2g}, at the end {volume(len(strains) - 1):.3f}; "
              f"sweeps {average([row['sweeps'] for row in steps[start:]]):.1f} a step, up to 0.1 % {average([row['sweeps'] for k, row in enumerate(steps) if k >= start and strains[k] < 1e-3]):.1f}; "
              f"steps at the cap {sum(row['converged'] == 0 for row in steps)}; inertial number {rate * 0.3 * math.sqrt(2500 / 1e5):.1e}")
        places = range(start, len(strains))
        small.append((label(run), [(100 * strains[k], mean(k, 3)) for k in places if strains[k] <= 1.5e-3][::3]))
        whole.append((label(run), [(100 * strains[k], mean(k, 20)) for k in places][::15]))
        effort.append((label(run), [(100 * strains[k], effort_at(k)) for k in places[::25]]))
    strain = "axial strain, %"
    chart("deformable-strain", [(strain, "sigma1 / sigma3", small), (strain, "sigma1 / sigma3", whole), (strain, "sweeps a step", effort)], early=[2])


def sweeps(runs):
    """Of the last twenty steps."""
    for run in runs:
        rows = sorted(row["sweeps"] for row in history(run)[-20:])
        print(f"{label(run)}: {sum(rows) / len(rows):.0f} sweeps a step, median {(rows[9] + rows[10]) / 2:.0f}, {rows[0]:.0f} to {rows[-1]:.0f}")


def lintel_wall(runs):
    """Of the last frame and the contacts of `nscdd post RUN`."""
    for run in runs:
        post, frames = os.path.join(run, "post", "post.h5"), os.path.join(run, "frames.vtkhdf")
        first, second, points, forces = (dataset(post, "/contacts/" + name) for name in ("first", "second", "point", "force"))
        on_top = sum((-1 if b == 1 else 1) * forces[2 * k + 1] for k, (a, b) in enumerate(zip(first, second)) if 1 in (a, b) and points[2 * k + 1] > 1.12)
        count = int(dataset(frames, "/VTKHDF/NumberOfPoints")[-1])
        start = lambda name: int(dataset(frames, "/VTKHDF/Steps/PointDataOffsets/" + name)[-1])
        place = int(dataset(frames, "/VTKHDF/Steps/PointOffsets")[-1])
        nodes = dataset(frames, "/VTKHDF/PointData/node", (start("node"), count))
        points = dataset(frames, "/VTKHDF/Points", (f"{place},0", f"{count},3"))
        stress = dataset(frames, "/VTKHDF/PointData/principal_stress", (f"{start('principal_stress')},0", f"{count},3"))
        bottom = [(points[3 * k], points[3 * k + 1], max(stress[3 * k:3 * k + 3])) for k in range(count) if nodes[k] >= 0 and points[3 * k + 1] < 1.01]
        nearest = lambda x: min(bottom, key=lambda p: abs(p[0] - x))
        print(f"{label(run)}: the wall presses with {on_top:.0f} N, sag in the opening {nearest(0.75)[1] - nearest(1.25)[1]:.3g} m, "
              f"stress below the middle {nearest(1.25)[2]:.3g} Pa; steps at the cap {sum(r['converged'] == 0 for r in history(run))}")


def notched_beam(runs):
    curves, energies = [], []
    for run in runs:
        final = os.path.join(run, "final.h5")
        first, second, state, area = (dataset(final, "/contacts/" + name) for name in ("first", "second", "law_state", "law_area"))
        left = [100 * size * beta for a, b, beta, size in zip(first, second, state, area) if (a, b) == (0, 1) and beta > 0]
        forces, plate, energy, steps = table(run, "forces"), table(run, "plate"), table(run, "energy"), history(run)
        down = lambda row: 1000 * (plate[0]["body_4_position_y_m"] - row["body_4_position_y_m"])
        rows = [(down(p), f["body_4_force_y_N"] / 1000, e["dissipated_normal_J"]) for p, f, e in zip(plate, forces, energy)]
        print(f"{label(run)}: greatest force {max(r[1] for r in rows):.2f} kN, last {rows[-1][1]:.2f} kN; {len(left)} bonds left, w times the area of the crack {7 - sum(left):.3f} J, "
              f"dissipated along normals {rows[-1][2]:.3f} J, by friction {energy[-1]['dissipated_friction_J']:.3f} J, in the material {energy[-1]['dissipated_material_J']:.3f} J; "
              f"work of the plate {energy[-1]['driven_work_J']:.3f} J, stored {energy[-1]['stored_energy_J']:.3f} J; steps at the cap {sum(r['converged'] == 0 for r in steps)}")
        curves.append((label(run), [r[:2] for r in rows[::5]]))
        energies.append((label(run), [(r[0], r[2]) for r in rows[::5]]))
    chart("deformable-beam", [("displacement of the plate, mm", "force, kN", curves), ("displacement of the plate, mm", "dissipated by the bonds, J", energies)], early=[1])


def bar_velocities(run, time):
    """(x, velocity) of the nodes on the lower side of the bar, in the frame nearest to that time."""
    frames = os.path.join(run, "frames.vtkhdf")
    times = dataset(frames, "/VTKHDF/Steps/Values")
    frame = min(range(len(times)), key=lambda k: abs(times[k] - time))
    of_frame = lambda name: int(dataset(frames, name)[frame])
    count, place = of_frame("/VTKHDF/NumberOfPoints"), of_frame("/VTKHDF/Steps/PointOffsets")
    nodes = dataset(frames, "/VTKHDF/PointData/node", (of_frame("/VTKHDF/Steps/PointDataOffsets/node"), count))
    points = dataset(frames, "/VTKHDF/Points", (f"{place},0", f"{count},3"))
    velocity = dataset(frames, "/VTKHDF/PointData/velocity", (f"{of_frame('/VTKHDF/Steps/PointDataOffsets/velocity')},0", f"{count},3"))
    low = min(points[3 * k + 1] for k in range(count) if nodes[k] >= 0)
    return sorted((points[3 * k], velocity[3 * k]) for k in range(count) if nodes[k] >= 0 and points[3 * k + 1] < low + 1e-6)


def bar_impact(runs):
    curves = []
    for run in runs:
        rows, energy = table(run, "force"), table(run, "energy")
        name = next(key for key in rows[0] if key.endswith("force_x_N"))
        pushed = [row["time_s"] for row in rows if row[name] > 0]
        plateau = [row[name] for row in rows if 5e-5 < row["time_s"] - pushed[0] < 3.3e-4]
        print(f"{label(run)}: contact at {1e3 * pushed[0]:.3f} ms for {1e6 * (pushed[-1] - pushed[0]):.0f} us; force {sum(plateau) / len(plateau):.1f} N; "
              f"rebound {table(run, 'bar')[-1]['body_1_velocity_x_m_s']:.5f} m/s; lost {100 * energy[-1]['dissipated_J'] / energy[0]['translation_J']:.2f} % of the energy")
        curves.append((label(run), [(1000 * row["time_s"], row[name]) for row in rows]))
    # The front is where the velocity is the mean of that ahead and that behind it.
    moments = [5.6e-4, 6.4e-4, 7.4e-4, 8.4e-4]
    shapes = [(f"{1000 * time:.2f} ms", bar_velocities(runs[0], time)) for time in moments]
    for (name, shape), middle in zip(shapes, (-0.05, -0.05, 0.05, 0.05)):
        front = next(((b[0] - a[0]) * (middle - a[1]) / (b[1] - a[1]) + a[0] for a, b in zip(shape, shape[1:]) if (a[1] - middle) * (b[1] - middle) <= 0 and a[1] != b[1]), math.nan)
        print(f"{name}: front at {front:.3f} m; velocity {min(v for _, v in shape):.4f} to {max(v for _, v in shape):.4f} m/s")
    chart("deformable-bar", [("time, ms", "force on the bar, N", curves), ("x, m", "velocity of the nodes, m/s", shapes)], early=[1])


def bouncing_ball(runs):
    """The first impact, on a block inclined by 30 degrees, against Hertz; all impacts of the ball; and the total energy."""
    for run in runs:
        forces, bodies, steps = table(run, "forces"), table(run, "bodies"), history(run)
        along = lambda row, kind, unit: 0.5 * row[f"body_3_{kind}_x_{unit}"] + math.sqrt(0.75) * row[f"body_3_{kind}_z_{unit}"]
        speed = lambda row, body: math.hypot(*(row[f"body_{body}_velocity_{axis}_m_s"] for axis in "xyz"))
        touches = [any(row[f"body_3_force_{axis}_N"] for axis in "xyz") for row in forces]
        impacts = [(k, next((j for j in range(k, len(touches)) if not touches[j]), len(touches) - 1)) for k in range(1, len(touches)) if touches[k] and not touches[k - 1]]
        first, last = impacts[0]
        before, after = (along(bodies[k], "velocity", "m_s") for k in (first - 1, last))
        mass = 2 * steps[first - 1]["kinetic_energy_J"] / speed(bodies[first - 1], 3) ** 2
        lost = {key: 1000 * (steps[last][f"dissipated_{key}_J"] - steps[first - 1][f"dissipated_{key}_J"]) for key in ("normal", "friction", "material")}
        energy = [row["kinetic_energy_J"] + row["potential_energy_J"] + row["stored_energy_J"] for row in steps]
        radius, modulus = 0.02, 8e7 / (1 - 0.4 ** 2)
        depth = (15 * mass * before ** 2 / (16 * math.sqrt(radius) * modulus)) ** 0.4
        print(f"{label(run)}: contact {1000 * (bodies[last]['time_s'] - bodies[first]['time_s']):.2f} ms, Hertz {1000 * 2.9432 * depth / -before:.2f}; "
              f"greatest normal force {max(abs(along(row, 'force', 'N')) for row in forces[first:last]):.1f} N, Hertz {4 / 3 * math.sqrt(radius) * modulus * depth ** 1.5:.1f}; "
              f"normal velocity {before:.4f} to {after:.4f} m/s, ratio {-after / before:.3f}, spin {bodies[last]['body_3_spin_y_rad_s']:.1f} rad/s; "
              f"kinetic energy {1000 * steps[first - 1]['kinetic_energy_J']:.2f} mJ, lost {', '.join(f'{key} {value:.2f}' for key, value in lost.items())}")
        for first, last in impacts[1:]:
            momentum = [[m * bodies[j][f"body_{k}_velocity_x_m_s"] for j in (first - 1, last)] for k, m in ((3, mass), (2, 0.1152))]
            print(f"  {bodies[first]['time_s']:.4f} s: speed of the ball {speed(bodies[first - 1], 3):.3f} to {speed(bodies[last], 3):.3f} m/s, of the free block {speed(bodies[first - 1], 2):.3f} to {speed(bodies[last], 2):.3f} m/s; "
                  f"momentum along x, ball {1000 * (momentum[0][1] - momentum[0][0]):.2f}, free block {1000 * (momentum[1][1] - momentum[1][0]):.2f} mN s")
        end = steps[-1]
        print(f"  total energy {1000 * energy[0]:.2f} to {1000 * energy[-1]:.2f} mJ, greatest rise in a step {max(b - a for a, b in zip(energy, energy[1:])):.1g} J; dissipated along normals {1000 * end['dissipated_normal_J']:.2f}, "
              f"by friction {1000 * end['dissipated_friction_J']:.2f}, in the material {1000 * end['dissipated_material_J']:.2f} mJ; steps at the cap {sum(r['converged'] == 0 for r in steps)} of {len(steps)}")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2:])
