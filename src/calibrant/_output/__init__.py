"""Output of the library: plain values, words and numbers, tables, frames, files."""

from calibrant._output._concise import concise
from calibrant._output._document import SCHEMA_VERSION, document, document_schema, to_json
from calibrant._output._files import replacing
from calibrant._output._frames import Backend, Framed, to_frame
from calibrant._output._notebook import IntervalBar
from calibrant._output._plain import Plain, left_out, to_plain, written_as
from calibrant._output._publish import publish
from calibrant._output._schema import Count, Finite, Probability, Rate
from calibrant._output._tables import Section, Table, facts, join_sections, wrap, wrap_lines
from calibrant._output._versions import (
    VERSION,
    __version__,
    installed_version,
    versions,
)
from calibrant._output._worded import Worded
from calibrant._output._words import (
    UNKNOWN,
    counted,
    data_text,
    duration,
    estimate_cells,
    estimate_text,
    factor_text,
    number,
    one_line,
    percent,
    probability_text,
    pvalue_cell,
    pvalue_text,
    range_text,
    short_form,
)
