"""Make the pictures of the demo report in docs/_static: ``python tools/make_screenshots.py``.

Needs the extra ``browser`` and Debian's Chromium, or another one named in CALIBRANT_CHROMIUM.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import calibrant as cal
from calibrant.demo import load_digits_predictions

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
#: name, element to show, and whether the sections are expanded
PICTURES = (
    ("report-verdict.png", "header, .cards", False),
    ("report-reliability.png", "section[aria-labelledby=reliability]", True),
)
#: margin around a screenshot
MARGIN = 14
WIDTH = 1180


def main() -> None:
    """Write the report and take the screenshots."""
    models = load_digits_predictions()
    shown = {name: models[name] for name in ("neural_network", "neural_network_scaled")}
    title = "Can these classifiers of handwritten digits be trusted?"
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "calibration.html"
        cal.Report(None, shown, title=title, repair=True, rng=0).write_html(path)
        chromium = os.environ.get("CALIBRANT_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        page.goto(path.as_uri())
        for name, shown_elements, unfold in PICTURES:
            page.evaluate(
                "open => document.querySelectorAll('.fold').forEach(d => { d.open = open; })",
                unfold,
            )
            boxes = [element.bounding_box() for element in page.locator(shown_elements).all()]
            top = max(0.0, min(box["y"] for box in boxes) - MARGIN)
            bottom = max(box["y"] + box["height"] for box in boxes) + MARGIN
            clip = {"x": 0, "y": top, "width": WIDTH, "height": bottom - top}
            taken = page.screenshot(clip=clip, full_page=True)
            few = Image.open(io.BytesIO(taken)).convert("P", palette=Image.Palette.ADAPTIVE)
            few.save(FOLDER / name, optimize=True)
            print(f"{FOLDER / name}: {(FOLDER / name).stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
