//! The page's script, in a JavaScript engine with just enough of a page around it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

fn run(body: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/stillpoint-idle.js");
    let script = script.to_str().unwrap();
    let code = format!(
        "const assert = require('node:assert');
         const realTimeout = setTimeout;
         let answer;
         globalThis.fetch = () => new Promise((resolve, reject) => {{ answer = {{resolve, reject}}; }});
         require({script:?});
         const {{ idle }} = stillpoint;
         const state = globalThis.__stillpointIdle;
         (async () => {{ {body} }})().catch((error) => {{ console.error(error); process.exit(1); }});"
    );
    let done = Command::new("node").args(["-e", &code]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn work_counts_until_its_end_is_called() {
    run("
        assert(idle.isIdle());
        const one = idle.busy('search'), two = idle.busy('search');
        assert.deepEqual([state.busy, state.resources.search.count], [2, 2]);
        one(); one();
        assert.equal(state.busy, 1, 'an end counts once');
        assert.equal(idle.busyResources()[0].name, 'search');
        let idleSeen = false;
        const waiting = idle.whenIdle().then(() => { idleSeen = true; });
        two();
        await waiting;
        assert(idleSeen && idle.isIdle() && idle.busyResources().length === 0);
    ");
}

#[test]
fn names_beyond_the_64th_count_together() {
    run("
        const ends = Array.from({length: 70}, (_, index) => idle.busy('r' + index));
        assert.equal(state.resources['(other)'].count, 6);
        assert.equal(state.busy, 70);
        ends.forEach((end) => end());
        assert(idle.isIdle());
    ");
}

#[test]
fn a_request_is_busy_until_it_is_answered_or_fails() {
    run("
        idle.track();
        const good = fetch('/a');
        assert.equal(idle.busyResources()[0].name, 'fetch');
        answer.resolve('yes');
        assert.equal(await good, 'yes');
        assert(idle.isIdle());
        const bad = fetch('/b');
        answer.reject(new Error('no'));
        await assert.rejects(bad);
        assert(idle.isIdle());
    ");
}

#[test]
fn a_short_timer_is_work_and_a_long_one_or_a_cancelled_one_is_not() {
    run("
        idle.track();
        const long = setTimeout(() => {}, 60000);
        assert(idle.isIdle());
        clearTimeout(long);
        const cancelled = setTimeout(() => {}, 1000);
        assert.equal(idle.busyResources()[0].name, 'timer');
        clearTimeout(cancelled);
        assert(idle.isIdle());
        await new Promise((resolve) => setTimeout(() => { assert(!idle.isIdle()); resolve(); }, 1));
        await idle.whenIdle();
        await idle.during('promise', Promise.resolve(1));
        await idle.whenIdle();
    ");
}
