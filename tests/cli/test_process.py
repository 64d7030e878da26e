"""The command as a process: exit codes, signals, pipes, terminals, completion, start-up."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from tests.io.malformed import MALFORMED

from calibrant.cli import _main

CALIBRANT = [sys.executable, "-m", "calibrant"]


def process(*args, **kwargs):
    command = [*CALIBRANT, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)


def test_exit_codes_of_a_real_process(raw, tmp_path):
    broken = MALFORMED["truncated"].write(tmp_path)
    for args, code in [
        (("--help",), 0),
        (("--version",), 0),
        (("check", raw), 0),
        (("gate", raw, "--fail-if", "p<0.05"), 1),
        (("gate", raw, "--fail-if", "p<0.0001"), 2),
        (("gate", raw), 2),
        (("nonsense",), 2),
        (("test",), 2),
        (("test", raw, "--seed", "-1"), 2),
        (("test", raw, "--lens", "nonsense"), 2),
        (("test", *broken), 3),
        (("measure", raw, "--lens", "one-vs-rest:9"), 4),
        (("test", raw, "--estimator", "ece", "--method", "moments"), 4),
    ]:
        done = process(*args)
        assert done.returncode == code, (args, done.stderr)
        assert "Traceback" not in done.stderr
        assert bool(done.stdout) == (code in (0, 1))
        assert bool(done.stderr) == (code > 1)


def test_a_bug_ends_with_70_and_asks_for_a_report(run, monkeypatch):
    from calibrant.cli.commands import info

    monkeypatch.setattr(info, "_facts", lambda: {}["missing"])
    done = run("info")
    assert done.exit_code == 70
    assert "please report it: KeyError: 'missing'" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("CALIBRANT_DEBUG", "1")
    assert "Traceback" in run("info").stderr


def test_too_little_memory_is_no_bug(run, raw, monkeypatch):
    import calibrant._calibration_test as module

    def hungry(*_, **__):
        raise MemoryError

    monkeypatch.setattr(module, "as_predictions", hungry)
    done = run("test", raw)
    assert done.exit_code == 4
    assert "not enough memory" in done.stderr


def test_an_interrupt_ends_with_130_and_leaves_no_file(tmp_path):
    path, out = tmp_path / "big.npz", tmp_path / "out.json"
    assert process("simulate", "m1", "--rows", "3000", "-o", path).returncode == 0
    out.write_text("before")
    command = [*CALIBRANT, "test", path, "--resamples", "100000", "--json", out]
    running = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(3)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 130
    assert stdout == ""
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert out.read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.npz", "out.json"]


def test_a_reader_that_leaves_early_is_no_error():
    command = f"{' '.join(CALIBRANT)} simulate m1 --rows 20000 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""


def test_a_failed_gate_fails_also_where_nobody_reads(raw):
    command = f"{' '.join(CALIBRANT)} gate {raw} --fail-if 'p<0.05' | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert done.stderr == ""


def on_a_terminal(raw, **environment):
    main, child = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    env |= {"TERM": "xterm-256color", "COLUMNS": "200"} | environment
    with subprocess.Popen(
        [*CALIBRANT, "test", str(raw)], stdout=child, stderr=child, env=env
    ) as running:
        os.close(child)
        seen = b""
        try:
            while part := os.read(main, 4096):
                seen += part
        except OSError:
            pass  # how a terminal ends on Linux
        running.wait()
    os.close(main)
    return seen.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="terminals end differently elsewhere")
def test_colours_on_a_terminal_that_wants_them(raw):
    assert "\x1b[1;31mEvidence against calibration" in on_a_terminal(raw)
    assert "\x1b[" not in on_a_terminal(raw, NO_COLOR="1")
    assert "\x1b[" not in process("test", raw).stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from calibrant.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = ['numpy', 'scipy', 'rich', 'matplotlib', 'pyarrow', 'narwhals', 'pandas']\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_help_takes_less_than_a_third_of_a_second():
    times = []
    for _ in range(5):
        start = time.perf_counter()
        process("--help")
        times.append(time.perf_counter() - start)
    # the best of five: other processes of the machine do not count
    assert min(times) < 0.3


@pytest.mark.parametrize("name", _main.COMMANDS)
def test_every_command_has_help(run, name):
    done = run(name, "--help")
    assert done.exit_code == 0
    assert f"Usage: calibrant {name}" in done.stdout
    assert "\n  --" in done.stdout


def test_help_of_a_gate_explains_why_not_p_alone(run):
    text = run("gate", "--help").stdout
    assert "Why not p alone?" in text
    assert "few rows" in text
    assert "very many rows" in text


def test_shells_complete_commands_and_options():
    env = os.environ | {"COMP_WORDS": "calibrant ga", "COMP_CWORD": "1"}
    done = process(env=env | {"_CALIBRANT_COMPLETE": "bash_complete"})
    assert done.stdout == "plain,gate\n"
    env |= {"COMP_WORDS": "calibrant test --one-", "COMP_CWORD": "2"}
    assert process(env=env | {"_CALIBRANT_COMPLETE": "bash_complete"}).stdout == (
        "plain,--one-based\n"
    )
    assert (
        "_calibrant_completion"
        in process(env=os.environ | {"_CALIBRANT_COMPLETE": "zsh_source"}).stdout
    )
    unknown = process(env=os.environ | {"_CALIBRANT_COMPLETE": "tcsh_source"})
    assert unknown.returncode == 2


def test_progress_tells_the_remaining_time_in_a_log(capsys, monkeypatch):
    from calibrant.cli import _progress

    monkeypatch.setattr(_progress, "DELAY", 0.0)
    with _progress.shown_progress("testing") as progress:
        progress(1, 4)
        progress(2, 4)  # the next line waits
        progress(4, 4)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("testing: 25 %, less than a second left")
    assert captured.err.count("\n") == 1
    with _progress.shown_progress("testing", quiet=True) as progress:
        assert progress is None
