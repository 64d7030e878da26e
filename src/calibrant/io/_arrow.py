"""Parquet and Arrow files, batch by batch, through pyarrow."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from calibrant._predictions import Precision
from calibrant.errors import InputError, Problem
from calibrant.io._arrow_columns import ArrowSink, numbers_of
from calibrant.io._arrow_types import (
    is_list,
    is_number,
    is_structured,
    is_text,
    is_text_of_any_kind,
    may_be_labels,
    value_type,
)
from calibrant.io._errors import broken_file, missing_pyarrow
from calibrant.io._formats import TITLES
from calibrant.io._nested import Nested, nested_in
from calibrant.io._options import LABEL, PROB
from calibrant.io._source import Source
from calibrant.io._table import Array, Content, Progress, Request, Table

#: rows of a batch, and rows of a sample
_ROWS, _SAMPLE = 1 << 16, 100
#: distinct texts with more bytes than this are not sampled
_LARGE = 1 << 22
#: Arrow's names of types coarser than float64, the coarsest first
_COARSE: tuple[tuple[str, Precision], ...] = (("halffloat", "float16"), ("float", "float32"))
_IN_PARTS = "test or report it as Parquet, which is streamed, or write fewer rows"
#: columns of names, batches of some columns, number of rows if known
_Opened = tuple[Any, Callable[[list[str]], Iterator[Any]], int | None]


class ArrowTable(Table):
    """An Arrow or Feather file; columns of lists are matrices."""

    def __init__(self, source: Source) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise missing_pyarrow(source.name, TITLES[source.format]) from None
        self.name = source.name
        self.format = source.format
        self._source = source
        try:
            self._schema, self._batches, self._n_rows = self._open(source)
            self._sample: dict[str, list[Any]] | None = None
            self._nested = self._find_nested()
            self.inner_names = {
                name: nested.names for name, nested in self._nested.items() if nested.names
            }
            self.lists = frozenset(
                field.name
                for field in self._schema
                if is_list(field.type) and not is_number(value_type(field.type))
                and field.name not in self._nested
            )  # fmt: skip
            self.widths = self._widths()
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._broken(error) from error

    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Read the requested columns; numbers become float64, which represents them exactly."""
        import pyarrow as pa

        self._require_types(request)
        if self._n_rows is not None:
            width = sum(self.widths[name] for name in request.columns)
            self._source.refuse_growth(8 * width * self._n_rows, self._source.size, _IN_PARTS)
        sink = ArrowSink(self, request, self._n_rows)
        done = 0
        try:
            for batch in self._batches(request.columns):
                sink.add(batch)
                done += batch.num_rows
                if progress is not None and self._n_rows:
                    progress(done, self._n_rows)
        except (pa.ArrowException, OSError, MemoryError) as error:
            # a corrupt length may ask for any amount of memory
            raise self._broken(error) from error
        return sink.content()

    def reorder(self, column: str, names: tuple[str, ...]) -> None:
        """Change the order in which the named numbers of a column's cells are returned."""
        self._nested[column] = Nested(len(names), names)
        self.inner_names = {**self.inner_names, column: names}

    def sample(self) -> Mapping[str, Sequence[Any]]:
        """Return the cells of the first rows, with long texts cut."""
        import pyarrow as pa

        try:
            return self._looked_at()
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise self._broken(error) from error

    def _looked_at(self) -> dict[str, list[Any]]:
        if self._sample is None:
            numbers = [field.name for field in self._schema if is_number(field.type)][:_SAMPLE]
            names = [f.name for f in self._schema if f.name in numbers or may_be_labels(f.type)]
            rows = self._first_rows(names)
            self._sample = {} if rows is None else {n: _cells(rows.column(n)) for n in names}
        return self._sample

    @property
    def schema(self) -> Any:
        """The types of all columns."""
        return self._schema

    @property
    def nested(self) -> Mapping[str, Nested]:
        """The columns whose cells contain probabilities by class."""
        return self._nested

    def batches(self) -> Iterator[Any]:
        """Yield batches of rows with all columns."""
        import pyarrow as pa

        try:
            yield from self._batches(self.column_names)
        except (pa.ArrowException, OSError, MemoryError) as error:
            raise self._broken(error) from error

    def numbers(self, batch: Any, names: Sequence[str]) -> Array:
        """Return some columns of a batch as float64, column by column (width, rows)."""
        request = Request({"numbers": names})
        self._require_types(request)
        if not any(is_list(batch.column(name).type) for name in names):
            return np.array([numbers_of(batch.column(name)) for name in names], dtype=np.float64)
        sink = ArrowSink(self, request, batch.num_rows)
        sink.add(batch)
        return np.ascontiguousarray(sink.content().matrices["numbers"].T)

    def _open(self, source: Source) -> _Opened:
        return _open_arrow(source)

    def precision(self, columns: Sequence[str]) -> Precision:
        """Return the precision of the coarsest of some columns."""
        plain = [column for column in columns if column not in self._nested]
        found = {str(value_type(self._schema.field(column).type)) for column in plain}
        return next((name for kind, name in _COARSE if kind in found), "float64")

    def holds_texts(self, name: str) -> bool:
        """Return whether a column contains texts, which may be different labels than numbers."""
        import pyarrow as pa

        kind = self._schema.field(name).type
        return is_text_of_any_kind(kind.value_type if pa.types.is_dictionary(kind) else kind)

    def _require_types(self, request: Request) -> None:
        matrices = [c for columns in request.matrices.values() for c in columns]
        for name in [*matrices, *request.numbers]:
            self._require_numbers(name, single=name in request.numbers)
        for name in request.texts:
            self._require_texts(name)

    def _find_nested(self) -> dict[str, Nested]:
        """Return the columns with probabilities by class: structures, maps and lists of them."""
        found = {}
        for field in self._schema:
            if is_structured(field.type):
                rows = self._first_rows([field.name])
                nested = nested_in([] if rows is None else rows.column(0).to_pylist())
                if nested is not None:
                    found[field.name] = nested
        return found

    def _first_rows(self, names: list[str]) -> Any:
        batch = next((one for one in self._batches(names) if one.num_rows), None)
        return None if batch is None else batch.slice(0, _SAMPLE)

    def _require_numbers(self, name: str, *, single: bool) -> None:
        kind = self._schema.field(name).type
        if name in self._nested and not single:
            return
        if not is_number(kind if single else value_type(kind)):
            raise InputError(
                Problem.NOT_NUMBERS,
                "must have one number per row" if single else "must contain numbers",
                source=self.name,
                column=name,
                got=str(kind),
                remedy=("choose the probability columns with ", PROB),
            )

    def _require_texts(self, name: str) -> None:
        kind = self._schema.field(name).type
        if not is_text(kind):
            raise InputError(
                Problem.COLUMNS,
                "must contain numbers or text",
                source=self.name,
                column=name,
                got=str(kind),
                remedy=("choose another column; name the labels with ", LABEL),
            )

    def _widths(self) -> dict[str, int]:
        names = self._schema.names
        twice = [name for name, times in Counter(names).items() if times > 1]
        if twice:
            raise InputError(
                Problem.HEADER,
                f"columns {', '.join(map(repr, twice))} occur more than once",
                source=self.name,
                remedy="give every column its own name",
            )
        return {name: self._width(name) for name in names}

    def _width(self, name: str) -> int:
        import pyarrow as pa

        kind = self._schema.field(name).type
        if name in self._nested:
            return self._nested[name].width
        if pa.types.is_fixed_size_list(kind):
            return int(kind.list_size)
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            return 1
        for batch in self._batches([name]):
            lengths = batch.column(0).value_lengths().drop_null()
            if len(lengths):
                return int(lengths[0].as_py())
        return 1

    def _broken(self, error: BaseException) -> InputError:
        return broken_file(self.name, TITLES[self.format], error)


class ParquetTable(ArrowTable):
    """A Parquet file, which can be read in parts."""

    def chunks(self, request: Request, rows: range) -> Iterator[Content]:
        """Read some rows batch by batch, skipping other row groups."""
        import pyarrow as pa

        self._require_types(request)
        try:
            for batch in _parquet_rows(self._parquet, request.columns, rows):
                sink = ArrowSink(self, request, batch.num_rows)
                sink.add(batch)
                yield sink.content()
        except (pa.ArrowException, OSError, MemoryError) as error:
            raise self._broken(error) from error

    def _first_rows(self, names: list[str]) -> Any:
        few = self._parquet.iter_batches(batch_size=_SAMPLE, columns=names, use_threads=False)
        return next((_valid(batch) for batch in few if batch.num_rows), None)

    @property
    def n_rows(self) -> int:
        """The number of rows, from the metadata."""
        return int(self._parquet.metadata.num_rows)

    def _open(self, source: Source) -> _Opened:
        import pyarrow.parquet as pq

        # one column chunk at a time, because a row group may be as large as the file
        def opened(**options: Any) -> Any:
            return pq.ParquetFile(
                _native_file(source), pre_buffer=False, buffer_size=1 << 20,
                page_checksum_verification=True, **options,
            )  # fmt: skip

        # a few bytes may encode a long text a million times, so keep it once
        texts = [field.name for field in opened().schema_arrow if is_text_of_any_kind(field.type)]
        self._parquet = parquet = opened(read_dictionary=texts)

        def rows(columns: list[str]) -> Iterator[Any]:
            batches = parquet.iter_batches(batch_size=_ROWS, columns=columns, use_threads=False)
            return map(_valid, batches)

        return parquet.schema_arrow, rows, parquet.metadata.num_rows


def _parquet_rows(parquet: Any, columns: list[str], rows: range) -> Iterator[Any]:
    """Yield batches of consecutive rows, from the row groups that contain them."""
    groups: list[int] = []
    before = at = 0
    for k in range(parquet.metadata.num_row_groups):
        after = before + parquet.metadata.row_group(k).num_rows
        if before < rows.stop and after > rows.start:
            at = at if groups else before
            groups.append(k)
        before = after
    if not groups:
        return
    for batch in parquet.iter_batches(_ROWS, row_groups=groups, columns=columns, use_threads=False):
        first, last = max(rows.start - at, 0), min(rows.stop - at, batch.num_rows)
        at += batch.num_rows
        if first < last:
            yield _valid(batch.slice(first, last - first))
        if at >= rows.stop:
            return


def _open_arrow(source: Source) -> _Opened:
    import pyarrow as pa

    pool = pa.system_memory_pool()  # releases memory, unlike the default pool
    with _native_file(source) as stream:
        schema = _arrow_reader(stream, source, pool).schema

    def batches(columns: list[str]) -> Iterator[Any]:
        with _native_file(source) as stream:
            reader = _arrow_reader(stream, source, pool)
            if source.format == "arrow stream":
                parts: Iterator[Any] = iter(reader)
            else:
                parts = (reader.get_batch(i) for i in range(reader.num_record_batches))
            for batch in parts:
                yield _valid(batch.select(columns))

    return schema, batches, None


def _native_file(source: Source) -> Any:
    """Open a file without Python's file objects, whose exceptions pyarrow keeps alive."""
    import pyarrow as pa

    return pa.OSFile(os.fsencode(source.path), memory_pool=pa.system_memory_pool())


def _valid(batch: Any) -> Any:
    # corrupt offsets and codes would be read outside the memory of the batch
    batch.validate(full=True)
    return batch


def _arrow_reader(stream: Any, source: Source, pool: Any) -> Any:
    import pyarrow as pa

    opener = pa.ipc.open_stream if source.format == "arrow stream" else pa.ipc.open_file
    return opener(stream, memory_pool=pool)


def _cells(column: Any) -> list[Any]:
    """Return some cells as Python objects; texts longer than a label are cut."""
    import pyarrow as pa

    if is_structured(column.type):
        return []
    if not pa.types.is_dictionary(column.type):
        return [_cut(value) for value in column.to_pylist()]
    if column.dictionary.nbytes > _LARGE:
        return ["…"] * len(column)
    values = [_cut(value) for value in column.dictionary.to_pylist()]
    return [None if code is None else values[code] for code in column.indices.to_pylist()]


def _cut(value: Any) -> Any:
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return value[:200] if isinstance(value, str) else value
