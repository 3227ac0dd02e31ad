//! Texts of the help that are not made from verbs: the overview by task, and examples.

use crate::words::{self, Task};
use std::fmt::Write;
use stillpoint_engine::verbs;

/// The commands that are no verbs, with what they do.
const OWN: [(&str, &str); 14] = [
    ("open", "Attach and keep following, in the daemon"),
    ("close", "Let go of a target that the daemon holds"),
    ("flow", "Run steps from a YAML file, with a report for CI"),
    ("apps", "What can be driven now"),
    ("doctor", "What is missing on this machine, and how to get it"),
    ("watch", "Live revisions, one line each"),
    ("demo", "Act, wait, delta, verify, with a timeline; --desktop for a real app"),
    ("desktop", "Private headless desktops: run, start, stop, list, env"),
    ("agent", "Serve a target of this machine, to be driven from another one"),
    ("mcp", "A server for agents (Model Context Protocol); mcp install CLIENT"),
    ("serve", "The daemon, started by itself: --status, --stop"),
    ("trace", "The story of a session that was recorded"),
    ("completions", "Completions for your shell"),
    ("man", "The manual page"),
];

/// All commands by task, examples, and what the exit codes mean.
pub(crate) fn overview() -> String {
    let mut out = String::new();
    for (task, heading) in Task::ALL {
        let words: Vec<_> = words::known().filter(|w| w.task == task).collect();
        if !words.is_empty() {
            section(&mut out, heading, words.iter().map(|w| (w.name, w.about)));
        }
    }
    let worded: Vec<&str> = words::WORDS.iter().flat_map(|w| w.forms).map(|f| f.verb).collect();
    let others: Vec<&str> = verbs::table().iter().map(|v| v.name).filter(|n| !worded.contains(n)).collect();
    if !others.is_empty() {
        let _ = writeln!(out, "\nMore verbs, by their full names:\n  {}", others.join(", "));
    }
    section(&mut out, "Set up and watch", OWN.iter().copied());
    out.push_str(concat!(
        "\nExamples:\n",
        "  stillpoint demo\n",
        "  stillpoint snapshot sim:login\n",
        "  stillpoint wait sim:toast change --json\n",
        "  stillpoint wait sim:checkout 'button \"Pay\"' --condition enabled --timeout-ms 3000\n",
        "  stillpoint watch sim:feed --count 5\n",
        "\nExit codes:\n",
        "  0 done, 1 the UI said no, 2 usage, 3 target or backend unavailable, 4 timeout, 130 interrupted\n",
        "\n`stillpoint COMMAND --help` tells more. Flags everywhere:",
    ));
    out
}

fn section<'a>(out: &mut String, heading: &str, lines: impl Iterator<Item = (&'a str, &'a str)>) {
    let _ = writeln!(out, "\n{heading}:");
    for (name, about) in lines {
        let _ = writeln!(out, "  {name:<12} {about}");
    }
}

/// Examples for one command.
pub(crate) fn examples(word: &str) -> String {
    let lines: &[&str] = match word {
        "snapshot" => &["stillpoint snapshot sim:login", "stillpoint snapshot app:gedit --since 184 --json"],
        "find" => &[
            "stillpoint find sim:login 'textbox \"Username\"'",
            "stillpoint find sim:login '#signin' --json",
        ],
        "tap" => &["stillpoint tap sim:toast 'button \"Save\"'"],
        "type" => &["stillpoint type sim:login 'textbox \"Username\"' ada"],
        "press" => &["stillpoint press app:gedit ctrl+s", "stillpoint press sim:login '#password' Enter"],
        "set" => &["stillpoint set app:fixture-gtk3 'slider \"Volume\"' 40"],
        "wait" => &[
            "stillpoint wait sim:login change",
            "stillpoint wait sim:login idle --stability-window-ms 150",
            "stillpoint wait sim:login screen --previous-fingerprint 0123456789abcdef",
            "stillpoint wait sim:login 'status' --condition visible",
            "stillpoint wait sim:clock change --mask-volatile=false --timeout-ms 2000",
        ],
        "idle" => &["stillpoint idle app:gedit", "stillpoint idle 4242", "stillpoint idle 4242 --json"],
        "expect" => &["stillpoint expect sim:login 'button \"Sign in\"' enabled false"],
        "open" => &["stillpoint open app:gedit", "stillpoint open web:http://127.0.0.1:8000/"],
        "flow" => &[
            "stillpoint flow signin.yaml",
            "stillpoint flow signin.yaml --target app:pid=42 --junit report.xml --json",
        ],
        "screenshot" => &["stillpoint screenshot sim:login --file shot.png"],
        "watch" => &[
            "stillpoint watch sim:feed --count 5",
            "stillpoint watch app:gedit --json | jq .change_summary.first",
        ],
        "agent" => &[
            "stillpoint agent serve --target app:gedit",
            "stillpoint agent serve --target web:http://127.0.0.1:8000/ --listen 0.0.0.0:8080 --token-file token --tls-cert cert.pem --tls-key key.pem",
            "stillpoint snapshot agent:127.0.0.1:8080",
        ],
        "completions" => {
            &["stillpoint completions bash > ~/.local/share/bash-completion/completions/stillpoint"]
        }
        _ => &[],
    };
    if lines.is_empty() { String::new() } else { format!("Examples:\n  {}", lines.join("\n  ")) }
}
