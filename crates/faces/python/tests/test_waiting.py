"""Many waits at once, in threads and in tasks. That they overlap is proven by order: each wait ends only by what the
next one does after its own, so that a wait that had to queue would never end."""

from __future__ import annotations

import asyncio
import threading

import pytest

import stillpoint as sp
from stillpoint import aio

LONG = 60_000


def test_ten_threads_wait_at_once_on_one_app() -> None:
    order: list[int] = []
    with sp.connect("sim:login") as app:
        field = app.find("#username")

        def link(number: int) -> None:
            field.wait_for(condition=f"value=step {number}", timeout_ms=LONG)
            order.append(number)
            field.type(f"step {number - 1}", settle="none")

        threads = [threading.Thread(target=link, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        field.type("step 9", settle="none")
        for thread in threads:
            thread.join()
        assert order == list(range(9, -1, -1))
        # The last action did not wait for its effect.
        sp.expect(field).to_have_value("step -1")


def test_a_hundred_tasks_wait_at_once_on_one_loop() -> None:
    order: list[int] = []

    async def main() -> None:
        async with await aio.connect("sim:login") as app:
            field = app.find("#username")

            async def link(number: int) -> None:
                await field.wait_for(condition=f"value=step {number}", timeout_ms=LONG)
                order.append(number)
                await field.type(f"step {number - 1}", settle="none")

            tasks = [asyncio.create_task(link(number)) for number in range(100)]
            await field.type("step 99", settle="none")
            await asyncio.gather(*tasks)
            await aio.expect(field).to_have_value("step -1")

    asyncio.run(main())
    assert order == list(range(99, -1, -1))


def test_a_hundred_apps_are_opened_and_awaited_at_once() -> None:
    async def one(number: int) -> bool:
        async with await aio.connect(f"sim:login?seed={number}") as app:
            return bool(await app.wait_for_idle())

    async def main() -> list[bool]:
        return await asyncio.gather(*(one(number) for number in range(100)))

    assert asyncio.run(main()) == [True] * 100


def test_the_loop_goes_on_while_a_task_waits() -> None:
    async def main() -> int:
        turns = 0
        async with await aio.connect("sim:login") as app:
            waiting = asyncio.create_task(app.wait_for_ui("#nobody", timeout_ms=1000))
            while not waiting.done():
                turns += 1
                await asyncio.sleep(0)
            assert not await waiting
        return turns

    assert asyncio.run(main()) > 10


def test_a_cancelled_task_cancels_its_wait() -> None:
    async def main() -> str:
        async with await aio.connect("sim:login") as app:
            waiting = asyncio.create_task(app.wait_for_ui("#nobody", timeout_ms=LONG))
            for _ in range(3):
                await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            # The engine notes the end of a wait in its trace once it is over.
            while "#nobody" not in app.story():
                await asyncio.sleep(0)
            return app.story()

    assert "cancelled" in asyncio.run(main())


def test_a_wait_can_be_given_a_timeout_by_asyncio() -> None:
    async def main() -> None:
        async with await aio.connect("sim:login") as app:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(app.find("#nobody").wait_for(timeout_ms=LONG), 0.05)
            assert await app.find("#username").exists()

    asyncio.run(main())


def test_loops_in_several_threads_have_one_engine() -> None:
    done: list[bool] = []

    async def main() -> None:
        async with await aio.connect("sim:login") as app:
            done.append(bool(await app.wait_for_idle()))

    threads = [threading.Thread(target=lambda: asyncio.run(main())) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 5


def test_coroutines_do_what_their_blocking_twins_do() -> None:
    async def main() -> None:
        async with await aio.connect("sim:login") as app:
            await aio.expect(app.find("#banner")).to_have_text("Ready")
            async with app.expect_change(stability_window_ms=20) as change:
                await app.find("#username").type("ada")
            assert change.wait
            assert await app.find("#username").value == "ada"
            assert (await app.find("#username").state)["enabled"] is True
            assert (await app.snapshot()).title == "Sign in"
            assert (await app.screenshot()).size == (800, 600)
            assert await app.is_idle() in (True, False)
            seen = [delta async for delta in app.changes(timeout_ms=500, stability_window_ms=10)]
            assert seen == []
            with pytest.raises(sp.ElementNotFound):
                await app.find("#nobody").element()
            with pytest.raises(sp.InvalidArgument):
                await app.ask("dance")
        with pytest.raises(sp.TargetNotFound):
            await aio.connect("sim:nothing")

    asyncio.run(main())
