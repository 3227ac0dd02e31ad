//! Which key makes which sign, and lending spare keys to signs that have none.

use crate::windows::XResult;
use std::collections::HashMap;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// The keyboard as the server has it.
pub(crate) struct Keymap {
    /// Key and whether shift is needed, by keysym.
    keys: HashMap<u32, (u8, bool)>,
    spare: Vec<u8>,
    borrowed: Vec<u8>,
    per_key: u8,
}

impl Keymap {
    pub(crate) fn read(x: &RustConnection) -> XResult<Self> {
        let (min, max) = (x.setup().min_keycode, x.setup().max_keycode);
        let mapping = x.get_keyboard_mapping(min, max - min + 1)?.reply()?;
        let per_key = mapping.keysyms_per_keycode;
        let mut keymap = Keymap { keys: HashMap::new(), spare: Vec::new(), borrowed: Vec::new(), per_key };
        for (code, symbols) in (min..=max).zip(mapping.keysyms.chunks(usize::from(per_key.max(1)))) {
            if symbols.iter().all(|s| *s == 0) {
                keymap.spare.push(code);
            }
            for (level, symbol) in symbols.iter().take(2).enumerate() {
                if *symbol != 0 {
                    keymap.keys.entry(*symbol).or_insert((code, level == 1));
                }
            }
        }
        Ok(keymap)
    }

    pub(crate) fn find(&self, keysym: u32) -> Option<(u8, bool)> {
        self.keys.get(&keysym).copied()
    }

    pub(crate) fn has_borrowed(&self) -> bool {
        !self.borrowed.is_empty()
    }

    /// Lends spare keys to signs that no key makes.
    pub(crate) fn borrow_for(
        &mut self,
        x: &RustConnection,
        keysyms: impl Iterator<Item = u32>,
    ) -> XResult<()> {
        for keysym in keysyms {
            if self.keys.contains_key(&keysym) {
                continue;
            }
            let Some(code) = self.spare.pop() else { break };
            // Both levels, so that it does not matter whether shift is held.
            let symbols = vec![keysym; usize::from(self.per_key)];
            x.change_keyboard_mapping(1, code, self.per_key, &symbols)?.check()?;
            self.borrowed.push(code);
            self.keys.insert(keysym, (code, false));
        }
        Ok(())
    }

    pub(crate) fn give_back(&mut self, x: &RustConnection) -> XResult<()> {
        for code in self.borrowed.drain(..) {
            let nothing = vec![0; usize::from(self.per_key)];
            x.change_keyboard_mapping(1, code, self.per_key, &nothing)?.check()?;
        }
        Ok(())
    }
}

/// The keysym that makes a character.
pub(crate) fn keysym_of_char(character: char) -> u32 {
    match character {
        '\n' | '\r' => 0xff0d,
        '\t' => 0xff09,
        '\u{8}' => 0xff08,
        ' '..='~' | '\u{a0}'..='\u{ff}' => u32::from(character),
        _ => 0x0100_0000 | u32::from(character),
    }
}

/// The keysym of a key by its name in every face.
pub(crate) fn keysym_of_name(name: &str) -> Option<u32> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Some(keysym_of_char(only));
    }
    let lower = name.to_lowercase();
    if let Some(number) = lower.strip_prefix('f').and_then(|n| n.parse::<u32>().ok())
        && (1..=24).contains(&number)
    {
        return Some(0xffbe + number - 1);
    }
    Some(match lower.as_str() {
        "enter" | "return" => 0xff0d,
        "tab" => 0xff09,
        "escape" | "esc" => 0xff1b,
        "backspace" => 0xff08,
        "delete" | "del" => 0xffff,
        "insert" => 0xff63,
        "space" => 0x20,
        "home" => 0xff50,
        "arrowleft" | "left" => 0xff51,
        "arrowup" | "up" => 0xff52,
        "arrowright" | "right" => 0xff53,
        "arrowdown" | "down" => 0xff54,
        "pageup" => 0xff55,
        "pagedown" => 0xff56,
        "end" => 0xff57,
        "menu" | "contextmenu" => 0xff67,
        "shift" => 0xffe1,
        "control" | "ctrl" => 0xffe3,
        "alt" => 0xffe9,
        "meta" | "super" => 0xffeb,
        "capslock" => 0xffe5,
        "print" | "printscreen" => 0xff61,
        "pause" => 0xff13,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_names_of_every_face() {
        assert_eq!(keysym_of_name("Enter"), Some(0xff0d));
        assert_eq!(keysym_of_name("ArrowDown"), Some(0xff54));
        assert_eq!(keysym_of_name("F5"), Some(0xffc2));
        assert_eq!(keysym_of_name("a"), Some(0x61));
        assert_eq!(keysym_of_name("é"), Some(0xe9));
        assert_eq!(keysym_of_name("€"), Some(0x0100_20ac));
        assert_eq!(keysym_of_name("NoSuchKey"), None);
    }
}
