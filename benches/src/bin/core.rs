//! `script/bench core`: what the pure core costs.

use std::cell::Cell;
use std::path::PathBuf;
use stillpoint_benches::measure::{Samples, each, many};
use stillpoint_benches::report::Report;
use stillpoint_benches::{heap, shape};
use stillpoint_core::Moment;
use stillpoint_core::render::{EmitOptions, SnapshotView, delta_text, elements, emit, snapshot_text};
use stillpoint_core::revise::{Mirror, Revision};
use stillpoint_core::select::{Generator, Selector, Visibility, resolve};
use stillpoint_core::settle::{LoadingState, StabilityState, loading_state};
use stillpoint_core::tree::{Change, Limits, NativeKey, NewNode, Prop, Props, Rect, Role, State, StateValue};

#[global_allocator]
static HEAP: heap::Counted = heap::Counted;

const LARGE: usize = 50_000;
const SCREEN: usize = 2_048;
const SEARCHED: usize = 10_000;
const SAMPLES: usize = 20_000;
const ROWS: usize = 2_000;

/// A part of the bench by its name.
type Part = (&'static str, fn(&mut Report));

fn main() -> std::io::Result<()> {
    let file =
        std::env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench/core.json"), PathBuf::from);
    // A second argument takes one part alone, for a profiler.
    let only = std::env::args().nth(2);
    let mut report = Report::new("core");
    let parts: [Part; 5] = [
        ("memory", memory),
        ("changes", changes),
        ("digests", digests),
        ("telling", telling),
        ("finding", finding),
    ];
    for (_, part) in parts.into_iter().filter(|(name, _)| only.as_deref().is_none_or(|o| o == *name)) {
        part(&mut report);
    }
    report.finish(&file)
}

fn memory(report: &mut Report) {
    let before = heap::held();
    let mirror = shape::mirror(LARGE);
    let held = heap::held() - before;
    report.number(
        "memory for each mirrored node, 50,000 nodes",
        "bytes",
        held as f64 / mirror.tree().len() as f64,
        Some(300.0),
    );
}

/// A clock for the mirror: every batch is a millisecond after the last, long enough apart to make no node volatile.
fn ticking() -> impl FnMut() -> Moment {
    let now = Cell::new(0);
    move || {
        now.set(now.get() + 1);
        Moment::from_millis(now.get())
    }
}

/// Elements all over the tree, none twice in a row.
fn somewhere(n: usize) -> u64 {
    (n.wrapping_mul(7919) % (LARGE - 9) + 9) as u64
}

/// A leaf near the bottom; the last level of a tree of fifty thousand starts long before it.
fn leaf(n: usize) -> u64 {
    (n.wrapping_mul(7919) % 30_000 + 15_000) as u64
}

fn update(key: u64, prop: Prop) -> Vec<Change> {
    vec![Change::Update { key: NativeKey(key), props: vec![prop] }]
}

fn text(n: usize) -> Vec<Change> {
    update(leaf(n), Prop::Label(Some(format!("Changed {n}").into())))
}

fn state(n: usize) -> Vec<Change> {
    update(leaf(n), Prop::State(State::Enabled, Some(StateValue::from(!n.is_multiple_of(2)))))
}

fn bounds(n: usize) -> Vec<Change> {
    update(somewhere(n), Prop::Bounds(Some(Rect::new(n as i32 % 1000, n as i32 % 700, 88, 22))))
}

fn row(n: usize) -> NewNode {
    let cell = |i: usize| {
        let key = NativeKey((LARGE + n * 4 + i) as u64);
        NewNode::new(key, Props::new(Role::Cell).labelled(&format!("Cell {n} {i}")).at(0, 0, 80, 20))
    };
    let mut row = cell(0);
    row.props = Props::new(Role::Row).labelled(&format!("Row {n}")).at(0, 0, 400, 20);
    row.child(cell(1)).child(cell(2)).child(cell(3))
}

/// One batch in which a row of three cells comes and the row that came last goes.
fn turnover(n: usize) -> Vec<Change> {
    let gone = NativeKey((LARGE + n.saturating_sub(1) * 4) as u64);
    let parent = NativeKey(300 + n as u64 % 2000);
    vec![Change::Insert { parent, index: 3, node: row(n) }, Change::Remove { key: gone }]
}

fn changes(report: &mut Report) {
    type Kind = (&'static str, fn(usize) -> Vec<Change>, Option<f64>);
    let kinds: [Kind; 4] = [
        ("text update", text, Some(2.0)),
        ("state update", state, Some(2.0)),
        ("bounds update", bounds, Some(2.0)),
        ("a row of 4 in, a row of 4 out", turnover, None),
    ];
    for (name, change, aim) in kinds {
        let mut mirror = shape::mirror(LARGE);
        let mut now = ticking();
        let samples = each(SAMPLES, |n| (change(n), now()), |(changes, at)| mirror.apply(changes, at));
        report.time(&format!("apply to 50,000 nodes: {name}"), &samples, aim);
    }
    for (name, change, _) in kinds {
        let mut mirror = shape::mirror(LARGE);
        let mut now = ticking();
        let samples = after_snapshot(&mut mirror, &mut now, change);
        report.time(&format!("the same right after a snapshot: {name}"), &samples, None);
    }
    let mut mirror = list();
    let mut now = ticking();
    let samples = each(40, |n| (redraw(n), now()), |(changes, at)| mirror.apply(changes, at));
    report.time("a list of 2,000 rows drawn anew, its ids kept", &samples, None);
}

/// The rows of a list as the platform makes them for the n-th time: other objects, the same words.
fn rows(n: usize) -> impl Iterator<Item = NewNode> {
    let key = move |row: usize| NativeKey((1 + n * ROWS + row) as u64);
    (0..ROWS).map(move |row| {
        NewNode::new(
            key(row),
            Props::new(Role::Row).labelled(&format!("Row {row}")).at(0, row as i32 * 20, 400, 20),
        )
    })
}

fn list() -> Mirror {
    let whole = rows(0).fold(NewNode::new(NativeKey(0), Props::new(Role::List)), NewNode::child);
    let mut mirror = Mirror::new(Limits::default());
    mirror.apply(vec![Change::Replace(whole)], Moment::START);
    mirror
}

/// One batch in which all rows of the list go and their like come.
fn redraw(n: usize) -> Vec<Change> {
    let gone = rows(n).map(|row| Change::Remove { key: row.key });
    let come =
        rows(n + 1).enumerate().map(|(index, node)| Change::Insert { parent: NativeKey(0), index, node });
    gone.chain(come).collect()
}

/// A snapshot is held while the change is applied, so that what both share has to be copied first.
fn after_snapshot(
    mirror: &mut Mirror,
    now: &mut impl FnMut() -> Moment,
    change: fn(usize) -> Vec<Change>,
) -> Samples {
    let mirror = std::cell::RefCell::new(mirror);
    each(
        SAMPLES / 4,
        |n| {
            let at = now();
            (mirror.borrow().snapshot(at), change(n), at)
        },
        |(snapshot, changes, at)| (mirror.borrow_mut().apply(changes, at), snapshot),
    )
}

fn digests(report: &mut Report) {
    let mirror = shape::mirror(SCREEN);
    let samples = each(2_000, |_| (), |()| mirror.tree().hashes_from_scratch());
    report.time("both digests of 2,048 nodes from scratch", &samples, Some(150.0));
    let samples = many(2_000, 64, || mirror.snapshot(Moment::START));
    report.time("snapshot handle of 2,048 nodes", &samples, Some(1.0));
}

fn telling(report: &mut Report) {
    let mut mirror = shape::mirror(SCREEN);
    let snapshot = mirror.snapshot(Moment::START);
    let options = EmitOptions::default();
    let view = SnapshotView {
        target: "sim:bench",
        snapshot: &snapshot,
        stability: StabilityState::Stable,
        loading: LoadingState::default(),
        options,
    };
    let samples = each(1_000, |_| (), |()| snapshot_text(&view));
    report.time("compact text of 2,048 nodes", &samples, Some(2_000.0));
    report.number("compact text of 2,048 nodes, size", "bytes", snapshot_text(&view).len() as f64, None);
    let samples = each(1_000, |_| (), |()| emit(&snapshot.tree, &options));
    report.time("choosing what is told of 2,048 nodes", &samples, None);
    let samples = each(300, |_| (), |()| serde_json::to_string(&view.to_json()));
    report.time("JSON of 2,048 nodes, selectors included", &samples, None);
    let samples = each(300, |_| (), |()| elements(&snapshot.tree, &options));
    report.time("elements of 2,048 nodes with their selectors", &samples, None);
    let samples = each(2_000, |_| (), |()| loading_state(mirror.tree(), None));
    report.time("loading state of 2,048 nodes", &samples, None);

    mirror.apply(update(700, Prop::Label(Some("Changed".into()))), Moment::from_millis(1));
    let base = Revision(mirror.revision().0 - 1);
    let samples = each(5_000, |_| (), |()| mirror.delta_since(base));
    report.time("delta since the last revision, one change", &samples, None);
    let delta = mirror.delta_since(base);
    let samples = each(5_000, |_| (), |()| delta.as_ref().map(|d| delta_text(d, mirror.tree())));
    report.time("its compact text", &samples, None);
}

fn finding(report: &mut Report) {
    let mirror = shape::mirror(SEARCHED);
    let save = (5_000..SEARCHED)
        .find(|n| mirror.tree().by_label(&format!("Save {n}")).len() == 1)
        .unwrap_or_default();
    let id = (5_001..SEARCHED)
        .find(|n| mirror.tree().by_stable_id(&format!("item_{n}")).len() == 1)
        .unwrap_or_default();
    let selectors = [
        ("role and label", format!("button \"Save {save}\"")),
        ("stable id", format!("#item_{id}")),
        ("contains", format!("~\"save {save}\"")),
    ];
    for (name, text) in selectors {
        let Ok(selector) = Selector::parse(&text) else { continue };
        let samples = each(2_000, |_| (), |()| resolve(mirror.tree(), &selector, Visibility::VisibleFirst));
        report.time(&format!("find in 10,000 nodes by {name}: {text}"), &samples, Some(200.0));
    }
    let screen = shape::mirror(SCREEN);
    let view = screen.tree().view();
    let samples = each(
        200,
        |_| (),
        |()| {
            let generator = Generator::new(&view);
            view.iter().filter_map(|(id, _)| generator.selector(id)).count()
        },
    );
    report.time("selectors for 2,048 nodes", &samples, None);
}
