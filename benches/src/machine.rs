//! On what and with what the figures were taken.

use serde_json::{Value, json};
use std::process::Command;

/// The machine, as its kernel describes it.
pub fn machine() -> Value {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|l| l.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let memory = field(&read("/proc/meminfo"), "MemTotal")
        .and_then(|kib| kib.split(' ').next()?.parse::<u64>().ok())
        .map(|kib| kib / 1024);
    let load = read("/proc/loadavg");
    json!({
        "cpu": field(&read("/proc/cpuinfo"), "model name"),
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "memory_mib": memory,
        "os": read("/proc/sys/kernel/ostype").trim(),
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
        "load_at_start": load.split(' ').next(),
    })
}

/// How long a virtual machine's host has given the processor to others while programs here were ready to run, in ticks since the
/// start; 0 where nobody tells.
pub fn stolen_ticks() -> u64 {
    let all = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let mut of_all_cores = all.lines().next().unwrap_or_default().split_whitespace();
    of_all_cores.nth(8).and_then(|ticks| ticks.parse().ok()).unwrap_or_default()
}

/// The versions of what was measured and of what built it.
pub fn versions() -> Value {
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
    json!({ "stillpoint": env!("CARGO_PKG_VERSION"), "rustc": rustc })
}
