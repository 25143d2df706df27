//! A ray caster over a hierarchy of boxes that is built in parallel.

mod cast;
mod geometry;
mod hierarchy;

pub use cast::Image;
pub use geometry::Triangle;
pub use hierarchy::{Node, build};

use geometry::Point;

/// A splitmix generator: a scene is the same on every machine.
struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 40) as f32 / (1 << 24) as f32
    }

    fn point(&mut self) -> Point {
        Point([self.next(), self.next(), self.next()])
    }
}

/// So many small triangles, somewhere in a cube: the more there are, the smaller is each.
pub fn scene(triangles: u64) -> Vec<Triangle> {
    let mut random = Random(triangles);
    let side = 1.5 / (triangles.max(1) as f32).cbrt();
    let triangle = |_| {
        let first = random.point();
        let mut near = || first.plus(random.point().plus(Point([-0.5; 3])).times(side));
        Triangle([first, near(), near()])
    };
    (0..triangles).map(triangle).collect()
}

/// How many rays an image takes.
pub const RAYS: u32 = Image::RAYS;
