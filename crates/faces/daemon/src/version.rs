//! Which of two versions is newer.

/// The version of this build.
pub(crate) const OURS: &str = env!("CARGO_PKG_VERSION");

/// Whether `a` is newer than `b`. What is no version is never newer.
pub(crate) fn newer(a: &str, b: &str) -> bool {
    match (parts(a), parts(b)) {
        (Some(a), Some(b)) => a > b,
        _ => false,
    }
}

fn parts(version: &str) -> Option<[u64; 3]> {
    let mut numbers = version.split(['-', '+']).next()?.split('.').map(|n| n.parse::<u64>().ok());
    let parts = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::newer;

    #[test]
    fn versions_are_compared_by_number() {
        assert!(newer("0.10.0", "0.9.9"));
        assert!(newer("1.0.0", "0.99.99"));
        assert!(!newer("0.1.0", "0.1.0"));
        assert!(!newer("0.1.0", "0.1.1"));
        assert!(!newer("nonsense", "0.0.1"));
        assert!(!newer("1.0", "0.0.1"));
    }
}
