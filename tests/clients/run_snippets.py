#!/usr/bin/env python3
"""Runs the Python snippets of a Markdown page, each in a fresh namespace, in the present folder.

    run_snippets.py PAGE [--without PACKAGE]

Says which line each begins at and what it prints. Exits with 1 where a snippet fails; the traceback has the lines of the page.
Snippets that import PACKAGE are left out.
"""

import re
import sys
import traceback

page = sys.argv[1]
left_out = sys.argv[3] if len(sys.argv) > 3 and sys.argv[2] == "--without" else None
text = open(page, encoding="utf-8").read()
ran = 0
for block in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    line = text.count("\n", 0, block.start(1)) + 1
    code = block.group(1)
    if left_out and re.search(rf"^(import|from) {left_out}\b", code, re.MULTILINE):
        print(f"== {page}:{line}: left out, it needs {left_out}")
        continue
    print(f"== {page}:{line}", flush=True)
    try:
        # As many empty lines as there are before it, so that a traceback points into the page.
        exec(compile("\n" * (line - 1) + code, page, "exec"), {"__name__": "snippet"})
    except Exception:
        traceback.print_exc()
        sys.exit(f"run_snippets.py: the snippet at line {line} failed")
    ran += 1
print(f"{ran} snippets ran")
