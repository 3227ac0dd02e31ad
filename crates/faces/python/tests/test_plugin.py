"""The pytest plugin, as its users have it: loaded by its entry point."""

from __future__ import annotations

import json

import pytest


def test_a_failure_brings_its_story_its_trace_and_a_picture(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_login="""
        import pytest
        from stillpoint import expect

        @pytest.mark.stillpoint("sim:login")
        def test_fails(app):
            app.find("#username").type("ada")
            expect(app.find("#nobody")).to_be_visible(timeout_ms=1000)

        @pytest.mark.stillpoint("sim:login")
        def test_passes(app):
            assert app.find("#username").exists()
        """
    )
    result = pytester.runpytest_subprocess("--stillpoint-trace", "kept")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*stillpoint sim:login*", "*type_text #username: verified*", "*textbox \"Username\"*"])
    [folder] = (pytester.path / "kept").iterdir()
    assert folder.name.endswith("test_fails")
    assert "expected #nobody visible" in (folder / "0.txt").read_text()
    entries = [json.loads(line) for line in (folder / "0.jsonl").read_text().splitlines()]
    assert len(entries) > 1
    assert (folder / "0.png").read_bytes().startswith(b"\x89PNG")


def test_the_target_comes_from_the_mark_the_command_line_or_the_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nstillpoint_target = sim:login\n")
    pytester.makepyfile(
        """
        import pytest
        def test_usual(app, request):
            assert app.target == (request.config.getoption("--stillpoint-target") or "sim:login")
        @pytest.mark.stillpoint("sim:dialog", sync="events")
        def test_marked(app):
            assert app.target == "sim:dialog" and app.sync_mode == "events"
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)
    pytester.runpytest_subprocess("--stillpoint-target", "sim:clock").assert_outcomes(passed=2)


def test_without_a_target_the_fixture_says_what_to_do(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(app): pass")
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*pytest.mark.stillpoint*"])


def test_programs_and_pages_have_fixtures(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.stillpoint(command=["gtk3-widget-factory"])
        def test_program(app, desktop):
            assert app.find(role="window", index=0).exists() or app.find(role="frame", index=0).exists()
            assert desktop.screenshot().size == (1280, 800)
        def test_page(web):
            page = web("data:text/html,<title>Hello</title><button>Go</button>")
            assert page.find('button "Go"').tap()
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


def test_apps_of_a_loop_are_told_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio
        from stillpoint import aio
        kept = []
        def test_fails():
            async def main():
                app = await aio.connect("sim:login")
                kept.append(app)
                await app.find("#nobody").tap(timeout_ms=0)
            asyncio.run(main())
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*stillpoint sim:login*", "*tap #nobody: failed*", "*picture: *0.png"])
