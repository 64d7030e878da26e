"""Files are written atomically."""

import stat
import threading

import pytest

from calibrant._output import replacing


def test_a_failed_writer_leaves_what_was_there(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")

    def fail():
        with replacing(path) as stream:
            stream.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_writers_beside_each_other_do_not_disturb_each_other(tmp_path):
    path, failures = tmp_path / "a.txt", []

    def write(letter):
        try:
            for _ in range(10):
                with replacing(path) as stream:
                    stream.write(letter * 1000)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert path.read_bytes() in {letter * 1000 for letter in (b"a", b"b", b"c")}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.touch()
    path.chmod(mode)
    with replacing(path) as stream:
        stream.write(b"x")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_names_as_long_as_a_folder_allows_are_written(tmp_path):
    path = tmp_path / ("n" * 255)
    with replacing(path) as stream:
        stream.write(b"x")
    assert path.read_bytes() == b"x"


def test_links_stay_links(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    with replacing(link) as stream:
        stream.write(b"x")
    assert link.is_symlink()
    assert target.read_bytes() == b"x"
