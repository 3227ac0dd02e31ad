//! The line protocol of `apps/README.md`: one command per line in, one reply per line out.

use crate::Wake;
use std::io::{BufRead as _, Write as _};
use std::sync::mpsc::Sender;

/// What can be asked of this app.
pub(crate) enum Command {
    Mutate { count: u32, seed: u64 },
    Truth,
    Set { id: String, value: String },
    Activated { id: String, count: u32 },
    Quit,
}

impl Command {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut words = rest.split(' ');
        let mut number = || words.next().and_then(|word| word.parse::<u32>().ok());
        match word {
            "mutate" => match (number(), number()) {
                (Some(count), Some(seed)) => Ok(Command::Mutate { count, seed: seed.into() }),
                _ => Err("usage: mutate N SEED".to_owned()),
            },
            "truth" => Ok(Command::Truth),
            "set" => {
                let (id, value) = rest.split_once(' ').unwrap_or((rest, ""));
                Ok(Command::Set { id: id.to_owned(), value: value.to_owned() })
            }
            "activated" => match rest.split_once(' ').map(|(id, count)| (id, count.parse())) {
                Some((id, Ok(count))) => Ok(Command::Activated { id: id.to_owned(), count }),
                _ => Err("usage: activated ID N".to_owned()),
            },
            "quit" => Ok(Command::Quit),
            _ => Err(format!("no command {word:?}")),
        }
    }
}

/// Says one line, in one write.
pub(crate) fn say(line: &str) {
    // Whoever listened may be gone; the end of stdin tells.
    let _ = std::io::stdout().write_all(format!("{line}\n").as_bytes());
    let _ = std::io::stdout().flush();
}

/// Hands lines to the main loop, on a thread of its own.
pub(crate) fn listen(sender: Sender<Wake>) {
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(Wake::Line(Some(line.trim().to_owned()))).is_err() {
                return;
            }
        }
        let _ = sender.send(Wake::Line(None));
    });
}
