#!/usr/bin/env python3
"""Computes stress, coordination number and fabric anew from the contacts that `nscdd post` wrote, with numpy, and compares.

    check_measures.py POST.H5

Exits with 1 and a reason where a number is not the one in the file.
"""

import sys

import h5py
import numpy


def agree(name, own, theirs, tolerance=1e-12):
    scale = max(1e-300, numpy.abs(own).max())
    off = numpy.abs(own - theirs).max() / scale
    if not off <= tolerance:
        sys.exit(f"check_measures.py: {name}: {own} here, {theirs} in the file")
    print(f"{name}: agrees to {off:.1e}")


with h5py.File(sys.argv[1], "r") as file:
    dimension = int(file.attrs["dimension"])
    axes = "xyz"[:dimension]
    contacts = {name: column[:] for name, column in file["contacts"].items()}
    grains = {name: column[:] for name, column in file["grains"].items()}
    for group in (file["contacts"], file["grains"], file["measure_stress"]):
        for name, column in group.items():
            if "unit" not in column.attrs or not column.attrs["description"]:
                sys.exit(f"check_measures.py: {column.name} is not described")

    def tensor(group, name):
        return numpy.array([[file[f"{group}/{name}_{i}{j}"][0] for j in axes] for i in axes])

    volume = file["measure_stress/volume"][0]
    moment = numpy.einsum("ki,kj->ij", contacts["force"], contacts["branch"])
    agree("stress", moment / volume, tensor("measure_stress", "stress"))
    agree("solid fraction", grains["volume"].sum() / volume, file["measure_stress/solid_fraction"][0])

    sides = [(contacts["first"], contacts["first_is_grain"]), (contacts["second"], contacts["second_is_grain"])]
    real = (contacts["is_link"] == 0) & ((sides[0][1] | sides[1][1]) == 1)
    normals = contacts["normal"][real]
    fabric = numpy.einsum("ki,kj->ij", normals, normals) / len(normals)
    agree("fabric", fabric, tensor("measure_contacts", "fabric"))

    # Rattlers go until there are none; walls stay.
    kept = dict.fromkeys(grains["id"].tolist(), True)
    pairs = [
        [identity if is_grain else None for identity, is_grain in pair]
        for pair in zip(zip(sides[0][0][real].tolist(), sides[0][1][real]), zip(sides[1][0][real].tolist(), sides[1][1][real]))
    ]

    def counts():
        count = dict.fromkeys(kept, 0)
        for pair in pairs:
            if all(end is None or kept[end] for end in pair):
                for end in pair:
                    if end is not None:
                        count[end] += 1
        return count

    first = counts()
    agree("coordination number", numpy.mean(list(first.values())), file["measure_contacts/coordination_number"][0])
    while True:
        loose = [grain for grain, count in counts().items() if kept[grain] and count < 2]
        if not loose:
            break
        kept.update(dict.fromkeys(loose, False))
    last = counts()
    backbone = [last[grain] for grain in kept if kept[grain]]
    agree("rattlers", len(kept) - len(backbone), file["measure_contacts/rattlers"][0])
    without = file["measure_contacts/coordination_number_without_rattlers"][0]
    agree("coordination number without rattlers", numpy.mean(backbone), without)
    forces = numpy.einsum("ki,ki->k", contacts["force"][real], normals)
    forces = forces[forces > 0]
    agree("mean normal force", forces.mean(), file["measure_forces/mean_normal_force"][0])
    agree("weak share", (forces < forces.mean()).mean(), file["measure_forces/weak_share"][0], 2.0 / len(forces))
    print(f"{len(forces)} contacts, {len(kept)} grains, {len(kept) - len(backbone)} rattlers")
