"""Opens a report in a headless Chromium, plays it, changes the colour, picks a body, and looks at what is drawn.

usage: open_report.py REPORT SCREENSHOT [--dark] [--no-gl] [--at SHARE] [--chains] [--film-only] [--width PX] [--height PX]
"""

import argparse
import os
import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

parser = argparse.ArgumentParser()
parser.add_argument("report")
parser.add_argument("screenshot")
parser.add_argument("--dark", action="store_true")
parser.add_argument("--no-gl", action="store_true")
parser.add_argument("--chains", action="store_true")
parser.add_argument("--film-only", action="store_true", help="a picture of the film, not of the page")
parser.add_argument("--at", type=float, default=1.0, help="where in the film to take the picture")
parser.add_argument("--width", type=int, default=1280)
parser.add_argument("--height", type=int, help="a picture of the top of the page, so high")
asked = parser.parse_args()

chromium = os.environ.get("NSCDD_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
gl = ["--disable-gpu", "--disable-3d-apis"] if asked.no_gl else software
wrong = []
OWN = ("file:", "data:", "blob:")


def colours(page):
    """How many different colours the canvas shows, in a coarse grid."""
    return page.evaluate(
        """() => {
        const from = document.getElementById("canvas"), to = document.createElement("canvas");
        [to.width, to.height] = [160, 100];
        const pen = to.getContext("2d");
        pen.drawImage(from, 0, 0, 160, 100);
        const { data } = pen.getImageData(0, 0, 160, 100);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) seen.add((data[i] >> 4) * 256 + (data[i + 1] >> 4) * 16 + (data[i + 2] >> 4));
        return { count: seen.size, sum: data.reduce((sum, v, k) => (sum * 31 + v * (k % 7 + 1)) % 1000003, 0) };
    }"""
    )


def rest(page):
    """Waits until the picture is fine and still."""
    page.wait_for_timeout(900)
    page.wait_for_function("() => document.body.dataset.drawn !== undefined")


def until(page, holds, otherwise):
    """Pictures follow when the machine has time for them."""
    for _ in range(120):
        if holds():
            return
        page.wait_for_timeout(500)
    raise AssertionError(otherwise)


def go(page, share):
    """To that share of the film."""
    page.evaluate(
        """(share) => {
        const slider = document.getElementById("slider");
        slider.value = share * slider.max;
        slider.dispatchEvent(new Event("input"));
    }""",
        share,
    )


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", *gl])
    scheme = "dark" if asked.dark else "light"
    page = browser.new_page(viewport={"width": asked.width, "height": asked.height or 900}, color_scheme=scheme)
    # Where a processor stands in for the graphics, a picture may take a second, and more where others work there too.
    page.set_default_timeout(180_000)
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: request.url.startswith(OWN) or wrong.append("loads " + request.url))
    page.goto(pathlib.Path(asked.report).resolve().as_uri())
    page.wait_for_function("() => document.body.dataset.ready === 'yes'")
    charts = page.locator(".plot canvas").count()
    print("charts:", charts, "sections:", page.locator("main > section, #charts > section").count())
    assert charts >= 6, "charts are missing"
    # Values are told under the pointer and by the arrow keys.
    chart = page.locator("#certificate .chart").first
    chart.locator(".u-over").hover()
    chart.locator(".tip").wait_for(state="visible")
    assert "time (s) = " in chart.locator(".tip").inner_text()
    page.mouse.move(0, 0)
    chart.locator(".tip").wait_for(state="hidden")
    chart.locator(".plot").focus()
    page.keyboard.press("ArrowRight")
    first = chart.locator(".tip").inner_text()
    page.keyboard.press("ArrowRight")
    assert chart.locator(".tip").inner_text() != first, "the arrow keys do not move on"
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
    has_film = page.locator("#canvas").count() > 0
    if has_film:
        rest(page)
        print("view:", page.evaluate("() => document.body.dataset.view"))
        until(page, lambda: colours(page)["count"] > 5, "the canvas is blank")
        page.dispatch_event("#play", "click")
        page.wait_for_function("() => Number(document.getElementById('slider').value) > 0")
        if page.get_attribute("#play", "aria-label") == "Pause":
            page.dispatch_event("#play", "click")
        # Where bodies move and touch, colours by speed and by contacts differ.
        go(page, 0.8)
        rest(page)
        before = colours(page)
        page.select_option("#field", "radius")
        rest(page)
        page.select_option("#field", "contacts")
        rest(page)
        until(page, lambda: colours(page)["sum"] != before["sum"], "the colour does not change")
        until(page, lambda: "contacts" in page.inner_text("#legend"), "the legend does not follow")
        page.select_option("#field", "speed")
        go(page, 0.05)
        rest(page)
        # Somewhere, most likely in the middle, is a body.
        box = page.locator("#canvas").bounding_box()
        spots = [(0.5 + 0.04 * i, 0.5 + 0.05 * j) for j in range(-9, 10) for i in range(-12, 13)]
        spots.sort(key=lambda spot: abs(spot[0] - 0.5) + abs(spot[1] - 0.5))
        for x, y in spots:
            page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
            page.wait_for_timeout(60)
            if page.is_visible("#card"):
                break
        page.wait_for_timeout(300)
        assert page.is_visible("#card"), "no body can be picked"
        words = page.inner_text("#card")
        print("picked:", " ".join(words.split()))
        assert "velocity" in words and "position" in words
        page.dispatch_event("#home", "click")
        if asked.chains and page.is_enabled("#chains"):
            page.check("#chains", force=True)
        go(page, asked.at)
        rest(page)
        until(page, lambda: colours(page)["count"] > 5, "the canvas is blank in the end")
    target = pathlib.Path(asked.screenshot)
    page.add_style_tag(content="nav { position: static !important; }")
    page.evaluate("() => scrollTo(0, 0)")
    if asked.film_only:
        page.locator("#film").screenshot(path=target)
    elif asked.height:
        page.screenshot(path=target)
    else:
        page.screenshot(path=target, full_page=True)
    browser.close()

if wrong:
    print("\n".join(wrong))
    sys.exit(1)
print("fine:", target)
