//! The C ABI: its header is the one that the source gives, and a C program can use it, linked either way.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{App, library, runtime_dir};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let config = cbindgen::Config {
        language: cbindgen::Language::C,
        cpp_compat: true,
        include_guard: Some("STILLPOINT_IDLE_H".into()),
        header: Some(
            "/* Says when this app has work in flight. Generated from src/c_abi.rs; change that, not this.\n * \
             Link with -lstillpoint_idle. Docs: docs/idle.md */"
                .into(),
        ),
        no_includes: true,
        sys_includes: vec!["stddef.h".into(), "stdint.h".into()],
        usize_is_size_t: true,
        documentation_style: cbindgen::DocumentationStyle::C99,
        ..cbindgen::Config::default()
    };
    let bindings =
        cbindgen::Builder::new().with_config(config).with_src(root().join("src/c_abi.rs")).generate();
    let mut text = Vec::new();
    bindings.unwrap().write(&mut text);
    String::from_utf8(text).unwrap()
}

/// `STILLPOINT_WRITE_HEADER=1` writes the header instead of comparing it.
#[test]
fn the_header_is_the_one_that_the_source_gives() {
    let path = root().join("include/stillpoint_idle.h");
    let wanted = generated();
    if std::env::var_os("STILLPOINT_WRITE_HEADER").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "include/stillpoint_idle.h is old: run with STILLPOINT_WRITE_HEADER=1");
}

fn compile(compiler: &str, source: &str, extra: &[&str], out: PathBuf) -> PathBuf {
    let library = library();
    let dir = library.parent().unwrap();
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror"]).arg("-I").arg(root().join("include"));
    command.arg(root().join(source)).arg("-o").arg(&out).arg("-L").arg(dir);
    command.arg(format!("-Wl,-rpath,{}", dir.display())).args(extra);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    out
}

fn drive(program: &Path, dir: std::sync::Arc<tempfile::TempDir>) {
    let mut command = Command::new(program);
    command.env("XDG_RUNTIME_DIR", dir.path());
    let mut app = App::spawn(command, dir);
    assert_eq!(app.line(), "ready");
    let client = app.client();
    assert!(client.is_idle());
    assert_eq!(app.ask("begin"), "begun");
    assert_eq!(client.busy_resources()[0].name, "network");
    assert_eq!(app.ask("end"), "ended");
    assert!(client.is_idle());
    assert_eq!(app.ask("end"), "ended", "an end too many does no harm");
    assert!(client.is_idle());
}

#[test]
fn a_c_program_reports_with_the_shared_library() {
    let dir = runtime_dir();
    let program = compile("cc", "tests/c/app.c", &["-lstillpoint_idle"], dir.path().join("app"));
    drive(&program, dir);
}

#[test]
fn a_c_program_reports_with_the_static_library() {
    let dir = runtime_dir();
    let archive = library().with_extension("a");
    let archive = archive.to_str().unwrap();
    let program = compile(
        "cc",
        "tests/c/app.c",
        &[archive, "-lpthread", "-ldl", "-lm", "-lgcc_s"],
        dir.path().join("app"),
    );
    drive(&program, dir);
}

#[test]
fn a_c_program_without_a_runtime_directory_hears_why() {
    let dir = runtime_dir();
    let program = compile("cc", "tests/c/app.c", &["-lstillpoint_idle"], dir.path().join("app"));
    let mut command = Command::new(program);
    command.env("XDG_RUNTIME_DIR", dir.path().join("missing"));
    let answer = App::spawn(command, dir).line();
    assert!(answer.starts_with("no: cannot use") && answer.contains("missing"), "{answer}");
}

/// Qt's own headers may be missing where this runs, so its classes are played by stand-ins of the same shape; how the
/// real ones behave is tested with `PyQt` (`tests/python.rs`).
#[test]
fn the_qt_header_compiles_and_turns_events_and_blocks_into_begin_and_end() {
    let dir = runtime_dir();
    let stand_in = root().join("tests/c/qt");
    let include = format!("-I{}", stand_in.display());
    let program =
        compile("c++", "tests/c/qt_app.cpp", &[&include, "-lstillpoint_idle"], dir.path().join("app"));
    drive(&program, dir);
}
