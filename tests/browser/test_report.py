"""The report in a real browser: no requests, no errors, and accessible."""

import csv
import gzip
import json
import re

import pytest
from tests.browser.pages import HOSTILE, KINDS, make

pytestmark = pytest.mark.slow

WIDTHS = (360, 390, 768, 1280)
#: what a section needs to be on the page
SECTIONS = {"verdict": None, "repair": "demo", "reliability": None, "measures": None,
            "where": None, "test": None, "comparison": "several", "reading": None,
            "downloads": None, "appendix": None}  # fmt: skip


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Return the file of a kind of report, written when it is first asked for."""
    folder = tmp_path_factory.mktemp("pages")

    def page(kind):
        path = folder / f"{kind}.html"
        if not path.exists():
            make(kind).write_html(path)
        return path

    return page


def unfold(page):
    page.evaluate("document.querySelectorAll('.fold').forEach(d => { d.open = true; })")


def wanted_sections(kind):
    has = {"demo": kind == "demo", "several": kind in ("demo", "models"), None: True}
    return [name for name, needs in SECTIONS.items() if has[needs]]


def violations(page, axe):
    # through the debugger, which no policy of the page forbids
    page.evaluate(axe)
    found = page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
        ".map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200), "
        "v.nodes[0].failureSummary])"
    )
    return [tuple(one) for one in found]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_pages_fit_every_width_and_complain_of_nothing(visit, pages, kind, script):
    page = visit(pages(kind), java_script_enabled=script)
    assert [h.get_attribute("id") for h in page.locator("h2").all()] == wanted_sections(kind)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for _ in ("folded", "unfolded"):
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            for section in page.locator("section").all():
                box = section.bounding_box()
                assert box["x"] >= 0
                assert box["x"] + box["width"] <= width
            unfold(page)


@pytest.mark.parametrize("kind", ["10", "demo"])
@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_all_but_the_answers_is_folded(visit, pages, kind, script):
    page = visit(pages(kind), java_script_enabled=script)
    for name in wanted_sections(kind)[1:]:
        inside = page.locator(f"section[aria-labelledby={name}] .inside")
        assert not inside.is_visible()
        page.locator(f"section[aria-labelledby={name}] summary").first.click()
        assert inside.is_visible()


@pytest.mark.parametrize("kind", ["10", "demo"])
def test_the_first_screen_answers(visit, pages, kind):
    report = make(kind)
    page = visit(pages(kind))
    cards = page.locator(".cards > li")
    assert cards.count() == len(report.models)
    for k, answers in enumerate(report.answers.values()):
        card = cards.nth(k)
        for text in (pair[1] for pair in answers.items()):
            assert card.get_by_text(text).is_visible()
        assert card.locator("svg").is_visible()
        # the last line of a card is on the screen, or nearly
        box = card.bounding_box()
        assert box["y"] + box["height"] < 960


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_text_of_a_card_is_clipped(visit, pages, width):
    page = visit(pages("demo"), viewport={"width": width, "height": 900})
    clipped = page.evaluate(
        "Array.from(document.querySelectorAll('.cards svg text, .cards dd, .cards p'))"
        ".filter(e => { const box = e.getBoundingClientRect(), "
        "card = e.closest('svg, li').getBoundingClientRect(); "
        "return box.left < card.left - 1 || box.right > card.right + 1 "
        "|| box.bottom > card.bottom + 1; }).map(e => e.textContent)"
    )
    assert clipped == []


def test_one_button_unfolds_all(visit, pages):
    page = visit(pages("models"))
    button = page.get_by_role("button", name="Open all sections")
    button.click()
    assert page.locator(".fold:not([open])").count() == 0
    page.get_by_role("button", name="Close all sections").click()
    assert page.locator(".fold[open]").count() == 0


def count_pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_four_models_are_printed_on_six_pages(visit, pages, script):
    page = visit(pages("demo"), java_script_enabled=script)
    assert 3 <= count_pages(page.pdf(format="A4")) <= 6
    page.emulate_media(media="print")
    printed = {name: page.locator(f"section[aria-labelledby={name}] .inside").is_visible()
               for name in wanted_sections("demo")[1:]}  # fmt: skip
    left_out = {name for name, shown in printed.items() if not shown}
    assert left_out == {"repair", "reliability", "test", "downloads"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["2", "3", "10", "models", "hostile"])
def test_axe_finds_nothing(visit, pages, axe, kind, scheme):
    page = visit(pages(kind), color_scheme=scheme)
    assert violations(page, axe) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_what_is_folded_and_narrow(visit, pages, axe, scheme):
    page = visit(pages("models"), color_scheme=scheme, viewport={"width": 360, "height": 700})
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert violations(page, axe) == []


def test_axe_finds_nothing_without_script(browser, pages, axe, tmp_path):
    # the page as it is without its script: axe itself needs one
    html = pages("models").read_text("utf-8")
    path = tmp_path / "plain.html"
    path.write_text(html[: html.rindex("<script>")] + "</body></html>", "utf-8")
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(path.as_uri())
        assert violations(page, axe) == []
        context.close()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_the_switch_shows_one_class_at_a_time(visit, pages, script):
    page = visit(pages("10"), java_script_enabled=script)
    unfold(page)
    panels = page.locator(".panel")
    assert panels.count() == 11
    assert [k for k in range(11) if panels.nth(k).is_visible()] == [0]
    page.locator(".switch > label").nth(4).click()
    assert [k for k in range(11) if panels.nth(k).is_visible()] == [4]
    assert panels.nth(4).locator("svg title").first.text_content() == "Reliability of class 3"


def test_the_keyboard_reaches_all(visit, pages):
    page = visit(pages("10"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "verdict"
    unfold(page)
    reached = []
    for _ in range(150):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "(() => { const e = document.activeElement; return e.tagName.toLowerCase() + "
                "(e.type ? ':' + e.type : '') + (e.download ? ':' + e.download : ''); })()"
            )
        )
        if reached[-1] == "a:calibration.csv":
            break
    assert {"input:radio", "use", "summary", "button:button", "a:calibration.json",
            "a:calibration.csv"} <= set(reached)  # fmt: skip
    # one stop a picture, then arrows
    assert reached.count("input:radio") == 1


def test_arrows_walk_the_switch(visit, pages):
    page = visit(pages("10"))
    unfold(page)
    page.locator("#m0-reliability-0").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".panel").nth(1).is_visible()
    assert not page.locator(".panel").nth(0).is_visible()


def test_marks_speak_to_keyboard_and_mouse_alike(visit, pages):
    page = visit(pages("10"))
    unfold(page)
    tip = page.locator("#tip")
    assert tip.is_hidden()
    marks = page.locator(".panel").first.locator("use[aria-label]")
    assert marks.count() > 3
    stop = page.locator(".panel").first.locator("use[tabindex='0']")
    assert stop.count() == 1
    stop.focus()
    first = tip.text_content()
    assert tip.is_visible()
    assert "a calibrated model stays between" in first
    page.keyboard.press("ArrowRight")
    second = tip.text_content()
    assert second != first
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert tip.text_content() == first
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    box = page.locator(".panel").first.locator("use.lit, use[tabindex='0']").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 3, box["y"] + box["height"] / 2)
    assert tip.text_content() == first
    assert tip.is_visible()


def test_without_script_marks_have_titles(visit, pages):
    page = visit(pages("10"), java_script_enabled=False)
    titles = page.locator(".panel").first.locator("use > title")
    assert titles.count() > 3
    assert "a calibrated model stays between" in titles.first.text_content()


def test_tables_are_sorted_by_buttons(visit, pages):
    page = visit(pages("10"))
    unfold(page)
    table = page.locator("section[aria-labelledby=measures] table")
    head = table.locator("th[scope=col]").nth(1)

    def column():
        cells = table.locator("tbody tr td:nth-child(2)").all_text_contents()
        return [float(cell.replace("−", "-")) for cell in cells]

    unsorted = column()
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(unsorted)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    assert column() == sorted(unsorted, reverse=True)


def test_a_thousand_classes_can_be_searched(visit, pages):
    path = pages("1000")
    assert path.stat().st_size < 3_000_000
    page = visit(path)
    unfold(page)
    assert page.locator(".panel").count() == 21
    table = page.locator("details.part").first
    table.locator("summary").first.click()
    rows = table.locator("tbody tr")
    assert rows.count() == 1000
    table.get_by_role("searchbox").fill("777")
    assert [row.locator("th").text_content() for row in rows.all() if row.is_visible()] == ["777"]
    assert table.get_by_role("status").text_content() == "1 of 1000 rows"


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("kind", ["10", "1000"])
def test_downloads_are_the_summary(visit, pages, tmp_path, kind, script):
    page = visit(pages(kind), java_script_enabled=script)
    unfold(page)
    report = make(kind)
    found = {}
    for link in page.locator("a[download]").all():
        with page.expect_download() as waiting:
            link.click()
        name = waiting.value.suggested_filename
        path = tmp_path / name
        waiting.value.save_as(path)
        data = path.read_bytes()
        found[name.split(".")[1]] = gzip.decompress(data) if name.endswith(".gz") else data
    assert json.loads(found["json"]) == report.summary
    assert found["csv"].decode() == report.csv()
    assert len(list(csv.reader(found["csv"].decode().splitlines()))) > 20


@pytest.mark.parametrize("kind", ["models", "hostile"])
def test_a_printed_page_holds_it_all(visit, pages, kind):
    page = visit(pages(kind))
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert count_pages(pdf) > 1
    page.emulate_media(media="print")
    assert page.locator(".sentence").first.is_visible()
    assert page.locator("section[aria-labelledby=measures] table").is_visible()
    assert page.locator("section[aria-labelledby=appendix] table").is_visible()
    assert not page.locator(".all").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("kind", ["10", "demo"])
def test_print_breaks_no_number(visit, pages, kind):
    page = visit(pages(kind), viewport={"width": 695, "height": 1000})  # A4 without margins
    page.emulate_media(media="print")
    broken = page.evaluate("""() => [...document.querySelectorAll("td.n")].filter(cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1;
    }).map(cell => cell.textContent)""")
    assert broken == []


def test_hostile_names_are_shown_and_do_nothing(visit, pages):
    page = visit(pages("hostile"))
    unfold(page)
    told = []
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    assert page.locator("h1").text_content() == HOSTILE[1]
    assert page.locator("img").count() == 0
    labels = page.locator(".switch > label").all_text_contents()
    assert any(label.startswith("</script><img src=x") for label in labels)
    for label in page.locator(".switch > label").all():
        label.click()
    assert told == []


def test_numbers_on_the_page_are_those_of_the_json(visit, pages):
    from calibrant._output import number

    page = visit(pages("models"))
    models = make("models").summary["models"]
    rows = page.locator("section[aria-labelledby=measures] tbody tr")
    found = [row.locator("td").all_text_contents() for row in rows.all()]
    for k, model in enumerate(models.values()):
        values = [number(measure["estimate"]) for measure in model["measures"]]
        assert [cells[k].partition(";")[0].partition(" ")[0] for cells in found] == values


def test_a_frame_of_a_notebook_works(visit, tmp_path):
    report = make("3")
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{report._repr_html_()}", "utf-8")
    page = visit(path)
    frame = page.frames[1]
    unfold(frame)
    frame.locator(".switch > label").nth(2).click()
    assert frame.locator(".panel").nth(2).is_visible()
    assert frame.locator("thead button").count() > 5
