//! The figures of the idle SDK, as JSON on stdout (`--quick`: fewer samples): `script/bench idle`.
//!
//! Each figure is measured in batches; p50 and p99 are over the batches (over single wake-ups for latencies).

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use stillpoint_idle::{IdleClient, Resource, busy, track};

const BATCH: u32 = 10_000;

static HOT: Resource = Resource::new("network");

fn main() {
    if std::env::args().any(|word| word == "--app") {
        return app();
    }
    let quick = std::env::args().any(|word| word == "--quick");
    let batches = if quick { 50 } else { 1_000 };
    let wakes = if quick { 100 } else { 2_000 };

    let runtime_dir = std::env::temp_dir().join(format!("stillpoint-bench-{}", std::process::id()));
    std::fs::create_dir_all(&runtime_dir).expect("the temporary directory can be written");
    let mut other = App::start(&runtime_dir);
    let client = IdleClient::connect_in(&runtime_dir, other.child.id()).expect("the app reports");

    let mut figures = Vec::new();
    assert!(client.is_idle());
    let seed_is_idle = r#"{"seed": 800.0}"#;
    figures.push(batched("is_idle, app idle", batches, seed_is_idle, || {
        black_box(client.is_idle());
    }));
    other.ask("begin");
    figures.push(batched("is_idle, app busy", batches, seed_is_idle, || {
        black_box(client.is_idle());
    }));
    other.ask("end");
    other.ask("name64");
    figures.push(batched("is_idle, 64 resources in use, app idle", batches, seed_is_idle, || {
        black_box(client.is_idle());
    }));

    figures.push(batched("begin and end, fixed resource", batches, "{}", || drop(black_box(HOT.busy()))));
    let outer = HOT.busy();
    figures.push(batched("begin and end, nested", batches, "{}", || drop(black_box(HOT.busy()))));
    drop(outer);
    figures.push(batched("begin and end, by name", batches, "{}", || {
        drop(black_box(busy(black_box("network"))));
    }));
    figures.push(batched("track a future that is ready", batches, "{}", || {
        drop(black_box(track(black_box("network"), std::future::ready(()))));
    }));

    let mut latencies = Vec::new();
    for _ in 0..wakes {
        other.ask("pulse");
        assert!(client.wait_for_idle(Duration::from_secs(10)).is_idle());
        let woken = now_ns();
        let ended: u64 = other.line().parse().expect("a time");
        latencies.push(woken.saturating_sub(ended) as f64);
    }
    figures.push(figure(
        "wait_for_idle, woken after the last guard's end",
        &mut latencies,
        r#"{"seed": 45000000.0}"#,
    ));

    let mut connects: Vec<f64> = (0..wakes)
        .map(|_| {
            let begun = Instant::now();
            drop(black_box(IdleClient::connect_in(&runtime_dir, other.child.id())));
            begun.elapsed().as_nanos() as f64
        })
        .collect();
    figures.push(figure("connect again (pooled)", &mut connects, "{}"));

    drop(other);
    std::fs::remove_dir_all(&runtime_dir).ok();
    println!("{{\"figures\": [\n  {}\n]}}", figures.join(",\n  "));
}

fn batched(name: &str, batches: usize, peers: &str, mut body: impl FnMut()) -> String {
    (0..BATCH).for_each(|_| body());
    let mut samples: Vec<f64> = (0..batches)
        .map(|_| {
            let begun = Instant::now();
            (0..BATCH).for_each(|_| body());
            begun.elapsed().as_nanos() as f64 / f64::from(BATCH)
        })
        .collect();
    figure(name, &mut samples, peers)
}

fn figure(name: &str, samples: &mut [f64], peers: &str) -> String {
    samples.sort_by(f64::total_cmp);
    let at = |part: f64| samples[((samples.len() - 1) as f64 * part) as usize];
    format!(
        r#"{{"name": "{name}", "unit": "ns", "ours": {p50:.1}, "p50": {p50:.1}, "p99": {p99:.1}, "samples": {count}, "peers": {peers}, "command": "script/bench idle"}}"#,
        p50 = at(0.5),
        p99 = at(0.99),
        count = samples.len(),
    )
}

fn now_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct App {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl App {
    fn start(runtime_dir: &std::path::Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .arg("--app")
            .env("XDG_RUNTIME_DIR", runtime_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started again");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut app = Self { child, input, output };
        app.line();
        app
    }

    fn ask(&mut self, what: &str) {
        writeln!(self.input, "{what}").expect("the app listens");
        self.line();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the app answers");
        line.trim().to_owned()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The other process: holds and ends guards as it is told.
fn app() {
    static WORK: Resource = Resource::new("work");
    drop(WORK.busy());
    println!("ready");
    let mut held = None;
    for line in std::io::stdin().lines() {
        match line.expect("a pipe").as_str() {
            "begin" => held = Some(WORK.busy()),
            "end" => held = None,
            "name64" => (0..63).for_each(|index| drop(busy(&format!("resource {index}")))),
            "pulse" => {
                let work = WORK.busy();
                println!("busy");
                // So that the reader sleeps: what is measured is a wake-up.
                std::thread::sleep(Duration::from_millis(1));
                let ended = now_ns();
                drop(work);
                println!("{ended}");
                continue;
            }
            _ => {}
        }
        println!("ok");
    }
    drop(held);
}
