//! `final.h5`: the State of all bodies by name, sorted by id, so that its bytes say what was computed and
//! nothing else. Wall times and hosts go elsewhere.

use std::path::Path;

use super::columns::{self, Attribute, Column, Values};
use crate::dim::{Dim, Vector};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::state::{Bodies, FieldSpec, Kind, State};

/// Write the states of `bodies` after `step` steps of length `h`.
pub fn write<X: Dim>(path: &Path, model: &Model<X>, bodies: &Bodies<X>, step: u64, h: f64, scene: &str) -> Result<()> {
    let states = bodies.by_id();
    let mut rows = Vec::with_capacity(states.len() * State::<X>::row_bytes());
    states.iter().for_each(|s| s.write_row(&mut rows));
    let bodies: Vec<Column> = State::<X>::fields().iter().map(|f| column(f, &rows, State::<X>::row_bytes())).collect();
    let names = Values::Text(model.materials.iter().map(|m| m.name.clone()).collect());
    let densities = Values::Float(model.materials.iter().map(|m| m.density).collect());
    let materials = vec![
        Column::new("name", "", "name in the scene", 1, names),
        Column::new("density", "kg/m3", "mass per volume (per area in two dimensions)", 1, densities),
    ];
    let kinds = Values::Text(model.shapes.iter().map(|s| s.name().into()).collect());
    let counts = Values::Small(model.shapes.iter().map(|s| s.corners().len() as u32).collect());
    let shapes = vec![
        Column::new("kind", "", "name of the shape", 1, kinds),
        Column::new("corners", "", "how many rows of /shape_corners are its own, in order", 1, counts),
    ];
    let corners = Values::Float(model.shapes.iter().flat_map(|s| s.corners()).flat_map(|v| v.in_space()).collect());
    let corners = vec![Column::new("position", "m", "corner at size one, about the centre of mass", 3, corners)];
    let attributes = [
        ("program", Attribute::Text(format!("nscdd {}", env!("CARGO_PKG_VERSION")))),
        ("format", Attribute::Integer(1)),
        ("dimension", Attribute::Integer(X::D as u64)),
        ("step", Attribute::Integer(step)),
        ("time", Attribute::Float(step as f64 * h)),
        ("scene", Attribute::Text(scene.to_owned())),
    ];
    let groups = [("bodies", bodies), ("materials", materials), ("shapes", shapes), ("shape_corners", corners)];
    columns::write(path, &groups, &attributes).map_err(|e| Error::system("write", path, e.reason))
}

/// Cut one field out of all rows.
fn column(field: &FieldSpec, rows: &[u8], row_bytes: usize) -> Column {
    let size = field.kind.size();
    let elements =
        rows.chunks_exact(row_bytes).flat_map(|row| row[field.offset..][..size * field.width].chunks_exact(size));
    // A chunk of `size` bytes always converts to a number of that size.
    let values = match field.kind {
        Kind::F64 => Values::Float(elements.map(|b| f64::from_le_bytes(array(b))).collect()),
        Kind::U64 => Values::Integer(elements.map(|b| u64::from_le_bytes(array(b))).collect()),
        Kind::U32 => Values::Small(elements.map(|b| u32::from_le_bytes(array(b))).collect()),
    };
    Column::new(field.name, field.unit, field.about, field.width, values)
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use crate::law::LawTable;
    use crate::model::Material;
    use nalgebra::Vector3;

    #[test]
    fn the_final_state_reads_back_by_name() {
        let model = Model::<Space> {
            shapes: vec![crate::contactor::Shape::Ball],
            materials: vec![Material { name: "glass".into(), density: 2600.0 }],
            motions: vec![],
            laws: LawTable::new(1),
            gravity: Vector3::zeros(),
        };
        let mut second = State::at_rest(9, 0, 0, 0.1, 2.0);
        second.position = Vector3::new(1.0, 2.0, 3.0);
        let bodies = Bodies::new(vec![second, State::at_rest(4, 0, 0, 0.1, 1.0)]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("final.h5");
        write(&path, &model, &bodies, 7, 0.5, "text").unwrap();
        let content = columns::read(&path).unwrap();
        assert_eq!(content.column("bodies", "id").unwrap().values, Values::Integer(vec![4, 9]));
        let positions = &content.column("bodies", "position").unwrap().values;
        assert_eq!(*positions, Values::Float(vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0]));
        assert_eq!(content.attribute("time"), Some(&Attribute::Float(3.5)));
    }
}
