//! An image of a scene: a ray for each of its points.

use super::geometry::{Point, Ray};
use super::hierarchy::Node;
use crate::contend::fork::{Fork, Half};
use std::ops::Range;

/// Points of a side.
const SIDE: u32 = 256;
/// Points that are left together.
const LEAF: u32 = 16;

/// A scene that is looked at.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    root: &'a Node,
}

impl<'a> Image<'a> {
    /// How many rays are cast.
    pub const RAYS: u32 = SIDE * SIDE;

    /// Of this scene.
    pub fn new(root: &'a Node) -> Self {
        Self { root }
    }

    /// Casts all rays. Gives a number that depends on how far each of them gets.
    pub fn cast(self, fork: impl Fork) -> u64 {
        let image = self;
        let rays = 0..Self::RAYS;
        Cast { image, rays }.run(fork)
    }

    fn point(self, number: u32) -> u64 {
        let at = |place: u32| place as f32 / SIDE as f32;
        let (x, y) = (at(number % SIDE), at(number / SIDE));
        let way = Point([(x - 0.5) * 0.2 + 0.001, (y - 0.5) * 0.2 + 0.001, 1.0]);
        let ray = Ray::new(Point([x, y, -1.0]), way);
        let hit = self.root.hit(&ray, f32::INFINITY);
        hit.map_or(0, |far| u64::from(far.to_bits() >> 12))
    }
}

struct Cast<'a> {
    image: Image<'a>,
    rays: Range<u32>,
}

impl Half for Cast<'_> {
    type Out = u64;

    #[inline(never)]
    fn run(self, fork: impl Fork) -> u64 {
        let Self { image, rays } = self;
        if rays.end - rays.start <= LEAF {
            return rays.map(|number| image.point(number)).sum();
        }
        let middle = rays.start.midpoint(rays.end);
        let part = |rays| Self { image, rays };
        let (left, right) = fork.join(part(rays.start..middle), part(middle..rays.end));
        left + right
    }
}
