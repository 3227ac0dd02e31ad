//! The official Python SDK, in a virtual environment beside the build.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const SDK: &str = "mcp==2.3.0";

/// A Python with the SDK. Of several test processes that find none, one makes it and the others wait for it.
pub fn python() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let home = beside_the_build("mcp-python");
        let python = home.join("bin/python");
        let lock = File::create(home.with_extension("lock")).unwrap();
        lock.lock().unwrap();
        if !has_sdk(&python) {
            done(&Command::new("python3").args(["-m", "venv"]).arg(&home).output().unwrap());
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", SDK];
            done(&Command::new(&python).args(pip).output().unwrap());
            assert!(has_sdk(&python), "the Python SDK is not there after its installation");
        }
        python
    })
}

/// A folder in the target directory.
pub fn beside_the_build(name: &str) -> PathBuf {
    // target/debug/deps/test-binary
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join(name)
}

fn has_sdk(python: &Path) -> bool {
    let ask = "import mcp, httpx2; from importlib.metadata import version; print('mcp=='+version('mcp'))";
    let asked = Command::new(python).args(["-c", ask]).output();
    asked.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).trim() == SDK)
}

/// What a program printed that ended well.
pub fn done(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out.into_owned()
}
