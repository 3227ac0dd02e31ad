"""The blocking API on the simulator: what a test author writes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

import stillpoint as sp
from stillpoint import expect


@pytest.fixture
def login() -> Iterator[sp.App]:
    with sp.connect("sim:login") as app:
        yield app


@pytest.fixture
def fixture_app() -> Iterator[sp.App]:
    with sp.connect("sim:fixture") as app:
        yield app


def test_an_action_proves_what_it_did_and_tells_what_changed(login: sp.App) -> None:
    login.find("#username").type("ada")
    login.find("#password").type("engine")
    done = login.find('button "Sign in"').tap(expect='heading "Welcome, ada"')
    assert done.verified and done.settled
    assert done.element is not None and done.element.label == "Sign in"
    assert done.revision_after > done.revision_before
    assert {e.label for e in done.delta.added} >= {"Welcome, ada", "Orders"}
    assert done.timing["settle"] > 0
    assert "verified" in str(done)


def test_a_locator_is_resolved_when_it_is_used(login: sp.App) -> None:
    welcome = login.find('heading "Welcome, ada"')
    assert not welcome.exists() and welcome.count() == 0 and welcome.all() == []
    login.find("#username").type("ada")
    login.find("#password").type("engine")
    login.find("#signin").tap()
    assert welcome.exists() and welcome.element().role == "heading"
    assert login.find("#orders").find("listitem").count() == 3


def test_several_matches_are_an_error_with_candidates_for_reading_and_for_acting() -> None:
    with sp.connect("sim:two_buttons") as app:
        apply = app.find('button "Apply"')
        for use in (apply.tap, apply.element, lambda: apply.text, lambda: expect(apply).to_be_enabled()):
            with pytest.raises(sp.AmbiguousTarget) as caught:
                use()
            assert len(caught.value.candidates) == 2
        assert [e.role for e in apply.all()] == ["button", "button"]
        first = apply.all()[0].selector
        assert first is not None and app.find(first).count() == 1
        assert apply.nth(1).element().id == apply.all()[1].id


def test_fields_make_a_selector_too(login: sp.App) -> None:
    assert login.find(role="textbox", label="Username").element().stable_id == "username"
    assert login.find({"resource_id": "username"}).element().label == "Username"
    with pytest.raises(sp.InvalidArgument):
        login.find()
    with pytest.raises(sp.InvalidSelector):
        login.find(role="textbox").nth(1)
    with pytest.raises(ValueError):
        login.find("button[").tap()


def test_what_an_element_shows_is_read_late(login: sp.App) -> None:
    field = login.find("#username")
    assert field.value in (None, "")
    field.set("grace")
    assert field.value == "grace" and field.text == "grace" and field.label == "Username"
    state = field.state
    assert state["enabled"] is True and "checked" not in state
    assert field.bounds is not None and field.bounds.width > 0


def test_expectations_wait_and_fail_with_what_was_seen(login: sp.App) -> None:
    assert expect(login.find("#banner")).to_have_text("Ready").observed == "Ready"
    expect(login.find("#signin")).to_be_disabled()
    expect(login.find("#problem")).to_be_hidden()
    expect(login.find("#problem")).to_exist()
    expect(login.find("#nobody")).to_be_gone()
    login.find("#username").type("ada")
    expect(login.find("#username")).to_have_value("ada")
    login.find("#username").focus()
    expect(login.find("#username")).to_be_focused()
    for failing in (
        lambda: expect(login.find("#banner")).to_have_text("Gone", timeout_ms=1000),
        lambda: expect(login.find("#nobody"), timeout_ms=1000).to_be_visible(),
        lambda: expect(login.find("#banner"), timeout_ms=1000).to_be_hidden(),
    ):
        with pytest.raises(AssertionError) as caught:
            failing()
        assert isinstance(caught.value, sp.VerificationFailed)
        assert caught.value.code == "VERIFICATION_FAILED" and caught.value.hint


def test_controls_are_set_and_expected(fixture_app: sp.App) -> None:
    fixture_app.find('button "Values page"').tap()
    slider = fixture_app.find('slider "Volume"')
    assert slider.set(40)["converged"] is True
    expect(slider).to_have_raw_value(40)
    fixture_app.find('button "Form page"').tap()
    agree = fixture_app.find('checkbox "I agree"')
    expect(agree).to_be_checked(False)
    agree.toggle()
    expect(agree).to_be_checked()
    assert agree.state["checked"] is True


def test_a_wait_that_runs_out_is_false_and_can_be_made_an_error(login: sp.App) -> None:
    assert login.wait_for_idle(timeout_ms=5000)
    late = login.wait_for_ui_change(timeout_ms=1000, stability_window_ms=10)
    assert not late and late.reason == "no_change" and "change" in late.story
    with pytest.raises(TimeoutError):
        late.require()
    with pytest.raises(sp.Timeout) as caught:
        login.find("#nobody").wait_for(timeout_ms=1000)
    assert caught.value.retryable


def test_a_block_can_be_expected_to_change_the_ui(login: sp.App) -> None:
    login.wait_for_idle()
    with login.expect_change(timeout_ms=3000, stability_window_ms=50) as change:
        login.find("#username").type("x", settle="none")
    assert change.wait and change.delta is not None
    assert any(c.get("value") == "x" for c in change.delta.changed)
    with pytest.raises(sp.Timeout):
        with login.expect_change(timeout_ms=1000, stability_window_ms=10):
            pass
    with pytest.raises(ZeroDivisionError):
        with login.expect_change():
            raise ZeroDivisionError


def test_a_snapshot_is_a_tree(login: sp.App) -> None:
    login.wait_for_idle()
    shot = login.snapshot()
    assert shot.title == "Sign in" and shot.url == "sim://login/" and not shot.truncated
    [root] = shot.roots
    field = next(e for e in shot if e.stable_id == "username")
    assert shot[field.id] is field and field.id in shot and "e9999" not in shot
    around = shot.parent(field)
    assert around is not None and field in shot.children(around)
    assert str(shot).splitlines()[0].startswith(f"rev {shot.revision} ") and 'textbox "Username"' in str(shot)
    assert "<pre>" in shot._repr_html_() and "&quot;" in shot._repr_html_()
    assert len(login.snapshot(max_nodes=3)) == 3 and login.snapshot(max_nodes=3).truncated
    assert len(login.snapshot(under="#form")) < len(shot)


def test_deltas_applied_one_after_the_other_give_exactly_the_snapshot(fixture_app: sp.App) -> None:
    app = fixture_app
    app.wait_for_idle()
    followed = app.snapshot()
    deltas = 0
    for page in ("Form", "Values", "Twins", "Checkout", "Dialog", "Form", "Login"):
        app.find(f'button "{page} page"').tap()
        if page == "Form":
            app.find('checkbox "I agree"').toggle()
        assert app.wait_for_idle()
        told = app.snapshot(since=followed.revision)
        now = app.snapshot()
        assert now.revision == told.revision
        if isinstance(told, sp.Delta):
            deltas += 1
            assert told
            followed = followed.apply(told)
            assert followed.data["elements"] == now.data["elements"]
            assert followed.data["screen"] == now.data["screen"]
        followed = now
    assert deltas >= 5
    with pytest.raises(ValueError):
        followed.apply(sp.Delta({"base_revision": 0, "snapshot_revision": 1}))


def test_a_delta_moves_adds_and_removes_in_the_order_that_its_indexes_say() -> None:
    def element(name: str, parent: str | None, **more: object) -> dict[str, object]:
        return {"element_id": name, "role": "group", **({"parent": parent} if parent else {}), **more}

    before = [element("e1", None), element("e2", "e1"), element("e3", "e2"), element("e4", "e1"), element("e5", "e1")]
    snapshot = sp.Snapshot({"snapshot_revision": 4, "elements": before})
    delta = {
        "base_revision": 4,
        "snapshot_revision": 6,
        "removed": ["e4"],
        "moved": [{"element_id": "e5", "parent": "e1", "index": 0}, {"element_id": "e3", "parent": "e1", "index": 2}],
        "added": [{"index": 1, **element("e6", "e1", label="new")}, {"index": 0, **element("e7", "e6")}],
        "changed": [{"element_id": "e2", "label": "other", "role": None}],
    }
    after = snapshot.apply(sp.Delta(delta))
    assert [e.id for e in after] == ["e1", "e5", "e6", "e7", "e3", "e2"]
    assert after["e3"].parent_id == "e1" and after["e2"].label == "other" and "role" not in after["e2"].data
    assert after.revision == 6


def test_a_delta_says_that_nothing_changed(login: sp.App) -> None:
    login.wait_for_idle()
    told = login.snapshot(since=login.revision)
    assert isinstance(told, sp.Delta) and not told and "unchanged" in str(told)
    with pytest.raises(sp.BaseRevisionUnavailable):
        login.snapshot(since=login.revision + 1000)


def test_changes_come_one_after_the_other_until_it_is_quiet() -> None:
    with sp.connect("sim:login") as app:
        seen = list(app.changes(timeout_ms=700, stability_window_ms=20))
        assert seen and all(later.base_revision >= earlier.revision for earlier, later in zip(seen, seen[1:]))


def test_a_picture_is_bytes_that_a_notebook_shows(login: sp.App) -> None:
    picture = login.screenshot()
    assert picture.startswith(b"\x89PNG") and isinstance(picture, bytes)
    assert picture.size == (800, 600) and picture._repr_png_() == picture
    assert login.find("#username").screenshot().size < picture.size


def test_a_flow_stops_at_the_first_failure(login: sp.App) -> None:
    flow = login.run_flow(
        [
            {"verb": "type_text", "selector": login.find("#username"), "text": "ada"},
            {"verb": "tap", "selector": "#nobody", "timeout_ms": 0},
            {"verb": "tap", "selector": "#signin"},
        ]
    )
    assert not flow and [s["status"] for s in flow.steps] == ["passed", "failed", "not_run"]


def test_the_mode_of_waiting_can_be_read_and_chosen() -> None:
    with sp.connect("sim:login?sdk=1") as app:
        assert app.sync_mode == "sdk" and app.sync_reason is None
        app.sync_mode = "events"
        assert app.sync_mode == "events" and app.sync_reason
        assert app.wait_for_idle().sync_mode == "events"
        with pytest.raises(sp.InvalidArgument):
            app.sync_mode = "hope"
    with sp.connect("sim:login", sync="heuristic") as app:
        assert app.sync_mode == "heuristic"


def test_an_exception_has_its_code_hint_and_story(login: sp.App) -> None:
    with pytest.raises(sp.NotActionable) as caught:
        login.find("#signin").tap(timeout_ms=500)
    error = caught.value
    assert error.code == "NOT_ACTIONABLE" and error.hint and error.retryable
    assert "tap #signin: failed" in error.story and "enabled" in error.story
    assert str(error) == f"{error.message}\nhint: {error.hint}"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is sp.NotActionable and again.story == error.story and str(again) == str(error)


def test_what_cannot_be_opened_says_what_to_do() -> None:
    with pytest.raises(sp.TargetNotFound) as caught:
        sp.connect("sim:nothing")
    assert caught.value.hint
    with pytest.raises(sp.InvalidArgument):
        sp.connect("nothing")
    with pytest.raises(sp.InvalidArgument):
        sp.app()
    with pytest.raises(sp.InvalidArgument):
        sp.app(name="a", pid=4)


def test_any_verb_can_be_asked_by_name(login: sp.App) -> None:
    refused = login.ask("tap", selector="#nobody", timeout_ms=0)
    assert refused["failure_code"] == "ELEMENT_NOT_FOUND" and refused.verdict == "no"
    with pytest.raises(sp.InvalidArgument, match="verb"):
        login.ask("dance")
    with pytest.raises(sp.InvalidArgument, match="takes"):
        login.ask("wait_for_idle", patience=3)
    with pytest.raises(TypeError):
        login.ask("tap", selector=object())


def test_a_closed_app_says_so_and_closing_twice_is_fine(login: sp.App) -> None:
    assert not login.closed
    login.close()
    login.close()
    assert login.closed
    with pytest.raises(sp.TargetLost):
        login.find("#signin").tap()
    assert "closed" in login.story()


def test_each_connection_is_a_session_of_its_own() -> None:
    with sp.connect("sim:login") as one, sp.connect("sim:login") as other:
        one.find("#username").type("ada")
        assert other.find("#username").value in (None, "")
        one.close()
        assert not other.closed and other.is_idle() in (True, False)


def test_the_trace_can_be_kept(login: sp.App, tmp_path) -> None:
    file = tmp_path / "trace.jsonl"
    login.record_to(str(file))
    login.find("#username").type("ada")
    assert any("action_id" in str(entry) for entry in login.trace())
    login.close()
    assert "type_text" in file.read_text()
    with pytest.raises(sp.StillpointError):
        sp.connect("sim:login", trace=str(tmp_path / "no" / "such" / "folder"))
