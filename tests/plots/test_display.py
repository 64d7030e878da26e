"""The laws of all displays: real pixels, no changed settings, nothing cut off, nothing shown."""

import dataclasses
import json
import subprocess
import sys
from functools import cache

import matplotlib
import numpy as np
import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

import calibrant as cal
from calibrant import plots
from calibrant.plots._style import STYLE

from .conftest import DISPLAYS, FEW, make_displays, sample, svg_of

pytestmark = pytest.mark.slow

HOSTILE = ("$x_{$", "</script><img onerror=x>", "\x00\n tab\t" + "long " * 20)


@cache
def drawing_of(name):
    """The drawing, made once for all tests that only look."""
    return DISPLAYS[name].plot()


def pixels(figure):
    figure.set_dpi(50)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]


def shown_texts(figure):
    hidden = set()
    for axis in figure.findobj(Axis):
        drawn = axis._update_ticks()  # ticks outside the view are there, but not drawn
        for tick in [*axis.majorTicks, *axis.minorTicks]:
            if tick not in drawn or not axis.axes.axison:
                hidden |= set(tick.findobj(Text))
    return [
        text
        for text in figure.findobj(Text)
        if text.get_visible()
        and text.get_text()
        and text not in hidden
        and text.get_window_extent().width > 0
    ]


def test_a_picture_has_ink_in_all_of_its_axes(name, tmp_path):
    drawing = drawing_of(name)
    drawing.figure.savefig(tmp_path / "picture.png", dpi=60)
    image = imread(tmp_path / "picture.png")[..., :3]
    height, width = image.shape[:2]
    for ax in drawing.axes:
        box = ax.get_position()
        rows = slice(int(height * (1 - box.y1)), int(height * (1 - box.y0)))
        region = image[rows, int(width * box.x0) : int(width * box.x1)]
        assert np.mean(region.min(axis=-1) < 0.9) > 0.01


def test_artists_change_the_pixels(display):
    drawing = display.plot()
    before = pixels(drawing.figure)
    parts = {
        name: artist if isinstance(artist, list) else [artist]
        for name, artist in drawing.artists.items()
    }
    # from the top, as a mark may hide what is under it
    for name in sorted(parts, key=lambda name: -parts[name][0].get_zorder()):
        for part in parts[name]:
            part.set_visible(False)
        after = pixels(drawing.figure)
        assert np.any(before != after), name
        before = after


@cache
def hostile_displays():
    return make_displays(HOSTILE)


@pytest.mark.parametrize("names", ["plain", "hostile"])
def test_no_text_is_cut_off_or_on_top_of_another(names):
    for name, display in (DISPLAYS if names == "plain" else hostile_displays()).items():
        figure = (drawing_of(name) if names == "plain" else display.plot()).figure
        FigureCanvasAgg(figure).draw()
        boxes = [(text.get_text(), text.get_window_extent()) for text in shown_texts(figure)]
        for text, box in boxes:
            inside = box.x0 >= -1 and box.y0 >= -1
            inside &= box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1
            assert inside, f"{name}: {text!r} is cut off"
        for i, (text, box) in enumerate(boxes):
            for other, other_box in boxes[i + 1 :]:
                wide = min(box.x1, other_box.x1) - max(box.x0, other_box.x0)
                high = min(box.y1, other_box.y1) - max(box.y0, other_box.y0)
                assert not (wide > 1.5 and high > 1.5), f"{name}: {text!r} over {other!r}"


def test_names_are_text_and_nothing_else():
    for display in hostile_displays().values():
        svg = plots.to_svg(display)  # mathematics that is none would fail
        assert "<script" not in svg
        assert "<img" not in svg


def test_settings_of_the_user_are_left_alone(display):
    mine = {"font.size": 31.0, "axes.edgecolor": "red", "text.usetex": False, "lines.color": "C3"}
    with matplotlib.rc_context(mine):
        before = dict(matplotlib.rcParams)
        drawing = display.plot()
        display.plot(Figure().add_subplot())
        assert dict(matplotlib.rcParams) == before
        # a figure of its own has its own style, also where ticks are made when it is drawn
        sizes = {text.get_fontsize() for text in shown_texts(drawing.figure)}
        assert max(sizes) < 12


def test_a_given_axes_is_drawn_into(display):
    figure = Figure(figsize=(7, 7))
    ax, other = figure.subplots(1, 2)
    drawing = display.plot(ax)
    assert drawing.ax is ax
    assert drawing.figure is figure
    assert not other.lines
    assert not other.collections
    assert not other.get_title(loc="left")
    assert figure.axes[:2] == [ax, other]


def test_the_legend_can_be_left_out(display):
    drawing = display.plot(legend=False)
    assert not any(ax.get_legend() for ax in drawing.axes)


def test_axes_say_what_they_show(name, display):
    drawing = drawing_of(name)
    words = " ".join(text.get_text() for text in shown_texts(drawing.figure))
    first_words = display.title.split(",")[0].split("(")[0]
    assert first_words in words.replace("\n", " ")
    if not isinstance(display, plots.SimplexDisplay):  # a triangle has corners, no axes
        assert any(ax.get_xlabel() for ax in drawing.axes)


def test_displays_are_frozen(display):
    field = dataclasses.fields(display)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(display, field, None)


def test_there_is_a_table_and_a_sentence_behind_every_picture(display):
    table = display.table()
    assert len({len(column) for column in table.values()}) == 1
    json.dumps(table, allow_nan=False)
    assert display.describe().endswith(".")
    assert display.title[0].isupper()


def test_a_notebook_shows_a_display_and_a_drawing():
    display = DISPLAYS["contributions"]
    assert display._repr_svg_() == svg_of("contributions")
    drawing = display.plot()
    assert drawing._repr_svg_() == display.plot()._repr_svg_()
    drawing.figure.canvas.manager = "pyplot's"
    assert drawing._repr_svg_() is None


def test_neither_pyplot_nor_a_window_is_needed():
    code = """
import sys
import calibrant as cal
from calibrant import plots
assert "matplotlib" not in sys.modules
y, P = cal.models.M1(n_classes=3).sample(50, rng=0)
few = {"n_resamples": 39, "rng": 0}
for display in (
    plots.ReliabilityDisplay.from_predictions(y, P, **few),
    plots.ClasswiseReliabilityDisplay.from_predictions(y, P, **few),
    plots.NullDistributionDisplay.from_predictions(y, P, rng=0),
    plots.SimplexDisplay.from_predictions(y, P),
    plots.DetectableDisplay.from_predictions(y, P),
    plots.ClassContributionDisplay((0, 1), [1.0, 2.0]),
    plots.ComparisonDisplay((plots.ComparedPair("a", "b", "skce", 1.0, 0.0, 2.0),)),
):
    plots.to_svg(display)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


class Fitted:
    """What an estimator has to have."""

    classes_ = ("a", "b", "c")

    def __init__(self, P):
        self.P = P

    def predict_proba(self, X):
        return self.P[X]


@pytest.mark.parametrize(
    "kind",
    [
        plots.ReliabilityDisplay,
        plots.ClasswiseReliabilityDisplay,
        plots.NullDistributionDisplay,
        plots.SimplexDisplay,
        plots.DetectableDisplay,
    ],
)
def test_an_estimator_gives_the_same_picture_as_its_predictions(kind):
    y, P = sample(3, n=80)
    labels, weights = np.array(["a", "b", "c"])[y], np.arange(80.0)
    options = {} if kind in (plots.SimplexDisplay, plots.DetectableDisplay) else {"rng": 0}
    if "n_resamples" in kind.from_predictions.__kwdefaults__:
        options["n_resamples"] = FEW
    one = kind.from_estimator(Fitted(P), np.arange(80), labels, sample_weight=weights, **options)
    predictions = cal.Predictions(labels, P, classes=["a", "b", "c"], sample_weight=weights)
    other = kind.from_predictions(predictions, **options)
    arrays = kind.from_predictions(
        labels, P, classes=["a", "b", "c"], sample_weight=weights, **options
    )
    assert one.table() == other.table() == arrays.table()
    assert one.describe() == other.describe()


@pytest.mark.parametrize("m", [2, 10, 1000])
def test_any_number_of_classes_can_be_drawn(m):
    y, P = sample(m, n=60, alpha=2.0 / m)
    for kind in (plots.ReliabilityDisplay, plots.ClasswiseReliabilityDisplay):
        display = kind.from_predictions(y, P, n_resamples=FEW, rng=0)
        assert pixels(display.plot().figure).min() < 128
    assert pixels(plots.DetectableDisplay.from_predictions(y, P).plot().figure).min() < 128


def test_the_style_names_settings_that_exist():
    assert set(STYLE) <= set(matplotlib.rcParams)
