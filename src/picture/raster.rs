//! Visibility by ray casting: finds the nearest solid at every pixel. Tiles of the image are processed in parallel,
//! each with the solids that overlap it.

use rayon::prelude::*;

use super::ImagePoint;
use super::camera::Camera;
use super::solid::{CameraSolid, DrawnSolid};

/// Side of a tile, px.
const TILE: usize = 32;
/// Marks a ray without hit.
const NO_HIT: u32 = u32::MAX;

/// Solids in camera coordinates, sorted into tiles.
pub(super) struct Raster {
    pub(super) camera: Camera,
    width: usize,
    height: usize,
    solids: Vec<CameraSolid>,
    /// Solids of every tile, tiles in row-major order.
    tiles: Vec<Vec<u32>>,
}

/// First intersection of a ray.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// Depth, m.
    pub(super) depth: f64,
    /// Position in camera coordinates.
    pub(super) at: ImagePoint,
    /// Outward unit normal of the surface.
    pub(super) normal: ImagePoint,
    pub(super) paint: u32,
}

impl Raster {
    pub(super) fn new(solids: &[DrawnSolid], camera: Camera, width: usize, height: usize) -> Self {
        let mut solids: Vec<CameraSolid> = solids.iter().filter_map(|solid| CameraSolid::new(solid, &camera)).collect();
        // Front to back: most hidden solids are then skipped by their depth.
        solids.sort_by(|a, b| a.nearest.total_cmp(&b.nearest));
        let (across, down) = (width.div_ceil(TILE), height.div_ceil(TILE));
        let mut tiles = vec![Vec::new(); across * down];
        let tile = |px: f64, max: usize| (px / TILE as f64).floor().clamp(-1.0, max as f64);
        for (number, solid) in (0u32..).zip(&solids) {
            let [left, top, right, bottom] = solid.extent;
            let columns = tile(left, across).max(0.0) as usize..(tile(right, across) + 1.0).min(across as f64) as usize;
            for row in tile(top, down).max(0.0) as usize..(tile(bottom, down) + 1.0).min(down as f64) as usize {
                columns.clone().for_each(|column| tiles[row * across + column].push(number));
            }
        }
        Self { camera, width, height, solids, tiles }
    }

    /// Computes every pixel, row by row. `finish` receives the pixel and, for each of `samples` x `samples` rays in
    /// order, the nearest opaque hit and the nearest transparent hit in front of it.
    pub(super) fn render<T: Copy + Default + Send + Sync>(
        &self,
        samples: usize,
        finish: impl Fn([usize; 2], &[(Option<Hit>, Option<Hit>)]) -> T + Sync,
    ) -> Vec<T> {
        let across = self.width.div_ceil(TILE);
        let tiles: Vec<Vec<T>> =
            (0..self.tiles.len()).into_par_iter().map(|tile| self.tile(tile, samples, &finish)).collect();
        let mut image = vec![T::default(); self.width * self.height];
        for (number, pixels) in tiles.iter().enumerate() {
            let (left, top) = (number % across * TILE, number / across * TILE);
            let wide = TILE.min(self.width - left);
            for (row, line) in pixels.chunks(wide).enumerate() {
                image[(top + row) * self.width + left..][..wide].copy_from_slice(line);
            }
        }
        image
    }

    fn tile<T>(
        &self,
        tile: usize,
        samples: usize,
        finish: &impl Fn([usize; 2], &[(Option<Hit>, Option<Hit>)]) -> T,
    ) -> Vec<T> {
        let across = self.width.div_ceil(TILE);
        let (left, top) = (tile % across * TILE, tile / across * TILE);
        let (wide, high) = (TILE.min(self.width - left), TILE.min(self.height - top));
        let (columns, rows) = (wide * samples, high * samples);
        let fine = 1.0 / samples as f64;
        let pixel = |column: usize, row: usize| {
            [left as f64 + fine * (column as f64 + 0.5), top as f64 + fine * (row as f64 + 0.5)]
        };
        let mut nearest = [vec![(f64::INFINITY, NO_HIT); columns * rows], Vec::new()];
        if self.tiles[tile].iter().any(|&number| self.solids[number as usize].is_transparent) {
            nearest[1] = nearest[0].clone();
        }
        for &number in &self.tiles[tile] {
            let solid = &self.solids[number as usize];
            let buffer = &mut nearest[usize::from(solid.is_transparent)];
            let [from, to] = [0, 1].map(|k| {
                let (start, count) = if k == 0 { (left, columns) } else { (top, rows) };
                let [low, high] = [solid.extent[k], solid.extent[k + 2]].map(|px| (px - start as f64) / fine);
                let limit = count as f64;
                (low.floor().clamp(0.0, limit) as usize, (high.ceil() + 1.0).clamp(0.0, limit) as usize)
            });
            for row in to.0..to.1 {
                for column in from.0..from.1 {
                    let best = &mut buffer[row * columns + column];
                    if solid.nearest >= best.0 {
                        continue;
                    }
                    if let Some(depth) = solid.intersect(&self.camera.ray(pixel(column, row)), best.0) {
                        *best = (depth, number);
                    }
                }
            }
        }
        let hit = |layer: usize, column: usize, row: usize| {
            let &(depth, number) = nearest[layer].get(row * columns + column)?;
            let solid = self.solids.get(number as usize)?;
            let at = self.camera.ray(pixel(column, row)) * depth;
            Some(Hit { depth, at, normal: solid.normal(&at), paint: solid.paint })
        };
        let mut pixels = Vec::with_capacity(wide * high);
        let mut rays = Vec::with_capacity(samples * samples);
        for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
            rays.clear();
            for (row, column) in (0..samples).flat_map(|row| (0..samples).map(move |column| (row, column))) {
                let (row, column) = (y * samples + row, x * samples + column);
                let solid = hit(0, column, row);
                let transparent =
                    hit(1, column, row).filter(|transparent| solid.is_none_or(|solid| transparent.depth < solid.depth));
                rays.push((solid, transparent));
            }
            pixels.push(finish([left + x, top + y], &rays));
        }
        pixels
    }

    /// Depth of the nearest opaque solid at every pixel; infinite where there is none.
    pub(super) fn depths(&self) -> Vec<f32> {
        self.render(1, |_, rays| rays[0].0.map_or(f32::INFINITY, |hit| hit.depth as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::super::solid::SolidForm;
    use super::*;

    #[test]
    fn a_ball_covers_its_disk_and_hides_what_is_behind_it() {
        let camera = Camera {
            eye: ImagePoint::zeros(),
            right: ImagePoint::x(),
            up: ImagePoint::y(),
            ahead: ImagePoint::z(),
            focal: 1000.0,
            centre: [100.0, 90.0],
        };
        let ball = |z: f64, radius: f64, paint: u32| DrawnSolid {
            form: SolidForm::Ball { centre: ImagePoint::z() * z, radius },
            paint,
            is_transparent: false,
            casts_shadow: true,
        };
        let solids = [ball(100.0, 5.0, 7), ball(80.0, 2.0, 3)];
        let raster = Raster::new(&solids, camera, 200, 180);
        let paints = raster.render(1, |_, rays| rays[0].0.map_or(0, |hit| hit.paint));
        let near = paints.iter().filter(|&&paint| paint == 3).count() as f64;
        let both = paints.iter().filter(|&&paint| paint > 0).count() as f64;
        // Disks of 25 and 50 px, slightly enlarged by the perspective.
        let disk = |radius: f64| std::f64::consts::PI * radius * radius;
        assert!((near / disk(25.0) - 1.0).abs() < 0.01, "{near}");
        assert!((both / disk(50.06) - 1.0).abs() < 0.01, "{both}");
        assert_eq!(paints[90 * 200 + 100], 3);
        let depths = raster.depths();
        assert!((depths[90 * 200 + 100] - 78.0).abs() < 1e-2 && depths[0].is_infinite());
    }
}
