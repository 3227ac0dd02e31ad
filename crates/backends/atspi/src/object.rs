//! Names of platform objects: who they are on the bus, and who they are to us.

use std::collections::HashMap;
use std::sync::Arc;
use stillpoint_core::tree::NativeKey;

/// Where every app keeps its root.
pub(crate) const ROOT_PATH: &str = "/org/a11y/atspi/accessible/root";
/// What a reference to nothing looks like.
pub(crate) const NULL_PATH: &str = "/org/a11y/atspi/null";

/// An accessible object as the bus names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Object {
    pub(crate) name: Arc<str>,
    pub(crate) path: Arc<str>,
}

impl Object {
    pub(crate) fn new(name: &str, path: &str) -> Self {
        Object { name: name.into(), path: path.into() }
    }

    pub(crate) fn root_of(name: &str) -> Self {
        Object::new(name, ROOT_PATH)
    }

    /// AccessKit names its objects by the number of their window and a number of their own, whatever toolkit it is part
    /// of and however that calls itself.
    pub(crate) fn is_of_accesskit(&self) -> bool {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        self.path
            .strip_prefix("/org/a11y/atspi/accessible/")
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(window, node)| is_number(window) && is_number(node))
    }

    pub(crate) fn is_null(&self) -> bool {
        is_null(&self.name, &self.path)
    }
}

/// Whether a reference refers to nothing.
pub(crate) fn is_null(name: &str, path: &str) -> bool {
    name.is_empty() || path == NULL_PATH
}

/// Gives keys to objects. A key ends with its object: when the path is used again, it gets a new key.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    // Nested so that a lookup needs no owned strings.
    living: HashMap<Arc<str>, HashMap<Arc<str>, NativeKey>>,
    last: u64,
}

impl Keys {
    pub(crate) fn get(&self, name: &str, path: &str) -> Option<NativeKey> {
        self.living.get(name)?.get(path).copied()
    }

    /// The key of an object, and whether it is new.
    pub(crate) fn intern(&mut self, object: &Object) -> (NativeKey, bool) {
        if let Some(key) = self.get(&object.name, &object.path) {
            return (key, false);
        }
        self.last += 1;
        let key = NativeKey(self.last);
        self.living.entry(object.name.clone()).or_default().insert(object.path.clone(), key);
        (key, true)
    }

    /// The object that has this key from now on.
    pub(crate) fn give(&mut self, object: &Object, key: NativeKey) {
        self.living.entry(object.name.clone()).or_default().insert(object.path.clone(), key);
    }

    pub(crate) fn forget(&mut self, object: &Object) {
        if let Some(paths) = self.living.get_mut(&object.name) {
            paths.remove(&object.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accesskit_app_is_known_by_the_names_of_its_objects() {
        let is = |path| Object::new(":1.7", path).is_of_accesskit();
        assert!(is("/org/a11y/atspi/accessible/0/36893488147419103232"));
        assert!(!is("/org/a11y/atspi/accessible/2147483648"));
        assert!(!is("/org/a11y/atspi/accessible/root"));
        assert!(!is("/org/gnome/Calculator/a11y/0a1b"));
    }

    #[test]
    fn a_path_that_is_used_again_gets_a_new_key() {
        let mut keys = Keys::default();
        let object = Object::new(":1.7", "/a/1");
        let (first, new) = keys.intern(&object);
        assert!(new);
        assert_eq!(keys.intern(&object), (first, false));
        keys.forget(&object);
        let (second, new) = keys.intern(&object);
        assert!(new);
        assert_ne!(first, second);
    }
}
