"""Displacements of bodies between two checkpoints of a run as arrows, less their mean strain: the pattern of the deformation. Needs h5py.

python3 docs/gallery/displacements.py OUT.svg FIRST.h5 SECOND.h5 [THIRD.h5 FOURTH.h5]     one panel for each pair, in two dimensions
"""
import sys

import h5py
import numpy as np

SIDE = 420


def moment(path):
    with h5py.File(path, "r") as file:
        ids, x, motion = (file["bodies/" + name][:] for name in ("id", "position", "motion"))
        return ids[motion == 2**32 - 1], x[motion == 2**32 - 1], file.attrs["time"]


def panel(left, first, second):
    ids, before, start = moment(first)
    others, after, end = moment(second)
    assert (ids == others).all(), "the same bodies"
    moved = after - before
    # The uniform part: moved = G x + c, by least squares.
    base = np.column_stack([before, np.ones(len(before))])
    rest = moved - base @ np.linalg.lstsq(base, moved, rcond=None)[0]
    low, high = before.min(axis=0), before.max(axis=0)
    scale = (SIDE - 40) / (high - low).max()
    longer = 12 / (scale * np.percentile(np.hypot(*rest.T), 90))
    place = lambda x: (left + 20 + scale * (x[0] - low[0]), SIDE - 30 - scale * (x[1] - low[1]))
    out = []
    for x, way in zip(before, rest * longer):
        (x1, y1), (x2, y2) = place(x), place(x + way)
        out.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#1f4e8c"/><circle cx="{x2:.1f}" cy="{y2:.1f}" r="1.3" fill="#b5331d"/>')
    out.append(f'<text x="{left + 20}" y="{SIDE - 8}">{start:.2f} to {end:.2f} s, {longer:.0f} times</text>')
    share = np.sqrt((rest**2).sum() / (moved - moved.mean(axis=0)).var(axis=0).sum() / len(rest))
    print(f"{start:.3f} to {end:.3f} s: what is not uniform is {share:.2f} of the displacement, root mean square")
    return out


if __name__ == "__main__":
    pairs = list(zip(sys.argv[2::2], sys.argv[3::2]))
    body = [line for k, pair in enumerate(pairs) for line in panel(k * SIDE, *pair)]
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIDE * len(pairs)}" height="{SIDE}" font-family="sans-serif" font-size="12">'
                   '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n")
