"""The gallery's pictures: what an example drew last, by a display or by pyplot."""

from __future__ import annotations

from typing import Any

from sphinx_gallery.scrapers import figure_rst, matplotlib_scraper

from calibrant.plots import Drawing


def scrape(
    block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **options: Any
) -> str:
    """Return the pictures of a block; the gallery keeps its last value as ``___``."""
    pictures = str(matplotlib_scraper(block, block_vars, gallery_conf, **options))
    values = block_vars["example_globals"]
    last = values.get("___")
    if not isinstance(last, Drawing) or last is values.get("_last_drawing"):
        return pictures
    values["_last_drawing"] = last  # a block without its own value leaves it unchanged
    path = next(block_vars["image_path_iterator"])
    last.figure.savefig(path, dpi=120, bbox_inches="tight")
    return pictures + str(figure_rst([path], gallery_conf["src_dir"]))
