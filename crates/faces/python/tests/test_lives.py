"""What lives and dies with the interpreter: Ctrl-C, forks, exits. Each in a process of its own."""

from __future__ import annotations

import os
import select
import subprocess
import uuid
from pathlib import Path
from typing import Callable

import pytest

Run = Callable[[str], "subprocess.CompletedProcess[str]"]

# Interrupts the main thread once it is inside of a call of the engine.
INTERRUPT = """
import os, signal, sys, threading
main = threading.main_thread().ident
def interrupt_when_in(name):
    def watch():
        while sys._current_frames()[main].f_code.co_name != name:
            pass
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=watch).start()
"""

# Tells which processes and groups are there, for the test to look for afterwards.
START = """
import os, sys, threading
import stillpoint as sp
desktop = sp.desktop(640, 480).start()
page = sp.web("data:text/html,<title>Hello</title><button>Go</button>")
program = desktop.run(["sleep", "600"])
print(desktop.env()["STILLPOINT_DESKTOP"], page.info["pid"], program.pid, flush=True)
"""


def carriers(cookie: str, variable: str = "STILLPOINT_DESKTOP") -> list[int]:
    """The processes of a desktop, known by its cookie in their environment; or those with another variable."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"{variable}={cookie}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it ended meanwhile
    return found


def members(group: int) -> list[int]:
    """The processes of a group that are not dead already."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, of = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue  # it ended meanwhile
            if int(of) == group and state not in "ZX":
                found.append(int(entry.name))
    return found


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone; the kernel may take a moment."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([watched], [], [], 30)[0])
    finally:
        os.close(watched)


def all_gone(told: str) -> None:
    cookie, browser, program = told.split()
    assert carriers(cookie) == []
    for pid in members(int(browser)) + members(int(program)):
        assert ends(pid), f"process {pid} lives on"


def test_ctrl_c_ends_a_wait(python: Run) -> None:
    done = python(
        INTERRUPT
        + """
import stillpoint as sp
app = sp.connect("sim:login")
interrupt_when_in("ask")
try:
    app.wait_for_ui("#nobody", timeout_ms=3_600_000)
except KeyboardInterrupt:
    print("interrupted", "cancelled" in app.story(), app.find("#username").type("ada").verified)
"""
    )
    assert done.stdout.split() == ["interrupted", "True", "True"], done.stderr


@pytest.mark.parametrize(
    ("opening", "inside"),
    [("sp.web('data:text/html,x')", "open_session"), ("sp.desktop(640, 480).start()", "start_desktop")],
    ids=["browser", "desktop"],
)
def test_ctrl_c_while_something_starts_leaves_nothing(python: Run, opening: str, inside: str) -> None:
    mark = str(uuid.uuid4())
    done = python(
        INTERRUPT
        + f"""
os.environ["STILLPOINT_TEST_MARK"] = "{mark}"
import stillpoint as sp
interrupt_when_in("{inside}")
try:
    {opening}
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert done.stdout.split() == ["interrupted"], done.stderr
    for pid in carriers(mark, "STILLPOINT_TEST_MARK"):
        assert ends(pid), f"process {pid} lives on"


def test_ctrl_c_ends_a_wait_of_a_loop(python: Run) -> None:
    done = python(
        """
import asyncio, os, signal, threading
from stillpoint import aio
async def main():
    app = await aio.connect("sim:login")
    waiting = asyncio.create_task(app.wait_for_ui("#nobody", timeout_ms=3_600_000))
    await app.find("#username").type("ada")
    threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()
    await waiting
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert done.stdout.split() == ["interrupted"], done.stderr


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("raise ValueError('on purpose')", 1),
        ("threading.Thread(target=page.wait_for_ui, args=('#nobody',), daemon=True).start(); sys.exit(7)", 7),
        ("page.close(); desktop.close(); page.close(); desktop.close()", 0),
        ("del page, desktop", 0),
    ],
    ids=["exception", "exit beside a thread that waits", "closed", "forgotten"],
)
def test_nothing_outlives_the_interpreter(python: Run, ending: str, code: int) -> None:
    done = python(START + ending)
    assert done.returncode == code, done.stderr
    assert "panicked" not in done.stderr and "FATAL" not in done.stderr
    all_gone(done.stdout)


def test_a_killed_interpreter_leaves_no_desktop(python: Run) -> None:
    # Nothing of it runs any more; the desktop's own watchdog ends what is left.
    done = python(START + "page.close(); os.kill(os.getpid(), 9)")
    assert done.returncode == -9
    cookie = done.stdout.split()[0]
    for pid in carriers(cookie):
        assert ends(pid), f"process {pid} of the desktop lives on"


def test_a_forked_child_has_its_own_engine_and_leaves_the_parents_alone(python: Run) -> None:
    done = python(
        START
        + """
app = sp.connect("sim:login")
child = os.fork()
if child == 0:
    try:
        app.is_idle()
    except sp.TargetLost as error:
        own = sp.connect("sim:login")
        proof = own.find("#username").type("ada").verified
        print("child", proof, "forked" in error.message, flush=True)
        app.close(); page.close(); desktop.close()
    sys.exit(3)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
page.find('button "Go"').tap()
print("parent", status, app.find("#username").type("grace").verified, len(desktop.screenshot()) > 100, program.process.poll())
"""
    )
    lines = done.stdout.splitlines()
    assert lines[1:] == ["child True True", "parent 3 True True None"], done.stderr
    all_gone(lines[0])


def test_multiprocessing_works_beside_an_open_app(python: Run) -> None:
    done = python(
        """
import multiprocessing
import stillpoint as sp
def work(number):
    with sp.connect("sim:login") as app:
        app.find("#username").type(str(number))
        return app.find("#username").value
if __name__ == "__main__":
    with sp.connect("sim:login") as app:
        with multiprocessing.get_context("fork").Pool(3) as pool:
            print(pool.map(work, range(6)))
        print(app.find("#username").type("still here").verified)
"""
    )
    assert done.stdout.splitlines() == ["['0', '1', '2', '3', '4', '5']", "True"], done.stderr


def test_a_failed_block_ends_what_it_started(python: Run) -> None:
    done = python(
        """
import stillpoint as sp
try:
    with sp.desktop(640, 480) as desktop, desktop.run(["sleep", "600"]) as program:
        print(desktop.env()["STILLPOINT_DESKTOP"], program.pid, program.pid, flush=True)
        raise ValueError
except ValueError:
    print(program.process.poll())
    try:
        desktop.screenshot()
    except sp.TargetLost as error:
        print(error.code)
"""
    )
    first, code, error = done.stdout.splitlines()
    assert (code, error) == ("-15", "TARGET_LOST"), done.stderr
    all_gone(first)
