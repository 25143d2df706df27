//! Points, triangles, boxes and rays.

/// A point, or a way from one to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point(pub [f32; 3]);

impl Point {
    fn with(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let ([a, b, c], [d, e, g]) = (self.0, other.0);
        Self([f(a, d), f(b, e), f(c, g)])
    }

    pub fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    fn minus(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    pub fn times(self, factor: f32) -> Self {
        Self(self.0.map(|value| value * factor))
    }

    fn dot(self, other: Self) -> f32 {
        self.with(other, |a, b| a * b).0.iter().sum()
    }

    fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }
}

/// Where a ray begins, and its way.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    from: Point,
    way: Point,
    /// One over each part of the way.
    inverse: Point,
}

impl Ray {
    /// From a point, along a way.
    pub fn new(from: Point, way: Point) -> Self {
        let inverse = Point(way.0.map(f32::recip));
        Self { from, way, inverse }
    }
}

/// Three corners.
#[derive(Clone, Copy, Debug)]
pub struct Triangle(pub [Point; 3]);

impl Triangle {
    /// Three times its middle, on an axis.
    pub fn middle(&self, axis: usize) -> f32 {
        self.0.iter().map(|corner| corner.0[axis]).sum()
    }

    /// How far along the ray it is hit, if nearer than `limit`.
    #[inline]
    pub fn hit(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let [first, second, third] = self.0;
        let (a, b) = (second.minus(first), third.minus(first));
        let p = ray.way.cross(b);
        let scale = a.dot(p).recip();
        let from = ray.from.minus(first);
        let u = from.dot(p) * scale;
        let q = from.cross(a);
        let v = ray.way.dot(q) * scale;
        let far = b.dot(q) * scale;
        // A ray in the triangle's plane gives no numbers, and so no hit.
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && far > 0.0 && far < limit).then_some(far)
    }
}

/// The least and the most of each axis.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub least: Point,
    pub most: Point,
}

impl Bounds {
    /// Of nothing.
    pub const NONE: Self = Self {
        least: Point([f32::INFINITY; 3]),
        most: Point([f32::NEG_INFINITY; 3]),
    };

    #[inline]
    pub fn grow(&mut self, point: Point) {
        self.least = self.least.with(point, f32::min);
        self.most = self.most.with(point, f32::max);
    }

    /// Of all corners.
    pub fn of(triangles: &[Triangle]) -> Self {
        let mut bounds = Self::NONE;
        for corner in triangles.iter().flat_map(|triangle| triangle.0) {
            bounds.grow(corner);
        }
        bounds
    }

    /// How far along the ray it is entered, if nearer than `limit`.
    #[inline]
    pub fn entered(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let along = |corner: Point| corner.minus(ray.from).with(ray.inverse, |a, b| a * b);
        let (a, b) = (along(self.least), along(self.most));
        let near = a.with(b, f32::min).0.into_iter().fold(0.0, f32::max);
        let far = a.with(b, f32::max).0.into_iter().fold(limit, f32::min);
        (near <= far).then_some(near)
    }
}
