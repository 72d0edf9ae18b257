#!/usr/bin/env python3
"""Makes the figures of the gallery anew: runs the commands of its pages, many runs at a time.

python3 docs/gallery/rerun.py [--program nscdd] [--jobs N] [--without WORD ...] [--pass 1|2] [PAGE ...]

Pass 1 makes all `nscdd run` of the pages, each on one thread; pass 2 everything else in the order of the page: pictures go to
docs/gallery, what commands print to out/gallery/PAGE/said. Blocks of commands with a WORD in them are left out. From the root of
the repository; each page has its own folder out/gallery/PAGE.
"""

import argparse
import os
import pathlib
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path("docs/gallery")

# Pass 1 only collects the runs; programs that read their results are run in pass 2.
NOTE = """
nscdd() { if [ "$1" = run ]; then printf '%s\\0' "$@" >> runs; printf '\\n\\0' >> runs; fi; }
python3() { case "$1" in *docs/gallery/*) ;; *) command python3 "$@" ;; esac; }
cd() { true; }
"""
USE = """
nscdd() { if [ "$1" != run ]; then echo "\\$ nscdd $*"; "$PROGRAM" "$@"; fi; }
python3() { case "$1" in *docs/gallery/*) echo "\\$ python3 $*" ;; esac; command python3 "$@"; }
"""


def blocks(page, without):
    """The blocks of commands of a page."""
    text = (HERE / f"{page}.md").read_text()
    found = re.findall(r"```\n(.*?)```", text, re.S)
    return [block for block in found if "nscdd " in block and not any(word in block for word in without)]


def folder(page):
    """Where the commands of a page are run: as if in the root, but with outcomes of its own."""
    place = pathlib.Path("out/gallery") / page
    (place / "out").mkdir(parents=True, exist_ok=True)
    for name in ("scenes", "docs"):
        link = place / name
        if not link.is_symlink():
            link.symlink_to(pathlib.Path(name).resolve())
    return place


def noted(page, without):
    """The runs of a page."""
    place = folder(page)
    (place / "runs").write_text("")
    for block in blocks(page, without):
        subprocess.run(["bash", "-c", NOTE + block], cwd=place, check=False, stdout=subprocess.DEVNULL)
    runs = (place / "runs").read_text().split("\n\0")[:-1]
    return [(place, run.split("\0")[:-1]) for run in runs]


def make(program, place, words):
    """One run."""
    begin = time.time()
    threads = [] if "--threads" in words else ["--threads", "1"]
    done = subprocess.run([program, *words, *threads, "--overwrite", "-q"], cwd=place, capture_output=True, text=True)
    print(f"{time.time() - begin:7.1f} s, code {done.returncode}: {place.name}: {' '.join(words)[:110]}", flush=True)


def finish(program, page, without):
    """Everything but the runs."""
    place = folder(page)
    with open(place / "said", "w") as said:
        for block in blocks(page, without):
            environment = {**os.environ, "PROGRAM": program}
            subprocess.run(["bash", "-c", USE + block], cwd=place, env=environment, stdout=said, stderr=said, check=False)
    print(f"{place / 'said'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="nscdd")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--pass", type=int, choices=[1, 2], dest="only")
    parser.add_argument("pages", nargs="*")
    given = parser.parse_args()
    pages = given.pages or sorted(path.stem for path in HERE.glob("*.md") if path.stem != "README")
    with ThreadPoolExecutor(given.jobs) as pool:
        if given.only != 2:
            runs = [run for page in pages for run in noted(page, given.without)]
            list(pool.map(lambda run: make(given.program, *run), runs))
        if given.only != 1:
            list(pool.map(lambda page: finish(given.program, page, given.without), pages))


if __name__ == "__main__":
    main()
