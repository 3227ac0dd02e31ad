//! How much two texts differ.

/// The number of typing mistakes between two texts (a character too many, too few, another one, or two swapped),
/// if it is at most `most`.
pub(super) fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let mut before = vec![0usize; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0usize; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let other = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (above[j] + 1).min(row[j - 1] + 1).min(above[j - 1] + other);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        if row.iter().min().is_some_and(|least| *least > most) {
            return None;
        }
        std::mem::swap(&mut before, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    Some(above[b.len()]).filter(|d| *d <= most)
}

/// Longer texts are compared by their beginnings: the work stays bounded.
const LONGEST: usize = 128;

/// How alike two texts are: 1 if equal, 0 if nothing is shared. Case counts for little.
pub(super) fn likeness(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    if a == b {
        return 0.95;
    }
    let longest = a.chars().count().max(b.chars().count()).min(LONGEST);
    let typed = distance(&a, &b, longest).map_or(0.0, |d| 1.0 - d as f64 / longest as f64);
    typed.max(0.9 * shared_words(&a, &b))
}

/// The share of words that two texts have in common.
fn shared_words(a: &str, b: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|w| !w.is_empty())
            .map(str::to_owned)
            .take(32)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let common = a.iter().filter(|w| b.contains(w)).count();
    2.0 * common as f64 / (a.len() + b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_typing_mistakes_and_swapped_letters_as_one() {
        assert_eq!(distance("save", "save", 2), Some(0));
        assert_eq!(distance("save", "saev", 2), Some(1));
        assert_eq!(distance("save", "sav", 2), Some(1));
        assert_eq!(distance("save", "saves!", 2), Some(2));
        assert_eq!(distance("save", "cancel", 2), None);
        assert_eq!(distance("", "ab", 2), Some(2));
    }

    #[test]
    fn likeness_is_one_for_equal_texts_and_small_for_others() {
        assert!((likeness("Save", "Save") - 1.0).abs() < 1e-9);
        assert!(likeness("Save", "SAVE") > 0.9);
        assert!(likeness("Save changes", "Save") > 0.5);
        assert!(likeness("Save", "Cancel") < 0.5);
    }
}
