"""The command as a process: exit codes, signals, pipes, terminals, completion, start-up."""

import fcntl
import os
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

import pytest
from tests.io.malformed import MALFORMED

from calibrant.cli import _main

pytestmark = pytest.mark.slow

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
        (("measure", raw, "--lens", "one-vs-rest:9"), 3),
        (("test", raw, "--estimator", "ece", "--method", "moments"), 2),
    ]:
        done = process(*args)
        assert done.returncode == code, (args, done.stderr)
        assert "Traceback" not in done.stderr
        assert bool(done.stdout) == (code in (0, 1))
        assert bool(done.stderr) == (code > 1)


def test_a_command_may_be_called_where_output_is_no_file():
    code = (
        "import contextlib, io\n"
        "from calibrant.cli import main\n"
        "out = io.StringIO()\n"
        "with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):\n"
        "    main(['info'])\n"
        "assert out.getvalue().startswith('calibrant ')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_bug_ends_with_70_and_asks_for_a_report(run, monkeypatch):
    from calibrant.cli.commands import info

    monkeypatch.setattr(info, "_find", lambda: {}["missing"])
    done = run("info")
    assert done.exit_code == 70
    assert "please report it: KeyError: 'missing'" in done.stderr
    assert "Traceback" not in done.stderr
    monkeypatch.setenv("CALIBRANT_DEBUG", "1")
    assert "Traceback" in run("info").stderr


def test_a_bug_of_a_real_process():
    code = (
        "from calibrant.cli import main\n"
        "from calibrant.cli.commands import info\n"
        "info._find = lambda: 1 / 0\n"
        "main(['info'])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (70, "")
    assert "ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr


def test_too_little_memory_is_no_bug(run, raw, monkeypatch):
    from calibrant._calibration_test import _front as module

    def hungry(*_, **__):
        raise MemoryError

    monkeypatch.setattr(module, "as_predictions", hungry)
    done = run("test", raw)
    assert done.exit_code == 4
    assert "not enough memory" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
@pytest.mark.parametrize("name", ["big.npz", "-"])
def test_an_interrupt_ends_with_130_and_leaves_no_file(tmp_path, number, name):
    path, out = tmp_path / "big.npz", tmp_path / "out.json"
    assert process("simulate", "m1", "--rows", "5000", "-o", path).returncode == 0
    out.write_text("before")
    source = path if name == "big.npz" else name
    command = [*CALIBRANT, "test", source, "--resamples", "100000", "--json", out]
    with path.open("rb") as data:
        running = subprocess.Popen(
            list(map(str, command)),
            stdin=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(tmp_path)},
        )
        time.sleep(3)
        assert running.poll() is None
        running.send_signal(number)
        stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 130
    assert stdout == ""
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert out.read_text() == "before"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["big.npz", "out.json"]


def test_an_interrupt_ends_the_threads_of_a_command_at_their_next_step():
    from calibrant.cli._interrupt import interruptible
    from calibrant.cli._progress import shown_progress

    with shown_progress("testing", quiet=True) as progress:
        with interruptible(), pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            progress(2, 2)
        with interruptible():  # another command of the same process
            progress(2, 2)


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


def on_a_terminal(*args, columns=200, stderr=None, code=None, **environment):
    """Run on a pseudo-terminal and return what a person would see."""
    main, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
    unset = ("NO_COLOR", "COLUMNS", "LINES")
    env = {key: value for key, value in os.environ.items() if key not in unset}
    env |= {"TERM": "xterm-256color"} | environment
    command = [sys.executable, "-c", code] if code else CALIBRANT
    with subprocess.Popen(
        [*command, *map(str, args)], stdin=child, stdout=child, stderr=stderr or child, env=env
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


#: the command with a bar from the first moment on
AT_ONCE = (
    "import sys\n"
    "from calibrant._execution import limited\n"
    "from calibrant.cli import main\n"
    "with limited(progress_delay=0.0):\n"
    "    main(sys.argv[1:])"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="terminals end differently elsewhere")


@linux
def test_colors_on_a_terminal_that_wants_them(raw):
    assert "\x1b[31m\x1b[1mEvidence against calibration" in on_a_terminal("test", raw, "-q")
    assert "\x1b[" not in on_a_terminal("test", raw, "-q", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("test", raw, TERM="dumb", code=AT_ONCE)
    assert "\x1b[" not in process("test", raw).stdout


@linux
@pytest.mark.parametrize("columns", [40, 80])
def test_pages_and_messages_fit_the_terminal(files_of_models, columns):
    folder = files_of_models["raw"].parent
    for args in (("measure", "raw.csv"), ("check", "raw.csv"), ("test", "none.csv", "-q")):
        code = f"import os\nos.chdir({str(folder)!r})\n" + AT_ONCE.replace("0.0", "9e9")
        seen = on_a_terminal(*args, columns=columns, code=code, NO_COLOR="1")
        lines = seen.replace("\r", "").splitlines()
        assert max(map(len, lines)) <= columns, args
        assert len(lines) > 1


@linux
def test_a_bar_with_the_remaining_time_on_a_terminal(raw):
    seen = on_a_terminal("test", raw, "--resamples", 2000, code=AT_ONCE)
    assert re.search(r"testing.* \d+ %.* left .*\d:\d\d:\d\d", seen)
    assert seen.rstrip().endswith("the same seed gives the same result")
    plain = on_a_terminal("test", raw, "--resamples", 2000, "-q", code=AT_ONCE)
    assert "left" not in plain


@linux
def test_no_bar_where_standard_error_is_no_terminal(raw, tmp_path):
    with (tmp_path / "log").open("w+") as log:
        seen = on_a_terminal("test", raw, stderr=log, code=AT_ONCE)
        log.seek(0)
        told = log.read()
    assert "left" not in seen
    assert "\x1b" not in told
    assert "\r" not in told


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


def processor_seconds(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process(*args).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("args", [(), ("gate",), ("simulate",)], ids=str)
def test_help_takes_less_than_a_third_of_a_second(args):
    # time of the processor, the best of three: a busy machine does not count
    assert min(processor_seconds(*args, "--help") for _ in range(3)) < 0.3


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


@pytest.mark.parametrize(
    ("shell", "one"),
    [
        ("bash", "plain,{}\n"),
        ("zsh", "plain\n{}\n{help}\n"),
        ("fish", "plain,{}\t{help}\n"),
    ],
)
def test_shells_complete_commands_and_options(shell, one):
    def completed(words, last):
        # bash and zsh tell the number of the word, fish the word itself
        number = last if shell == "fish" else str(len(words.split()) - 1)
        env = os.environ | {"COMP_WORDS": words, "COMP_CWORD": number}
        return process(env=env | {"_CALIBRANT_COMPLETE": f"{shell}_complete"}).stdout

    def expected(name, text):
        return one.format(name, help=text)

    if shell == "bash":
        assert completed("calibrant ga", "ga") == "plain,gate\n"
        assert completed("calibrant test --one-", "--one-") == "plain,--one-based\n"
    else:
        assert "gate" in completed("calibrant ga", "ga")
        text = "The labels are positions that start at 1."
        assert completed("calibrant test --one-", "--one-") == expected("--one-based", text)
    script = process(env=os.environ | {"_CALIBRANT_COMPLETE": f"{shell}_source"})
    assert script.returncode == 0
    assert "_CALIBRANT_COMPLETE" in script.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_script_of_bash_runs_in_bash():
    script = process(env=os.environ | {"_CALIBRANT_COMPLETE": "bash_source"}).stdout
    ask = f"{script}\ncomplete -p calibrant"
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=False)
    if "4.4" in done.stdout + done.stderr:
        pytest.skip("this bash is too old")
    assert done.stdout.endswith("-F _calibrant_completion calibrant\n")


def test_an_unknown_shell_is_a_matter_of_usage():
    assert process(env=os.environ | {"_CALIBRANT_COMPLETE": "tcsh_source"}).returncode == 2


def test_progress_tells_the_remaining_time_in_a_log(capsys, limit):
    from calibrant.cli import _progress

    limit(progress_delay=0.0)
    with _progress.shown_progress("testing") as progress:
        progress(1, 4)
        progress(2, 4)  # the next line waits
        progress(4, 4)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("testing: 25 %, less than a second left")
    assert captured.err.count("\n") == 1
    with _progress.shown_progress("testing", quiet=True) as progress:
        progress(1, 4)
    assert capsys.readouterr().err == ""
