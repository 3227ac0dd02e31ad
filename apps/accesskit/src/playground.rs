//! Random changes of the form, the same for the same seed.

use crate::form::{Form, Kind};

const MOST: usize = 30;
const DEEPEST: usize = 3;
const LEAVES: [Kind; 6] = [Kind::Label, Kind::Button, Kind::Check, Kind::Entry, Kind::Slider, Kind::Password];
const WORDS: [&str; 8] = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath"];

/// Makes one change after the other.
#[derive(Default)]
pub(crate) struct Playground {
    state: u64,
    made: u32,
}

impl Playground {
    pub(crate) fn seed(&mut self, seed: u64) {
        self.state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    }

    /// One of `below` numbers.
    fn pick(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % below.max(1)
    }

    fn words(&mut self) -> String {
        format!("{} {} {}", WORDS[self.pick(8)], WORDS[self.pick(8)], self.pick(1000))
    }

    /// One change. A wish that cannot be fulfilled now becomes an addition, or a removal.
    pub(crate) fn once(&mut self, form: &mut Form) {
        let done = match self.pick(33) {
            0..8 => self.add(form),
            8..11 => self.remove(form),
            11..14 => self.relocate(form),
            14..18 => self.rename(form),
            18..21 => self.on(form, &LEAVES, |e, _| e.enabled = !e.enabled),
            21..24 => self.on(form, &LEAVES, |e, _| e.visible = !e.visible),
            24..27 => self.on(form, &[Kind::Check], |e, _| e.checked = !e.checked),
            27..30 => self.on(form, &[Kind::Slider], |e, dice| e.value = dice.pick(101) as f64),
            _ => self.on(form, &[Kind::Entry, Kind::Password], |e, dice| {
                e.text = if dice.pick(4) == 0 { String::new() } else { dice.words() };
            }),
        };
        if !done && !self.add(form) {
            self.remove(form);
        }
    }

    fn add(&mut self, form: &mut Form) -> bool {
        let all = form.below(Form::playground());
        if all.len() > MOST {
            return false;
        }
        let parents: Vec<u64> =
            all.into_iter().filter(|id| holds_others(form, *id) && depth(form, *id) < DEEPEST).collect();
        let parent = parents[self.pick(parents.len())];
        let kind = match form.elements[&parent].kind {
            Kind::List => Kind::Item,
            _ if depth(form, parent) + 1 < DEEPEST && self.pick(4) == 0 => {
                [Kind::Group, Kind::List][self.pick(2)]
            }
            _ => LEAVES[self.pick(LEAVES.len())],
        };
        self.made += 1;
        let at = self.pick(form.elements[&parent].children.len() + 1);
        let name = self.words();
        form.add(Some(parent), at, kind, &format!("pg-{}", self.made), &name);
        true
    }

    fn remove(&mut self, form: &mut Form) -> bool {
        let Some(id) = self.any(form, |_| true) else { return false };
        form.remove(id);
        true
    }

    fn relocate(&mut self, form: &mut Form) -> bool {
        let Some(id) = self.any(form, |kind| kind != Kind::Item) else { return false };
        let own = form.below(id);
        let height = own.iter().map(|below| depth(form, *below)).max().unwrap_or_default() - depth(form, id);
        let homes: Vec<u64> = form
            .below(Form::playground())
            .into_iter()
            .filter(|home| form.elements[home].kind == Kind::Group && !own.contains(home))
            .filter(|home| depth(form, *home) + 1 + height <= DEEPEST)
            .collect();
        let home = homes[self.pick(homes.len())];
        let at = self.pick(form.elements[&home].children.len() + 1);
        form.move_to(id, home, at);
        true
    }

    fn rename(&mut self, form: &mut Form) -> bool {
        let name = self.words();
        let Some(id) = self.any(form, |_| true) else { return false };
        form.change(id, |element| element.name = name);
        true
    }

    fn on(
        &mut self,
        form: &mut Form,
        kinds: &[Kind],
        change: impl FnOnce(&mut crate::form::Element, &mut Self),
    ) -> bool {
        let Some(id) = self.any(form, |kind| kinds.contains(&kind)) else { return false };
        form.change(id, |element| change(element, self));
        true
    }

    /// Any element of the playground of a fitting kind.
    fn any(&mut self, form: &Form, fits: impl Fn(Kind) -> bool) -> Option<u64> {
        let all = form.below(Form::playground());
        let fitting: Vec<u64> = all.into_iter().skip(1).filter(|id| fits(form.elements[id].kind)).collect();
        if fitting.is_empty() { None } else { Some(fitting[self.pick(fitting.len())]) }
    }
}

fn holds_others(form: &Form, id: u64) -> bool {
    matches!(form.elements[&id].kind, Kind::Group | Kind::List)
}

fn depth(form: &Form, id: u64) -> usize {
    let parent = form.elements.iter().find(|(_, e)| e.children.contains(&id)).map(|(id, _)| *id);
    match parent {
        Some(parent) if id != Form::playground() => 1 + depth(form, parent),
        _ => 0,
    }
}
