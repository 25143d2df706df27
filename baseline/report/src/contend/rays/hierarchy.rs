//! The hierarchy of boxes: split in the middle of the longest axis, both halves in parallel.

use super::geometry::{Bounds, Ray, Triangle};
use crate::contend::fork::{Fork, Half, Plain};

/// What is left together.
const LEAF: usize = 4;
/// What is built without a fork.
const SMALL: usize = 32;

/// A box, and what is in it.
pub struct Node {
    bounds: Bounds,
    inside: Inside,
}

enum Inside {
    Triangles(Vec<Triangle>),
    Halves(Box<[Node; 2]>),
}

/// Builds the hierarchy; the triangles are put into another order.
pub fn build(triangles: &mut [Triangle], fork: impl Fork) -> Node {
    Build { triangles }.run(fork)
}

struct Build<'a> {
    triangles: &'a mut [Triangle],
}

impl Half for Build<'_> {
    type Out = Node;

    #[inline(never)]
    fn run(self, fork: impl Fork) -> Node {
        let bounds = Bounds::of(self.triangles);
        if self.triangles.len() <= LEAF {
            let inside = Inside::Triangles(self.triangles.to_vec());
            return Node { bounds, inside };
        }
        let is_small = self.triangles.len() <= SMALL;
        let (left, right) = halves(self.triangles);
        let (left, right) = (Build { triangles: left }, Build { triangles: right });
        let (left, right) = if is_small {
            (left.run(Plain), right.run(Plain))
        } else {
            fork.join(left, right)
        };
        let inside = Inside::Halves(Box::new([left, right]));
        Node { bounds, inside }
    }
}

/// On both sides of the middle, or as many on each where all would lie on one.
fn halves(triangles: &mut [Triangle]) -> (&mut [Triangle], &mut [Triangle]) {
    let mut middles = [(f32::INFINITY, f32::NEG_INFINITY); 3];
    for triangle in triangles.iter() {
        for (axis, (least, most)) in middles.iter_mut().enumerate() {
            let middle = triangle.middle(axis);
            (*least, *most) = (least.min(middle), most.max(middle));
        }
    }
    let lengths = middles.map(|(least, most)| most - least);
    let longest = |a: &usize, b: &usize| lengths[*a].total_cmp(&lengths[*b]);
    let axis = (0..3).max_by(longest).unwrap_or(0);
    let middle = f32::midpoint(middles[axis].0, middles[axis].1);
    let mut place = 0;
    for at in 0..triangles.len() {
        if triangles[at].middle(axis) < middle {
            triangles.swap(place, at);
            place += 1;
        }
    }
    if place == 0 || place == triangles.len() {
        place = triangles.len() / 2;
    }
    triangles.split_at_mut(place)
}

impl Node {
    /// How many triangles there are in it.
    pub fn triangles(&self) -> u64 {
        match &self.inside {
            Inside::Triangles(triangles) => triangles.len() as u64,
            Inside::Halves(halves) => halves.iter().map(Self::triangles).sum(),
        }
    }

    /// How far along the ray something is hit, if nearer than `limit`.
    pub fn hit(&self, ray: &Ray, limit: f32) -> Option<f32> {
        self.bounds.entered(ray, limit)?;
        self.hit_inside(ray, limit)
    }

    fn hit_inside(&self, ray: &Ray, mut limit: f32) -> Option<f32> {
        let mut nearest = None;
        match &self.inside {
            Inside::Triangles(triangles) => {
                for triangle in triangles {
                    if let Some(far) = triangle.hit(ray, limit) {
                        (nearest, limit) = (Some(far), far);
                    }
                }
            }
            Inside::Halves(halves) => {
                let entered = halves
                    .each_ref()
                    .map(|half| half.bounds.entered(ray, limit));
                let left_first = entered[0] <= entered[1];
                for place in if left_first { [0, 1] } else { [1, 0] } {
                    let is_near = entered[place].is_some_and(|near| near < limit);
                    let hit = is_near
                        .then(|| halves[place].hit_inside(ray, limit))
                        .flatten();
                    if let Some(far) = hit {
                        (nearest, limit) = (Some(far), far);
                    }
                }
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::super::geometry::Point;
    use super::super::scene;
    use super::*;

    #[test]
    fn the_nearest_triangle_is_found() {
        let mut triangles = scene(500);
        let all = triangles.clone();
        let root = build(&mut triangles, Plain);
        let mut hits = 0;
        for step in 0..400 {
            let (x, y) = (step % 20, step / 20);
            let from = Point([x as f32 / 20.0, y as f32 / 20.0, -1.0]);
            let ray = Ray::new(from, Point([0.013, -0.007, 1.0]));
            let one_by_one = all
                .iter()
                .filter_map(|triangle| triangle.hit(&ray, f32::INFINITY));
            let nearest = one_by_one.min_by(f32::total_cmp);
            assert_eq!(root.hit(&ray, f32::INFINITY), nearest, "{x} {y}");
            hits += usize::from(nearest.is_some());
        }
        assert!((50..400).contains(&hits), "{hits}");
    }
}
