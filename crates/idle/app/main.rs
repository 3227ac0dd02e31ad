//! A pretend app. Reads commands from stdin, one to a line, and answers each with one line: the other side of the tests,
//! and a way to try a reader by hand.
#![allow(unsafe_code, reason = "fork, exec, limits and signals are what is tested")]

use std::collections::HashMap;
use std::ffi::c_int;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use stillpoint_idle::{Guard, IdleClient, Reporter, Resource, busy};

const HELP: &str = "begin NAME [TIMES] | end NAME [TIMES] | many COUNT | handover | pulse NAME ROUNDS | status | \
                    hammer ROUNDS | stop | limit BYTES | fork NAME | fork-held NAME | exec quiet|again | storm COUNT | pid | quit";

fn main() {
    if std::env::args().nth(1).as_deref() == Some("quiet") {
        say("quiet");
        // Lives until the other side hangs up, without ever reporting.
        for _ in std::io::stdin().lines() {}
        return;
    }
    if std::env::args().nth(1).as_deref() == Some("again") {
        say("again");
    }
    let mut held = Held::default();
    let mut lines = std::io::stdin().lock().lines();
    while let Some(Ok(line)) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [verb, rest @ ..] = words.as_slice() else { continue };
        let first = rest.first().copied().unwrap_or_default();
        let number = |at: usize| rest.get(at).and_then(|word| word.parse::<usize>().ok()).unwrap_or(1);
        match *verb {
            "begin" => (0..number(1)).for_each(|_| held.begin(first)),
            "end" => (0..number(1)).for_each(|_| held.end(first)),
            "many" => (0..number(0)).for_each(|index| held.begin(&format!("r{index}"))),
            "handover" => handover(&mut lines),
            "pulse" => (0..number(1)).for_each(|_| drop(busy(first))),
            "stop" => Reporter::start().stop(),
            "limit" => limit_file_size(number(0) as u64),
            "hammer" => hammer(number(0)),
            "storm" => storm(number(0)),
            "fork" | "fork-held" => fork(first, *verb == "fork-held", &mut held),
            "exec" => {
                let error = Command::new("/proc/self/exe").args(rest).exec();
                say(&format!("exec failed: {error}"));
            }
            "quit" => return,
            "pid" | "status" => {}
            _ => {
                say(HELP);
                continue;
            }
        }
        match Reporter::start().status() {
            _ if *verb == "fork" || *verb == "fork-held" => {}
            _ if *verb == "pid" => say(&format!("ok {}", std::process::id())),
            Ok(path) => say(&format!("ok {}", path.display())),
            Err(error) => say(&format!("no {error}")),
        }
    }
}

#[derive(Default)]
struct Held(HashMap<String, Vec<Guard>>);

impl Held {
    fn begin(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default().push(busy(name));
    }

    fn end(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default().pop();
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // Who hung up needs no answer.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Three threads hand work on from one resource to the next, each without a gap, until the next line comes.
fn handover(lines: &mut impl Iterator<Item = std::io::Result<String>>) {
    static STATIONS: [Resource; 4] =
        [Resource::new("north"), Resource::new("east"), Resource::new("south"), Resource::new("west")];
    let enough = AtomicBool::new(false);
    let running = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        let start = |thread: usize| {
            let (enough, running) = (&enough, &running);
            scope.spawn(move || {
                let mut now = STATIONS[thread].busy();
                running.wait();
                for round in 0.. {
                    let next = STATIONS[(thread + round) % 4].busy();
                    drop(now);
                    now = next;
                    if enough.load(SeqCst) {
                        return;
                    }
                }
            })
        };
        let threads: Vec<_> = (0..3).map(start).collect();
        running.wait();
        say("handing");
        lines.next();
        enough.store(true, SeqCst);
        for thread in threads {
            drop(thread.join());
        }
    });
}

/// Threads name, count, read and wait at once in one process, where a sanitizer of threads sees both sides.
fn hammer(rounds: usize) {
    Reporter::start();
    let enough = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let work = |thread: usize| {
            move || (0..rounds).for_each(|n| drop(busy(&format!("r{}", (n * 3 + thread) % 70))))
        };
        let read = || {
            // A client each: clients share the mapping, and what is to be hammered is that.
            let Some(client) = IdleClient::connect(std::process::id()) else { return };
            while !enough.load(SeqCst) {
                client.busy_resources();
                client.wait_for_idle(Duration::from_millis(1));
            }
        };
        let workers: Vec<_> = (0..3).map(|thread| scope.spawn(work(thread))).collect();
        let readers: Vec<_> = (0..2).map(|_| scope.spawn(read)).collect();
        // Joined one by one: the sanitizer knows what that orders, and not what the end of a scope does.
        for worker in workers {
            drop(worker.join());
        }
        enough.store(true, SeqCst);
        for reader in readers {
            drop(reader.join());
        }
    });
}

fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a valid limit to read.
    unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
}

/// Forks. The child says its pid, drops what it inherited or begins work of its own, and lives until its parent ends.
fn fork(name: &str, drop_inherited: bool, held: &mut Held) {
    let mut pipe = [0; 2];
    // SAFETY: room for two descriptors.
    unsafe { libc::pipe(pipe.as_mut_ptr()) };
    // SAFETY: this process has one thread here, so the child may go on as usual.
    if unsafe { libc::fork() } != 0 {
        return;
    }
    if drop_inherited {
        held.0.clear();
    }
    let own = (!name.is_empty()).then(|| busy(name));
    say(&format!("child {} {}", std::process::id(), own.as_ref().is_some_and(Guard::counts)));
    let mut byte = 0u8;
    // SAFETY: closes our copy of the writing end and reads one byte, which never comes: only the parent's end.
    unsafe {
        libc::close(pipe[1]);
        libc::read(pipe[0], (&raw mut byte).cast(), 1);
    }
    std::process::exit(0);
}

extern "C" fn on_signal(_: c_int) {
    // SAFETY: a C string.
    let ticket = unsafe { stillpoint_idle::c_abi::sp_idle_begin(c"signal".as_ptr()) };
    stillpoint_idle::c_abi::sp_idle_end(ticket);
}

/// Signals interrupt begins, ends and the naming of slots; their handler does the same.
fn storm(count: usize) {
    Reporter::start();
    let handler: extern "C" fn(c_int) = on_signal;
    // SAFETY: the handler only does what is allowed in one: lock-free counting.
    unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    // SAFETY: no arguments, cannot fail.
    let target = unsafe { libc::pthread_self() };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..count {
                // SAFETY: the target thread outlives this scope.
                unsafe { libc::pthread_kill(target, libc::SIGUSR1) };
            }
            done.store(true, SeqCst);
        });
        let mut round = 0;
        while !done.load(SeqCst) {
            round += 1;
            drop(busy(["a", "b", "c", "d", "e"][round % 5]));
        }
    });
}
