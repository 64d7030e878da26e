"""The checkpoint file: what it stores, what it survives, and what it refuses."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import calibrant as cal
from calibrant._execution import Parallel, run_shared
from calibrant._execution._checkpoint import _OWNER, Checkpoint, _checksum
from calibrant._execution._records import pack
from calibrant.errors import CheckpointError

HEADER = {"input": "abc", "method": "Exact()"}


def filled(path, count=3):
    with Checkpoint(path, HEADER) as checkpoint:
        stage = checkpoint.stage("sums", 10)
        for i in range(count):
            stage.keep(i, [float(i), np.full(4, i / 3)])
    return path.read_bytes()


def change(path, *statements):
    """Edit a checkpoint from outside."""
    database = sqlite3.connect(path)
    for statement, *values in statements:
        database.execute(statement, values)
    database.commit()
    database.close()


def replace(path, key, content):
    """Replace a record by any content with the right checksum."""
    row = content, _checksum(key, content), key
    change(path, ("UPDATE records SET content = ?, checksum = ? WHERE key = ?", *row))


def refused(path, message, header=HEADER):
    """Check that a file is refused and left alone."""
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=message):
        Checkpoint(path, header)
    assert path.read_bytes() == before
    assert not list(path.parent.glob(f"{path.name}?*"))


def in_a_process(code, *arguments, **options):
    source = str(Path(cal.__file__).parents[1])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def test_finished_tasks_are_found_again(tmp_path):
    path = tmp_path / "kept"
    filled(path)
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]  # one file, once it is closed
    with Checkpoint(path, HEADER) as checkpoint:
        assert len(checkpoint) == 3
        stage = checkpoint.stage("sums", 10)
        assert stage.record(2)[0] == 2.0
        np.testing.assert_array_equal(stage.record(1)[1], np.full(4, 1 / 3))
        assert stage.record(3) is None
        # the next computation of the same program is another stage
        assert checkpoint.stage("sums", 10).record(2) is None


def test_a_name_of_sqlite_is_a_file_like_any_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Checkpoint(":memory:", HEADER) as checkpoint:
        checkpoint.keep("a", 1.0)
    with Checkpoint(":memory:", HEADER) as checkpoint:
        assert checkpoint.record("a") == 1.0
    assert (tmp_path / ":memory:").is_file()


def test_an_empty_file_is_a_new_checkpoint(tmp_path):
    path = tmp_path / "kept"
    path.touch()
    filled(path)
    with Checkpoint(path, HEADER) as checkpoint:
        assert len(checkpoint) == 3


def test_threads_keep_records_at_the_same_time(tmp_path):
    with Checkpoint(tmp_path / "kept", HEADER) as checkpoint:
        stages = [checkpoint.stage("sums", 50) for _ in range(4)]
        threads = [
            Thread(target=lambda s=s: [s.keep(i, float(i)) for i in range(50)]) for s in stages
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(checkpoint) == 200
        assert [s.record(49) for s in stages] == [49.0] * 4


KILLED = """
import os, signal, sys
import numpy as np
from calibrant._execution import Checkpoint
checkpoint = Checkpoint(sys.argv[1], {"input": "abc", "method": "Exact()"})
stage = checkpoint.stage("sums", 10)
for i in range(int(sys.argv[2])):
    stage.keep(i, [float(i), np.full(2000, i / 3)])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "count", [0, 1, 700]
)  # with none, and beyond the first clean-up of the log
def test_a_killed_process_loses_nothing_that_it_kept(tmp_path, count):
    path = tmp_path / "kept"
    assert in_a_process(KILLED, path, count).returncode == -signal.SIGKILL
    with Checkpoint(path, HEADER) as checkpoint:
        assert len(checkpoint) == count
        stage = checkpoint.stage("sums", 10)
        for i in range(count):
            assert stage.record(i)[0] == float(i)
            np.testing.assert_array_equal(stage.record(i)[1], np.full(2000, i / 3))
        stage.keep(count, 1.0)


def test_a_log_cut_off_anywhere_costs_only_its_end(tmp_path):
    # what a loss of power in the middle of a write leaves
    path = tmp_path / "kept"
    in_a_process(KILLED, path, 3)
    log = tmp_path / "kept-wal"
    content, main = log.read_bytes(), path.read_bytes()
    found = []
    for stop in range(0, len(content), 4001):
        path.write_bytes(main)
        log.write_bytes(content[:stop])
        with Checkpoint(path, HEADER) as checkpoint:
            found.append(len(checkpoint))
    assert found == sorted(found)
    assert found[0] == 0
    assert found[-1] >= 2


def test_what_is_left_of_a_killed_beginning_begins_again(tmp_path):
    # the file was made, but the first transaction was not finished
    path = tmp_path / "kept"
    path.touch()
    (tmp_path / "kept-journal").touch()
    filled(path)


def test_every_flipped_byte_is_harmless_or_refused(tmp_path):
    path = tmp_path / "kept"
    whole = filled(path)
    refusals = 0
    for place in range(0, len(whole), 61):
        content = bytearray(whole)
        content[place] ^= 16
        path.write_bytes(content)
        try:
            with Checkpoint(path, HEADER) as checkpoint:
                records = [checkpoint.record(f"1/sums/10/{i}") for i in range(3)]
        except CheckpointError:
            refusals += 1
            assert path.read_bytes() == bytes(content)
        else:
            assert [record[0] for record in records] == [0.0, 1.0, 2.0]
            np.testing.assert_array_equal(records[1][1], np.full(4, 1 / 3))
    assert refusals > 10


def test_a_file_cut_off_is_refused(tmp_path):
    path = tmp_path / "kept"
    whole = filled(path)
    for stop in (2, 50, 100, 4096, len(whole) - 1, len(whole) - 3000):
        path.write_bytes(whole[:stop])
        refused(path, "damaged|not a checkpoint")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        pack([1.0])[:-3],
        pack([1.0]) + bytes(8),
        pack([np.eye(3)])[:-8],
        pack([1.0]).replace(b"float", b"thing"),
        pack([1.0]).replace(b"list", b"dict"),
        "text",
        17,
    ],
    ids=str,
)
def test_a_crafted_record_is_refused_when_it_is_read(tmp_path, content):
    path = tmp_path / "kept"
    filled(path)
    right = content if isinstance(content, bytes) else b""
    row = content, _checksum("1/sums/10/1", right), "1/sums/10/1"
    change(path, ("UPDATE records SET content = ?, checksum = ? WHERE key = ?", *row))
    with pytest.raises(CheckpointError, match=r"damaged\. Delete it and start again"):  # noqa: SIM117
        with Checkpoint(path, HEADER) as checkpoint:
            checkpoint.stage("sums", 10).record(1)


@pytest.mark.parametrize("record", [1.0, [1.0], [1.0] * 3, {"a": 1.0}], ids=str)
def test_a_record_of_other_tasks_is_refused(tmp_path, record):
    path = tmp_path / "kept"

    def work():
        with Checkpoint(path, HEADER) as checkpoint:
            parallel = Parallel(1, checkpoint=checkpoint, bundle=2)
            return list(run_shared(lambda _, task: float(task), None, range(4), parallel, 4.0))

    assert work() == work() == [0.0, 1.0, 2.0, 3.0]
    replace(path, "1/<lambda>/4/1", pack(record))
    with pytest.raises(CheckpointError, match="damaged"):
        work()


@pytest.mark.parametrize("text", [b"{not json", b"[]", b"7", b"\xff", b"null"], ids=str)
def test_a_damaged_owner_is_refused(tmp_path, text):
    path = tmp_path / "kept"
    filled(path)
    replace(path, _OWNER, text)
    refused(path, "damaged")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM records WHERE key = 'belongs to'",
        "UPDATE records SET content = x'00' WHERE key != 'belongs to'",
        "UPDATE records SET key = x'ff' WHERE key LIKE '%/1'",
        "UPDATE records SET key = CAST(x'ff' AS TEXT) WHERE key LIKE '%/1'",
        "UPDATE records SET content = NULL",
        "DROP TABLE records",
        "CREATE TABLE other (x)",
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
    ],
)
def test_a_database_that_was_edited_is_refused(tmp_path, statement):
    path = tmp_path / "kept"
    filled(path)
    change(path, (statement,))
    refused(path, "damaged")


def test_a_view_in_place_of_the_table_is_never_asked(tmp_path):
    path = tmp_path / "kept"
    filled(path)
    endless = (
        "CREATE VIEW records AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 'belongs to' AS key, x'00' AS content, i AS checksum FROM n"
    )
    change(path, ("DROP TABLE records",), (endless,))
    refused(path, "damaged")


def test_another_application_is_left_alone(tmp_path):
    path = tmp_path / "photos.db"
    change(path, ("CREATE TABLE photos (name)",), ("INSERT INTO photos VALUES ('cat')",))
    refused(path, "not a checkpoint of this version of calibrant.* Name a file that")
    change(path, ("PRAGMA journal_mode = WAL",))
    refused(path, "not a checkpoint")
    filled(tmp_path / "newer")
    change(tmp_path / "newer", ("PRAGMA user_version = 2",))
    refused(tmp_path / "newer", "not a checkpoint of this version")


@pytest.mark.parametrize("text", ["three years of work", "calibrant checkpoint\n", "x" * 9999])
def test_another_file_is_never_overwritten(tmp_path, text):
    path = tmp_path / "thesis.txt"
    path.write_text(text)
    refused(path, "not a checkpoint of this version of calibrant")


def test_a_foreign_checkpoint_says_what_differs(tmp_path):
    path = tmp_path / "kept"
    filled(path)
    here = r"input is 'xyz' here and 'abc' there\. Run with"
    refused(path, here, HEADER | {"input": "xyz"})
    refused(
        path,
        r"another computation: input .* \(and 1 more\)",
        {"input": "xyz", "method": "Moments()"},
    )
    refused(path, r"rng is 1 here and None there", HEADER | {"rng": 1})


def test_two_checkpoints_cannot_write_to_one_file(tmp_path):
    path = tmp_path / "kept"
    for _ in range(2):  # a file that is new, and one that is there
        with Checkpoint(path, HEADER) as checkpoint:
            for _ in range(2):
                with pytest.raises(CheckpointError, match="another run is writing"):
                    Checkpoint(path, HEADER)
            checkpoint.keep("a", 1.0)
    Checkpoint(path, HEADER).close()  # afterwards it is free


SECOND = """
import sys, time
from calibrant._execution import Checkpoint
start = time.monotonic()
try:
    Checkpoint(sys.argv[1], {"input": "abc", "method": "Exact()"})
except RuntimeError as error:
    print(error, time.monotonic() - start < 1)
"""


def test_two_processes_cannot_write_to_one_file(tmp_path):
    path = tmp_path / "kept"
    for _ in range(2):
        with Checkpoint(path, HEADER) as checkpoint:
            checkpoint.keep("a", 1.0)
            done = in_a_process(SECOND, path)
            assert "another run is writing to this checkpoint" in done.stdout, done.stderr
            assert done.stdout.endswith("True\n")
            checkpoint.keep("b", 2.0)
            assert len(checkpoint) == 2


def test_a_folder_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "nowhere" / "kept", tmp_path, tmp_path / ("x" * 300)):
        with pytest.raises(CheckpointError, match=r"cannot be opened or written\. Name one"):
            Checkpoint(path, HEADER)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_is_read_only_is_named(tmp_path):
    path = tmp_path / "folder" / "kept"
    path.parent.mkdir()
    filled(path)
    path.parent.chmod(0o500)
    try:
        for name in ("kept", "new"):
            with pytest.raises(CheckpointError, match="cannot be opened or written"):
                Checkpoint(path.parent / name, HEADER)
    finally:
        path.parent.chmod(0o700)


FULL = """
import resource, sys
import numpy as np
from calibrant._execution import Checkpoint
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
with Checkpoint(sys.argv[1], {"input": "abc", "method": "Exact()"}) as checkpoint:
    stage = checkpoint.stage("sums", 10)
    try:
        for i in range(1000):
            stage.keep(i, np.full(500, float(i)))
    except RuntimeError as error:
        print(i, error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of a file's size")
def test_a_full_disk_keeps_what_is_finished(tmp_path):
    path = tmp_path / "kept"
    done = in_a_process(FULL, path)
    assert done.returncode == 0, done.stderr
    count, _, message = done.stdout.partition(" ")
    assert "cannot be opened or written. Name one" in message
    with Checkpoint(path, HEADER) as checkpoint:
        assert len(checkpoint) == int(count) > 3
        assert checkpoint.stage("sums", 10).record(3)[0] == 3.0


def test_a_database_that_is_full_says_so(tmp_path):
    with Checkpoint(tmp_path / "kept", HEADER) as checkpoint:
        checkpoint._database.execute("PRAGMA max_page_count = 4")
        with pytest.raises(CheckpointError, match=r"the disk is full\. Make room and run again"):
            checkpoint.keep("a", np.zeros(10_000))
        assert len(checkpoint) == 0
