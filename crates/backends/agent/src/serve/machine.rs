//! Which machine this is: the same answer after a restart, another one elsewhere.

use std::fmt::Write;
use std::path::Path;

/// Where systems keep an id of the machine, in the order in which they are asked.
const PLACES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/// A name for this machine. The system's own id is not to be told to others, so it is a digest of it.
pub(crate) fn id() -> Option<String> {
    PLACES.iter().find_map(|place| of(Path::new(place)))
}

fn of(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let id = text.trim();
    if id.is_empty() {
        return None;
    }
    let mut name = String::from("stillpoint-");
    for round in 0..2_u8 {
        // Writing to a string cannot fail.
        let _ = write!(name, "{:016x}", digest(round, id.as_bytes()));
    }
    Some(name)
}

/// FNV-1a over the id, begun in another way for each half.
fn digest(round: u8, bytes: &[u8]) -> u64 {
    let begin = 0xCBF2_9CE4_8422_2325_u64 ^ u64::from(round).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    b"stillpoint agent".iter().chain(bytes).fold(begin, step)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stable_differs_by_machine_and_does_not_show_the_systems_id() {
        let folder = tempfile::tempdir().unwrap();
        let with = |text: &str| {
            let file = folder.path().join("machine-id");
            std::fs::write(&file, text).unwrap();
            of(&file)
        };
        let (one, again, other) = (with("0123abcd\n"), with("0123abcd"), with("0123abce"));
        assert_eq!(one, again);
        assert_ne!(one, other);
        assert!(!one.unwrap().contains("0123abcd"));
        assert_eq!(with("\n"), None);
    }
}
