//! Where an element is on the screen.

use serde::{Deserialize, Serialize};

/// A rectangle in screen pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Rect {
    /// A rectangle from its corner and its size.
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Rect { x, y, width, height }
    }

    /// Whether it covers any pixel.
    pub const fn has_area(self) -> bool {
        self.width > 0 && self.height > 0
    }

    /// The point in its middle.
    pub const fn center(self) -> (i32, i32) {
        (self.x.saturating_add(self.width / 2), self.y.saturating_add(self.height / 2))
    }

    /// Whether the point lies in it.
    pub const fn contains(self, x: i32, y: i32) -> bool {
        x >= self.x
            && y >= self.y
            && x < self.x.saturating_add(self.width)
            && y < self.y.saturating_add(self.height)
    }

    /// Whether the two share a pixel.
    pub const fn intersects(self, other: Rect) -> bool {
        self.has_area()
            && other.has_area()
            && self.x < other.x.saturating_add(other.width)
            && other.x < self.x.saturating_add(self.width)
            && self.y < other.y.saturating_add(other.height)
            && other.y < self.y.saturating_add(self.height)
    }

    /// The part that the two share.
    pub fn intersection(self, other: Rect) -> Option<Rect> {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let right = self.x.saturating_add(self.width).min(other.x.saturating_add(other.width));
        let bottom = self.y.saturating_add(self.height).min(other.y.saturating_add(other.height));
        let shared = Rect::new(x, y, right.saturating_sub(x), bottom.saturating_sub(y));
        (self.intersects(other)).then_some(shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_rectangles_share_lies_in_both() {
        let shared = Rect::new(0, 0, 10, 10).intersection(Rect::new(4, 6, 10, 10));
        assert_eq!(shared, Some(Rect::new(4, 6, 6, 4)));
        assert_eq!(Rect::new(0, 0, 10, 10).intersection(Rect::new(10, 0, 5, 5)), None);
        assert_eq!(Rect::new(0, 0, 10, 0).intersection(Rect::new(0, 0, 5, 5)), None);
    }
}
