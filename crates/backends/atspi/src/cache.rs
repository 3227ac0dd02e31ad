//! The bulk read: `Cache.GetItems`, in both of its forms. The cache is not the truth: it holds what is no longer
//! reachable and lacks what was never asked for, so only what fits together is taken from it.

use crate::node::Interfaces;
use crate::object::{Object, is_null};
use crate::read::objects;
use crate::role::NativeRole;
use crate::state::NativeStates;
use std::collections::HashMap;
use stillpoint_core::tree::Str;
use zbus::{Message, ObjectPath};

pub(crate) const CACHE_PATH: &str = "/org/a11y/atspi/cache";
pub(crate) const CACHE: &str = "org.a11y.atspi.Cache";

type Reference<'m> = (&'m str, ObjectPath<'m>);
/// Object, application, parent, index in parent, child count, interfaces, name, role, description, states.
type Item<'m> =
    (Reference<'m>, Reference<'m>, Reference<'m>, i32, i32, Vec<&'m str>, &'m str, u32, &'m str, Vec<u32>);
/// The older form: the children themselves instead of index and count.
type OldItem<'m> = (
    Reference<'m>,
    Reference<'m>,
    Reference<'m>,
    Vec<Reference<'m>>,
    Vec<&'m str>,
    &'m str,
    u32,
    &'m str,
    Vec<u32>,
);

/// What the cache says about one object.
#[derive(Debug)]
pub(crate) struct Cached {
    pub(crate) interfaces: Interfaces,
    pub(crate) name: Option<Str>,
    pub(crate) description: Option<Str>,
    pub(crate) role: NativeRole,
    pub(crate) states: NativeStates,
    /// How many children it says it has; [`UNCOUNTED`] where it does not say.
    pub(crate) child_count: usize,
    /// Its children in order, where all of them are known.
    pub(crate) children: Option<Vec<Object>>,
}

/// More than any container is asked for at once: how many there are has to be asked first. The cache of GTK 3 says "-1"
/// of a table that manages its cells, and `LibreOffice`, asked for all of them, makes two thousand million.
pub(crate) const UNCOUNTED: usize = usize::MAX;

/// What the cache held, by object.
pub(crate) type Cache = HashMap<Object, Cached>;

/// Reads a reply of `GetItems`.
pub(crate) fn parse(reply: &Message) -> zbus::Result<Cache> {
    let body = reply.body();
    if body.signature().to_string().starts_with("a((so)(so)(so)a") {
        return Ok(body.deserialize::<Vec<OldItem<'_>>>()?.into_iter().filter_map(old_item).collect());
    }
    let items: Vec<Item<'_>> = body.deserialize()?;
    let mut families: HashMap<Object, Vec<(i32, Object)>> = HashMap::new();
    for (object, _, parent, index, ..) in &items {
        if *index >= 0 && !is_null(parent.0, parent.1.as_str()) {
            let child = Object::new(object.0, object.1.as_str());
            let parent = Object::new(parent.0, parent.1.as_str());
            families.entry(parent).or_default().push((*index, child));
        }
    }
    let mut cache = Cache::with_capacity(items.len());
    for (object, _, _, _, count, interfaces, name, role, description, states) in items {
        let object = Object::new(object.0, object.1.as_str());
        let family = families.remove(&object).unwrap_or_default();
        let cached = cached(&interfaces, name, role, description, &states);
        let count = usize::try_from(count).ok();
        let children = count.and_then(|count| complete(family, count));
        cache.insert(object, Cached { child_count: count.unwrap_or(UNCOUNTED), children, ..cached });
    }
    Ok(cache)
}

/// The children in order, if every place is taken exactly once.
fn complete(mut family: Vec<(i32, Object)>, count: usize) -> Option<Vec<Object>> {
    family.sort_by_key(|(index, _)| *index);
    let fits = family.len() == count && family.iter().enumerate().all(|(i, (index, _))| i as i32 == *index);
    fits.then(|| family.into_iter().map(|(_, child)| child).collect())
}

fn old_item(item: OldItem<'_>) -> Option<(Object, Cached)> {
    let (object, _, _, children, interfaces, name, role, description, states) = item;
    if is_null(object.0, object.1.as_str()) {
        return None;
    }
    let mut cached = cached(&interfaces, name, role, description, &states);
    let children = objects(&children);
    cached.child_count = children.len();
    cached.children = Some(children);
    Some((Object::new(object.0, object.1.as_str()), cached))
}

fn cached(interfaces: &[&str], name: &str, role: u32, description: &str, states: &[u32]) -> Cached {
    let text = |text: &str| Some(Str::from(text)).filter(|t| !t.is_empty());
    Cached {
        interfaces: Interfaces::from_names(interfaces.iter().copied()),
        name: text(name),
        description: text(description),
        role: NativeRole(role),
        states: NativeStates::from_halves(states),
        child_count: 0,
        children: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(n: i32) -> (i32, Object) {
        (n, Object::new(":1.1", &format!("/{n}")))
    }

    #[test]
    fn a_family_counts_only_if_every_place_is_taken_once() {
        assert_eq!(complete(vec![child(1), child(0)], 2).unwrap().len(), 2);
        assert!(complete(vec![child(0)], 2).is_none());
        assert!(complete(vec![child(0), child(0)], 2).is_none());
        assert!(complete(vec![child(0), child(2)], 2).is_none());
        assert_eq!(complete(vec![], 0), Some(vec![]));
    }
}
