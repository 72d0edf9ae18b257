#!/usr/bin/env python3
"""A larger arena: two rings of twenty arcades, the outer one of two storeys, slabs from ring to ring; 820 blocks laid dry.
Writes the scene to standard output: python3 scenes/arena-full.py > arena-full.toml. docs/gallery/arena.md"""

import math

BAYS = 20
HALF = math.pi / BAYS          # half the angle of a bay
BLOCKS = 7                     # of an arch

HEAD = """\
# Two rings of twenty arcades after the Roman manner, the outer one of two storeys, and slabs from ring to ring: 820 blocks laid dry.
# Half a second of dead load; then the ground shakes along x for a second, 2 Hz, at two thirds of gravity.
# Look at the pressure in the joints at 0.5 s (nscdd draw --by pressure --time 0.5), and at the arches that have opened after.

[world]
dimension = 3

[time]
step = 1e-3
end = 1.75

[domain]
subdomains = 8

[solver]
tolerance = 1e-3
max_sweeps = 1000

[materials.stone]
density = 2200

[[laws]]
between = ["*", "*"]
coulomb = { friction = 0.6 }

[[bodies]]
id = 0
material = "stone"
plane = { normal = [0, 0, 1] }
position = [0, 0, 0]

[bodies.driven]
hold = true
velocity.x.points = [[0.5, 0], [0.625, 0.8], [0.875, -0.8], [1.125, 0.8], [1.375, -0.8], [1.5, 0]]

[[measure]]
name = "ground"
every = 0.01
reaction = { bodies = [0] }

[[measure]]                       # one keystone of each storey, every fifth bay
name = "keystones"
every = 0.01
track = { bodies = [%s] }

[[measure]]
every = 0.01
energy = {}

[output]
frames = { every = 0.125 }
"""


def turned(point, bay):
    x, y = point
    c, s = math.cos(2 * HALF * bay), math.sin(2 * HALF * bay)
    return (c * x - s * y, s * x + c * y)


def prism(corners, low, high):
    return [(x, y, z) for z in (low, high) for x, y in corners]


def between(bay, inner, outer, edge):
    """What stands between the flanks of a bay and the next, from `edge` beside the middle of one to the same of the other."""
    own = [(inner, edge), (outer, edge), (outer, outer * math.tan(HALF))]
    after = [turned((r, -edge), 1) for r in (inner, outer)]
    return [turned(p, bay) for p in own + after]


def arch(bay, inner, outer, opening, half, spring, top):
    """Blocks with joints that point to the centre of the arch, a flat top and flat sides, inside a chord for each block."""
    def out(angle):
        c, s = math.cos(angle), math.sin(angle)
        return min(half / abs(c) if abs(c) > 1e-12 else math.inf, (top - spring) / s if s > 1e-12 else math.inf)
    corner = math.atan2(top - spring, half)
    for k in range(BLOCKS):
        low, high = math.pi * k / BLOCKS, math.pi * (k + 1) / BLOCKS
        angles = [low] + [a for a in (corner, math.pi - corner) if low < a < high] + [high]
        front = [(opening * math.cos(a), opening * math.sin(a)) for a in (low, high)]
        front += [(out(a) * math.cos(a), out(a) * math.sin(a)) for a in angles]
        yield [(*turned((r, u), bay), spring + z) for r in (inner, outer) for u, z in front]


def ring(inner, outer, opening, half, base, blocks, keystones):
    """One storey: piers of three blocks, arches, wedges between them, a course on top. Its height is 2.25 m."""
    for bay in range(BAYS):
        for k in range(3):
            blocks.append(prism(between(bay, inner, outer, opening), base + 0.4 * k, base + 0.4 * (k + 1)))
        arched = list(arch(bay, inner, outer, opening, half, base + 1.2, base + 2.0))
        if bay % 5 == 0:
            keystones.append(len(blocks) + 1 + BLOCKS // 2)
        blocks += arched
        blocks.append(prism(between(bay, inner, outer, half), base + 1.2, base + 2.0))
        edge = 0.5 * half
        middle = [turned(p, bay) for p in [(inner, -edge), (inner, edge), (outer, -edge), (outer, edge)]]
        blocks.append(prism(middle, base + 2.0, base + 2.25))
        blocks.append(prism(between(bay, inner, outer, edge), base + 2.0, base + 2.25))


blocks, keystones = [], []
ring(4.4, 5.0, 0.4, 0.55, 0.0, blocks, keystones)
ring(6.6, 7.8, 0.6, 0.8, 0.0, blocks, keystones)
ring(7.0, 7.8, 0.6, 0.8, 2.25, blocks, keystones)
for bay in range(BAYS):
    for part in (0.0, 0.5):
        slab = [(r, u) for r in (4.5, 6.95) for u in (-0.28, 0.28)]
        blocks.append(prism([turned(p, bay + part) for p in slab], 2.25, 2.45))

print(HEAD % ", ".join(map(str, keystones)))
for corners in blocks:
    rows = ", ".join("[" + ", ".join(f"{x:.6f}" for x in corner) + "]" for corner in corners)
    print(f'[[bodies]]\nmaterial = "stone"\npolyhedron.vertices = [{rows}]\n')
