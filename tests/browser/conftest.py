"""A real browser, if available, and axe-core to check its pages."""

import os
import shutil
from pathlib import Path

import pytest

#: Debian's Chromium without its conversations with the world
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CALIBRANT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium; install it, or name it in CALIBRANT_CHROMIUM")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core."""
    named = os.environ.get("CALIBRANT_AXE")
    path = Path(named) if named else ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip(f"axe-core is not at {path}; npm install axe-core, or name it in CALIBRANT_AXE")
    return path.read_text("utf-8")


class Visit:
    """One look at a page, and everything it asked for or complained about."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        self.page = self.context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)


@pytest.fixture
def visit(browser):
    """Open a page; at the end it must have loaded nothing else, and said nothing."""
    visits = []

    def visit(path, **options):
        visits.append((Visit(browser, path, **options), path.as_uri()))
        return visits[-1][0].page

    yield visit
    for one, address in visits:
        assert [url for url in one.requests if not url.startswith((address, "data:"))] == []
        assert one.complaints == []
        one.context.close()
