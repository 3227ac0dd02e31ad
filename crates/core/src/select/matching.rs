//! Whether an element is what one part of a selector asks for.

use super::selector::{Attribute, Filter, Part, Words};
use crate::tree::{ElementId, Node, Tree};

/// A part made ready for many comparisons: nothing is allocated while elements are looked at.
pub(super) struct Query<'s> {
    pub(super) part: &'s Part,
    needle: String,
}

/// Where the elements that can match are found without looking at all.
pub(super) enum Anchor<'s> {
    Element(ElementId),
    Name(&'s str),
    Word(&'s str),
    Role(crate::tree::Role),
    Everything,
}

impl<'s> Query<'s> {
    pub(super) fn new(part: &'s Part) -> Self {
        let needle = match &part.words {
            Some(Words::Contains(text)) => text.to_lowercase(),
            _ => String::new(),
        };
        Query { part, needle }
    }

    /// The narrowest index that holds every match.
    pub(super) fn anchor(&self) -> Anchor<'s> {
        let attribute = |wanted: Attribute| {
            self.part.filters.iter().find_map(move |filter| match filter {
                Filter::Attribute(a, text) if *a == wanted => Some(text.as_str()),
                _ => None,
            })
        };
        if let Some(id) = self.part.element {
            Anchor::Element(id)
        } else if let Some(name) = self.part.name.as_deref().or_else(|| attribute(Attribute::Id)) {
            Anchor::Name(name)
        } else if let Some(Words::Exact(word)) = &self.part.words {
            Anchor::Word(word)
        } else if let Some(word) = attribute(Attribute::Label).or_else(|| attribute(Attribute::Text)) {
            Anchor::Word(word)
        } else if let Some(role) = self.part.role {
            Anchor::Role(role)
        } else {
            Anchor::Everything
        }
    }

    /// Whether an index leads straight to the few that can match.
    pub(super) fn is_pointed(&self) -> bool {
        matches!(self.anchor(), Anchor::Element(_) | Anchor::Name(_) | Anchor::Word(_))
    }

    /// The elements that can match, each once, in no particular order.
    pub(super) fn candidates(&self, tree: &Tree) -> Vec<ElementId> {
        match self.anchor() {
            Anchor::Element(id) => tree.get(id).map(|_| id).into_iter().collect(),
            Anchor::Name(name) => tree.by_stable_id(name),
            Anchor::Word(word) => tree.by_label(word),
            Anchor::Role(role) => self.sift(tree.by_role(role).filter_map(|id| Some((id, tree.get(id)?)))),
            Anchor::Everything => self.sift(tree.iter()),
        }
    }

    /// Keeps what fits before it is collected: a scan must not make a list of the whole tree.
    fn sift<'t>(&self, all: impl Iterator<Item = (ElementId, &'t Node)>) -> Vec<ElementId> {
        all.filter(|(id, node)| self.core_fits(*id, node)).map(|(id, _)| id).collect()
    }

    /// Whether the element is what the part asks for; the index is not looked at.
    pub(super) fn fits(&self, id: ElementId, node: &Node) -> bool {
        self.core_fits(id, node) && self.filters_fit(node)
    }

    /// Whether it has the identity that the part asks for: id, name, role, words. States and values do not count.
    pub(super) fn core_fits(&self, id: ElementId, node: &Node) -> bool {
        self.part.element.is_none_or(|e| e == id)
            && self.part.role.is_none_or(|r| r == node.role())
            && self.part.name.as_deref().is_none_or(|n| has_name(node, n))
            && self.part.words.as_ref().is_none_or(|w| self.words_fit(w, node))
            && self.part.filters.iter().all(|f| match f {
                Filter::Attribute(Attribute::Label | Attribute::Text | Attribute::Id, _) => {
                    filter_fits(f, node)
                }
                _ => true,
            })
    }

    fn filters_fit(&self, node: &Node) -> bool {
        self.part.filters.iter().all(|f| filter_fits(f, node))
    }

    fn words_fit(&self, words: &Words, node: &Node) -> bool {
        match words {
            Words::Exact(word) => {
                // With a role it is the name that counts; what an unnamed element shows is its name.
                let by_text = self.part.role.is_none() || node.label().is_none();
                node.label() == Some(word) || (by_text && node.text() == Some(word))
            }
            Words::Contains(_) => spoken(node).any(|text| contains(text, &self.needle)),
            Words::Matches(pattern) => spoken(node).any(|text| pattern.is_match(text)),
        }
    }
}

/// The label and the text of an element, where they are known.
pub(super) fn spoken(node: &Node) -> impl Iterator<Item = &str> {
    let text = node.text().filter(|t| Some(*t) != node.label());
    node.label().into_iter().chain(text)
}

fn has_name(node: &Node, name: &str) -> bool {
    node.stable_id() == Some(name) || node.test_tag() == Some(name)
}

fn filter_fits(filter: &Filter, node: &Node) -> bool {
    match filter {
        Filter::State(state, value) => node.states().get(*state) == Some(*value),
        Filter::Attribute(attribute, text) => {
            let text = Some(text.as_str());
            match attribute {
                Attribute::Value => node.value() == text,
                Attribute::Text => node.text() == text,
                Attribute::Label => node.label() == text,
                Attribute::Description => node.description() == text,
                Attribute::Native => node.native_role() == text,
                Attribute::Id => node.stable_id() == text || node.test_tag() == text,
            }
        }
    }
}

/// Whether `lower`, which is in lower case, occurs in `text` in any case.
fn contains(text: &str, lower: &str) -> bool {
    if lower.is_ascii() {
        let (text, lower) = (text.as_bytes(), lower.as_bytes());
        let (Some(first), Some(last)) = (lower.first(), lower.last()) else { return true };
        // Both ends are looked at first: names of one kind begin alike, and differ at their ends.
        let ends_fit = |w: &[u8]| {
            w.last().is_some_and(|end| end.to_ascii_lowercase() == *last)
                && w[0].to_ascii_lowercase() == *first
        };
        return text.windows(lower.len()).any(|w| ends_fit(w) && w.eq_ignore_ascii_case(lower));
    }
    let first = lower.chars().next();
    text.char_indices().filter(|(_, c)| c.to_lowercase().next() == first).any(|(at, _)| {
        let mut rest = text[at..].chars().flat_map(char::to_lowercase);
        lower.chars().all(|c| rest.next() == Some(c))
    })
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn contains_ignores_case_in_every_script() {
        assert!(contains("Save as…", "save"));
        assert!(contains("ÄNDERN", "ändern"));
        assert!(contains("Übergröße", "größe"));
        assert!(contains("naïve SAVE", "save"));
        assert!(!contains("Sa", "save"));
        assert!(!contains("", "x"));
    }
}
