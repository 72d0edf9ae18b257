"""Overlaps in the corner of the sandbox, from the checkpoints of runs; needs h5py and numpy.

python3 docs/gallery/corner.py EDGE DIR...     mean over the moments in which the wall has moved; the corner reaches EDGE metres from the wall and up
"""
import glob
import os
import sys

import h5py
import numpy as np


def overlaps(path, edge):
    with h5py.File(path, "r") as file:
        ids, x, radius = (file["bodies/" + name][:] for name in ("id", "position", "size"))
    wall = x[ids == 0][0][0]
    near = (ids > 2) & (x[:, 0] < wall + edge) & (x[:, 1] < edge)
    x, radius = x[near], radius[near]
    first, second = np.triu_indices(len(x), 1)
    between = radius[first] + radius[second] - np.hypot(*(x[first] - x[second]).T)
    depth = np.concatenate([between, radius - (x[:, 0] - wall), radius - x[:, 1]])
    return wall, depth[depth > 0] / 0.5


if __name__ == "__main__":
    for run in sys.argv[2:]:
        moments = [overlaps(path, float(sys.argv[1])) for path in sorted(glob.glob(os.path.join(run, "checkpoints", "*.h5")))]
        depths = [depth for wall, depth in moments if wall > 0]
        print(f"{os.path.basename(os.path.normpath(run))}: {len(depths)} moments, mean overlap over mean radius {np.mean([d.mean() for d in depths]):.2e}, "
              f"deepest, on the mean {np.mean([d.max() for d in depths]):.2e}; first and last moment {depths[0].mean():.1e}, {depths[-1].mean():.1e}")
