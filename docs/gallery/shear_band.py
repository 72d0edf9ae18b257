#!/usr/bin/env python3
"""Inclination of the shear band in a biaxial test.

python3 docs/gallery/shear_band.py FROM TO RUN ...

RUN is a folder with measures/grains.csv, positions of all disks. Displacements between the times FROM and TO give the shear strain
around each disk: half the difference of the principal values of the best linear fit to the displacements of the disks within
NEAR. The band is the strip of width WIDTH, through the whole sample, whose disks have the greatest mean shear strain; its
inclination to the horizontal and the ratio of that mean to the mean over the others are printed, for each run and for the mean of
the ratios of all runs. Only the standard library.
"""

import csv
import math
import sys

NEAR = 0.5
WIDTH = 0.6
# A strip must hold this many disks, lest it cut off a corner.
FEWEST = 20


def positions(run, time):
    """Positions of the disks at the row nearest to a time."""
    with open(f"{run}/measures/grains.csv") as file:
        rows = list(csv.DictReader(file))
    row = min(rows, key=lambda row: abs(float(row["time_s"]) - time))
    ids = sorted(int(key.split("_")[1]) for key in row if key.endswith("_position_x_m"))
    return [tuple(float(row[f"body_{body}_position_{axis}_m"]) for axis in "xy") for body in ids]


def shear(before, after, disk):
    """Shear strain around a disk."""
    x, y = before[disk]
    near = [k for k, (a, b) in enumerate(before) if math.hypot(a - x, b - y) < NEAR]
    mean = [sum(points[k][axis] for k in near) / len(near) for points in (before, after) for axis in (0, 1)]
    sums = [0.0] * 7
    for k in near:
        p, q = before[k][0] - mean[0], before[k][1] - mean[1]
        u = after[k][0] - mean[2] - p
        v = after[k][1] - mean[3] - q
        for number, term in enumerate((p * p, p * q, q * q, u * p, u * q, v * p, v * q)):
            sums[number] += term
    pp, pq, qq, up, uq, vp, vq = sums
    det = pp * qq - pq * pq
    xx, xy = (up * qq - uq * pq) / det, (uq * pp - up * pq) / det
    yx, yy = (vp * qq - vq * pq) / det, (vq * pp - vp * pq) / det
    return math.hypot(0.5 * (xx - yy), 0.5 * (xy + yx))


def contrasts(before, strains):
    """For each inclination, 0 to 89 degrees, the greatest ratio of the mean shear strain in a strip to that outside."""
    total, found = sum(strains), [0.0] * 90
    for degrees in range(-89, 90):
        angle = math.radians(degrees)
        places = [-x * math.sin(angle) + y * math.cos(angle) for x, y in before]
        low = min(places)
        while low < max(places):
            inside = [s for s, place in zip(strains, places) if low <= place < low + WIDTH]
            outside = len(strains) - len(inside)
            if min(len(inside), outside) >= FEWEST:
                ratio = sum(inside) / len(inside) / ((total - sum(inside)) / outside)
                found[abs(degrees)] = max(found[abs(degrees)], ratio)
            low += 0.1
    return found


def main():
    start, end, runs = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    pooled = [0.0] * 90
    for run in runs:
        before, after = positions(run, start), positions(run, end)
        found = contrasts(before, [shear(before, after, disk) for disk in range(len(before))])
        pooled = [sum(pair) for pair in zip(pooled, found)]
        print(f"{run}: band at {found.index(max(found))} degrees, shear {max(found):.1f} times that outside")
    print(f"all: band at {pooled.index(max(pooled))} degrees, shear {max(pooled) / len(runs):.1f} times that outside")
    print("by inclination:", ", ".join(f"{angle}: {pooled[angle] / len(runs):.2f}" for angle in range(0, 90, 5)))


main()
