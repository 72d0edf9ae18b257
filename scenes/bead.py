"""Mesh of the spheres of bead-chain.toml: hexahedra, refined at the two points of the x axis where beads touch.

python3 scenes/bead.py > scenes/bead.vtk     radius 1 m
"""
import math

ACROSS = [-1, -0.3, -0.13, -0.07, -0.03, 0.01, 0.05, 0.09, 0.16, 0.32, 1]      # grid of the cube
ALONG = [-1, -0.93, -0.8, -0.5, 0, 0.5, 0.8, 0.93, 1]


def sphere(x, y, z):
    """The point of the unit ball that the point of the cube is mapped to, along its ray."""
    norm = math.sqrt(x * x + y * y + z * z)
    scale = max(abs(x), abs(y), abs(z)) / norm if norm > 0 else 1
    return x * scale, y * scale, z * scale


def main():
    xs, ys, zs = ALONG, ACROSS, ACROSS
    index = lambda i, j, k: (k * len(ys) + j) * len(xs) + i
    points = [sphere(x, y, z) for z in zs for y in ys for x in xs]
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = [[index(i + a, j + b, k + c) for a, b, c in corners]
             for k in range(len(zs) - 1) for j in range(len(ys) - 1) for i in range(len(xs) - 1)]
    print("# vtk DataFile Version 3.0\nmesh of a sphere\nASCII\nDATASET UNSTRUCTURED_GRID")
    print(f"POINTS {len(points)} double")
    for point in points:
        print(*(f"{value:.9g}" for value in point))
    print(f"CELLS {len(cells)} {9 * len(cells)}")
    for cell in cells:
        print(8, *cell)
    print(f"CELL_TYPES {len(cells)}")
    print("\n".join(["12"] * len(cells)))


main()
