"""The experiments of Widmann, Lindsten and Zachariah (2019), repeated: figures and tables.

Every experiment is a folder: what was computed, batch by batch, so that an interrupted run goes
on where it stopped, and then tables (CSV) and figures (SVG and PDF). The command
``calibrant paper`` runs them; the page "The paper, reproduced" shows what comes out.
"""
