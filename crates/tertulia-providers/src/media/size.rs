//! Which of the sizes that there are is nearest to the one that is wanted.

/// Width and height, in pixels or in proportion.
pub(crate) type Size = (u32, u32);

/// The nearest size: that of the nearest shape, since a picture can be scaled but not bent, and among those of one shape the
/// one that is nearest in extent. The wanted one where there are none.
pub(crate) fn nearest(wanted: Size, sizes: &[Size]) -> Size {
    let by_shape = |size: Size| (shape(size) - shape(wanted)).abs();
    let by_extent = |size: Size| (extent(size) - extent(wanted)).abs();
    let nearest = sizes.iter().copied().min_by(|one, other| {
        let shapes = by_shape(*one).total_cmp(&by_shape(*other));
        shapes.then_with(|| by_extent(*one).total_cmp(&by_extent(*other)))
    });
    nearest.unwrap_or(wanted)
}

/// So that twice as wide is as far away as twice as high.
fn shape((width, height): Size) -> f64 {
    (f64::from(width.max(1)) / f64::from(height.max(1))).ln()
}

fn extent((width, height): Size) -> f64 {
    (f64::from(width.max(1)) * f64::from(height.max(1))).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_comes_before_extent() {
        let sizes = [(256, 256), (1024, 1024), (1536, 1024), (1024, 1536)];
        assert_eq!(nearest((200, 200), &sizes), (256, 256));
        assert_eq!(nearest((900, 1000), &sizes), (1024, 1024));
        assert_eq!(nearest((320, 180), &sizes), (1536, 1024));
        assert_eq!(nearest((0, 4_000_000_000), &sizes), (1024, 1536));
        assert_eq!(nearest((5, 7), &[]), (5, 7));
        assert_eq!(nearest((1920, 1080), &[(1, 1), (16, 9), (9, 16)]), (16, 9));
    }
}
