#!/usr/bin/env python3
"""Reads frames.vtkhdf as ParaView does and tells what every step holds.

    read_frames.py FILE

One line a step: time, points, vertices, lines, polygons; then one line an array with the least and
greatest of its components. Exits with 1 and a reason when VTK cannot read the file, when what it
reads contradicts itself, or when it differs from the counters in the file (compared where h5py is
installed). Needs the Python packages vtk (9.3 or later) and numpy.
"""

import sys

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

try:
    import h5py
except ImportError:
    h5py = None


def demand(fact, reason):
    if not fact:
        sys.exit(f"read_frames.py: {reason}")


def complaints_of(reader):
    """VTK prints its errors and goes on; here they count."""
    heard = []

    def hear(_caller, _event, message="no message"):
        heard.append(message)

    hear.CallDataType = "string0"
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, hear)
        reader.GetExecutive().AddObserver(event, hear)
    return heard


def check_cells(name, cells, points, step):
    offsets = vtk_to_numpy(cells.GetOffsetsArray())
    ids = vtk_to_numpy(cells.GetConnectivityArray())
    if cells.GetNumberOfCells() == 0:
        demand(len(ids) == 0, f"step {step}: {name}: ids without cells")
        return
    demand(offsets[0] == 0, f"step {step}: {name}: offsets start at {offsets[0]}")
    demand(numpy.all(numpy.diff(offsets) > 0), f"step {step}: {name}: offsets do not grow")
    demand(offsets[-1] == len(ids), f"step {step}: {name}: offsets end at {offsets[-1]}")
    demand(
        0 <= ids.min() and ids.max() < points,
        f"step {step}: {name}: point ids {ids.min()} to {ids.max()} of {points} points",
    )


def tell_arrays(place, attributes, count, step):
    for index in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(index)
        demand(array is not None, f"step {step}: array {index} on {place} is unreadable")
        name, values = array.GetName(), vtk_to_numpy(array)
        demand(
            array.GetNumberOfTuples() == count,
            f"step {step}: {name} has {array.GetNumberOfTuples()} rows for {count} {place}",
        )
        demand(numpy.all(numpy.isfinite(values)), f"step {step}: {name} is not finite")
        bounds = f"{values.min():.9g} {values.max():.9g}" if values.size else "- -"
        width = array.GetNumberOfComponents()
        print(f"  {place} {name} {values.dtype} x{width} {bounds}")


def counters(path):
    """Points, vertices, lines and polygons of each step as the file itself has them."""
    if h5py is None:
        print("read_frames.py: h5py is not installed, counters not compared", file=sys.stderr)
        return None
    with h5py.File(path, "r", locking=False) as file:
        root = file["VTKHDF"]
        demand(root.attrs["Type"] == b"PolyData", f"type {root.attrs['Type']}")
        steps = int(root["Steps"].attrs["NSteps"])
        names = ["NumberOfPoints"] + [
            f"{kind}/NumberOfCells" for kind in ("Vertices", "Lines", "Polygons")
        ]
        rows = numpy.array([root[name][:steps] for name in names]).T
        return root["Steps/Values"][:steps], rows


def main(path):
    reader = vtkHDFReader()
    heard = complaints_of(reader)
    demand(reader.CanReadFile(path), f"VTK cannot read {path}")
    reader.SetFileName(path)
    reader.UpdateInformation()
    demand(not heard, f"VTK complains: {heard}")
    information = reader.GetOutputInformation(0)
    times = information.Get(Pipeline.TIME_STEPS()) or ()
    expected = counters(path)
    if expected is not None:
        demand(
            numpy.array_equal(expected[0], times),
            f"VTK sees {len(times)} times, the file has {len(expected[0])}, or others",
        )
    for step, time in enumerate(times):
        reader.UpdateTimeStep(time)
        data = reader.GetOutputDataObject(0)
        demand(not heard, f"step {step}: VTK complains: {heard}")
        demand(data.IsA("vtkPolyData"), f"step {step}: {data.GetClassName()}, not vtkPolyData")
        # Not the DATA_TIME_STEP of the output: VTK 9.3 and 9.4 put the time of the step before there.
        own = reader.GetTimeValue()
        demand(own == time, f"step {step}: asked for time {time}, got {own}")
        kinds = {"vertices": data.GetVerts(), "lines": data.GetLines(), "polygons": data.GetPolys()}
        demand(data.GetNumberOfStrips() == 0, f"step {step}: strips")
        points = data.GetNumberOfPoints()
        for name, cells in kinds.items():
            check_cells(name, cells, points, step)
        counts = [points] + [cells.GetNumberOfCells() for cells in kinds.values()]
        if expected is not None:
            told = expected[1][step].tolist()
            demand(counts == told, f"step {step}: VTK counts {counts}, the file {told}")
        print(f"step {step} time {time!r} points {points}", end="")
        print("".join(f" {name} {count}" for name, count in zip(kinds, counts[1:])))
        if points:
            place = vtk_to_numpy(data.GetPoints().GetData())
            demand(numpy.all(numpy.isfinite(place)), f"step {step}: a point is not finite")
            print(f"  points position {place.dtype} x3 {place.min():.9g} {place.max():.9g}")
        tell_arrays("points", data.GetPointData(), points, step)
        tell_arrays("cells", data.GetCellData(), sum(counts[1:]), step)
    print(f"{len(times)} steps")


if __name__ == "__main__":
    demand(len(sys.argv) == 2, "usage: read_frames.py FILE")
    main(sys.argv[1])
