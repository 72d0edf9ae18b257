#!/usr/bin/env python3
"""Opens a checkpoint as a user would, with h5py, and tells what is in it.

    read_checkpoint.py FILE

Exits with 1 and a reason where a column that every checkpoint has is missing, has no unit or description, or holds
what cannot be: ids out of order, quaternions that are not of length one, indices beyond their tables.
"""

import sys

import h5py
import numpy


def demand(fact, reason):
    if not fact:
        sys.exit(f"read_checkpoint.py: {reason}")


with h5py.File(sys.argv[1], "r") as file:
    dimension = int(file.attrs["dimension"])
    bodies, contacts = file["bodies"], file["contacts"]
    names = ["id", "position", "orientation", "velocity", "spin", "material", "shape", "size", "mass", "motion"]
    for name in names:
        demand(name in bodies, f"bodies/{name} is missing")
    for group in (bodies, contacts):
        for name, column in group.items():
            demand("unit" in column.attrs and column.attrs["description"], f"{column.name} is not described")
    ids = bodies["id"][:]
    demand((numpy.diff(ids.astype(numpy.int64)) > 0).all(), "ids are not in order")
    demand(bodies["position"].shape == (len(ids), dimension), "positions of another dimension")
    if dimension == 3:
        lengths = numpy.linalg.norm(bodies["orientation"][:], axis=1)
        demand(numpy.abs(lengths - 1).max() < 1e-9, "quaternions that are not of length one")
    demand(bodies["material"][:].max() < len(file["materials/name"]), "a material that is not there")
    demand(bodies["shape"][:].max() < len(file["shapes/kind"]), "a shape that is not there")
    demand(numpy.isin(contacts["first"][:], ids).all(), "a contact of a body that is not there")
    demand((contacts["normal_impulse"][:] >= 0).all(), "a contact that pulls")
    scene = file.attrs["scene"]
    demand("[world]" in scene, "no scene")
    moving = bodies["motion"][:] == 0xFFFFFFFF
    mass = bodies["mass"][moving].sum()
    print(f"{file.attrs['program']}: {dimension}D, step {file.attrs['step']}, time {file.attrs['time']} s")
    print(f"{len(ids)} bodies, {moving.sum()} of them free with {mass:.6f} kg, {len(contacts['first'])} contacts")
    print("materials:", ", ".join(name.decode() for name in file["materials/name"][:]))
