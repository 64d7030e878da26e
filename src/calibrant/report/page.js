"use strict";
// The page is complete without this: it adds sorting, searching and marks that can be walked.
(function () {
  const each = (selector, f, root) => (root || document).querySelectorAll(selector).forEach(f);

  function value(text) {
    const found = parseFloat(text.replaceAll(",", "").replace("\u2212", "-").replace("\u221e", "Infinity"));
    return Number.isNaN(found) ? null : found;
  }

  function compare(a, b, numeric) {
    if (!numeric) return a.localeCompare(b, "en", { numeric: true });
    const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return x - y;
  }

  function sort(table, column, head) {
    const down = head.getAttribute("aria-sort") === "ascending";
    const numeric = head.classList.contains("n");
    each("thead th", (th) => th.removeAttribute("aria-sort"), table);
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows).map((row) => [row.cells[column].textContent, row]);
    rows.sort(([a], [b]) => {
      // what is not known comes last, whichever way round
      const unknown = numeric && (value(a) === null || value(b) === null);
      return (down && !unknown ? -1 : 1) * compare(a, b, numeric);
    });
    body.append(...rows.map(([, row]) => row));
  }

  each("table[data-sortable]", (table) => {
    each("thead th", (head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, column, head));
      head.replaceChildren(button);
    }, table);
  });

  each("[data-search]", (place, k) => {
    const table = place.nextElementSibling.querySelector("table");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const count = document.createElement("span");
    input.type = "search";
    input.id = "search-" + k;
    label.htmlFor = input.id;
    label.textContent = "Search";
    input.setAttribute("aria-label", "Search: " + place.previousElementSibling.textContent);
    count.setAttribute("role", "status");
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = shown + " of " + table.tBodies[0].rows.length + " rows";
    });
    place.append(label, input, count);
  });

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let lit = null;

  function hide() {
    if (lit) lit.classList.remove("lit");
    lit = null;
    tip.hidden = true;
  }

  function show(mark) {
    if (lit === mark) return;
    hide();
    lit = mark;
    mark.classList.add("lit");
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    place(mark);
  }

  function place(mark) {
    const box = mark.getBoundingClientRect(), own = tip.getBoundingClientRect();
    const left = box.left + box.width / 2 - own.width / 2;
    const above = box.top - own.height - 10;
    tip.style.left = Math.max(4, Math.min(left, innerWidth - own.width - 4)) + "px";
    tip.style.top = (above > 4 ? above : box.bottom + 10) + "px";
  }

  function nearest(marks, event) {
    let best = null, least = 22;
    for (const mark of marks) {
      const box = mark.getBoundingClientRect();
      const d = Math.hypot(box.left + box.width / 2 - event.clientX, box.top + box.height / 2 - event.clientY);
      if (d < least) { least = d; best = mark; }
    }
    return best;
  }

  each(".picture svg", (svg) => {
    const marks = Array.from(svg.querySelectorAll("use > title"), (title) => {
      const mark = title.parentNode;
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", title.textContent);
      title.remove();
      return mark;
    });
    if (!marks.length) return;
    const at = (mark, name) => parseFloat(mark.getAttribute(name));
    const rows = svg.querySelector("[data-part=stems]") ? "y" : "x";
    marks.sort((a, b) => at(a, rows) - at(b, rows));
    svg.setAttribute("role", "group");
    marks.forEach((mark, k) => {
      mark.tabIndex = k ? -1 : 0;
      mark.addEventListener("focus", () => show(mark));
      mark.addEventListener("blur", hide);
      mark.addEventListener("keydown", (event) => {
        const to = { ArrowRight: k + 1, ArrowDown: k + 1, ArrowLeft: k - 1, ArrowUp: k - 1, Home: 0, End: marks.length - 1 }[event.key];
        if (event.key === "Escape") hide();
        if (to === undefined || !marks[to]) return;
        event.preventDefault();
        mark.tabIndex = -1;
        marks[to].tabIndex = 0;
        marks[to].focus();
      });
    });
    for (const kind of ["pointermove", "pointerdown"]) {
      svg.addEventListener(kind, (event) => {
        const mark = nearest(marks, event);
        if (mark) show(mark); else hide();
      });
    }
    svg.addEventListener("pointerleave", hide);
  });
  addEventListener("scroll", () => {
    if (lit && lit === document.activeElement) place(lit);
    else hide();
  }, { passive: true, capture: true });

  // pictures that fit need no stop of their own; their marks have one
  function stops() {
    each(".picture", (box) => {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  }
  addEventListener("resize", stops);
  document.addEventListener("change", stops);
  document.addEventListener("toggle", stops, true);
  stops();

  // what is printed must be unfolded in browsers that do not read the style of its content
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details.printed:not([open])"));
    opened.forEach((one) => { one.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((one) => { one.open = false; }));

  const all = document.createElement("button");
  const folds = Array.from(document.querySelectorAll("details.fold"));
  all.type = "button";
  all.className = "all";
  all.textContent = "Open all sections";
  all.addEventListener("click", () => {
    const open = folds.some((one) => !one.open);
    folds.forEach((one) => { one.open = open; });
    all.textContent = open ? "Close all sections" : "Open all sections";
  });
  document.querySelector("main > section").append(all);
})();
