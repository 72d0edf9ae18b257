//! Tests of mesh files: what is read, what is refused and how, and that no file crashes the reader.

use super::*;
use crate::contactor::{MOST_POINTS, ShapeFault};
use rand_core::{Rng, SeedableRng};

type Triangles = Vec<[Vector3<f64>; 3]>;

fn triangles(shape: &Polytope<Space>) -> Triangles {
    let at = |k: u32| shape.vertices[k as usize];
    let fan = |c: &[u32]| -> Triangles { c[1..].windows(2).map(|p| [at(c[0]), at(p[0]), at(p[1])]).collect() };
    shape.faces.iter().flat_map(|f| fan(&f.corners)).collect()
}

fn binary(triangles: &Triangles) -> Vec<u8> {
    let mut bytes = vec![b's'; 80];
    bytes[..6].copy_from_slice(b"solid ");
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        bytes.extend([0; 12]);
        t.iter().flat_map(|p| p.iter()).for_each(|&x| bytes.extend((x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn text(triangles: &Triangles) -> String {
    let vertex = |p: &Vector3<f64>| format!("      vertex {} {} {}\n", p.x, p.y, p.z);
    let facet = |t: &[Vector3<f64>; 3]| {
        let corners: String = t.iter().map(vertex).collect();
        format!("  facet normal 0 0 0\n    outer loop\n{corners}    endloop\n  endfacet\n")
    };
    format!("solid grain\n{}endsolid grain\n", triangles.iter().map(facet).collect::<String>())
}

fn stl(bytes: impl AsRef<[u8]>) -> Result<Mesh, MeshFault> {
    Mesh::parse(Path::new("grain.stl"), bytes.as_ref())
}

fn obj(text: &str) -> Result<Mesh, MeshFault> {
    Mesh::parse(Path::new("grain.OBJ"), text.as_bytes())
}

fn cube() -> Polytope<Space> {
    Polytope::<Space>::cuboid(Vector3::new(1.0, 2.0, 3.0)).unwrap().0
}

const CUBE: &str = "# a cube\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nvn 0 0 1\n\
    f 4 3 2 1\nf 5/1 6/1 7/1 8/1\nf 1//2 2//2 6//2 5//2\nf -6 -5 -1 -2\nf 2 3 7 6\nf 1 5 8 4\n";

#[test]
fn text_binary_and_obj_files_give_the_same_solid() {
    let cube_triangles = triangles(&cube());
    for mesh in [stl(binary(&cube_triangles)).unwrap(), stl(text(&cube_triangles)).unwrap()] {
        assert_eq!((mesh.vertices.len(), mesh.facets.len()), (8, 12));
        let (shape, mass) = mesh.polytope().unwrap();
        assert_eq!((shape.vertices.len(), shape.faces.len()), (8, 6));
        assert!((mass.volume - 48.0).abs() < 1e-12);
    }
    let (shape, mass) = obj(CUBE).unwrap().polytope().unwrap();
    assert_eq!((shape.faces.len(), mass.volume, mass.centre), (6, 1.0, Vector3::repeat(0.5)));
}

#[test]
fn single_precision_does_not_split_flat_faces() {
    let r = crate::dim::Quaternion::new(0.3, 0.5, -0.2, 0.9).matrix();
    for shape in [Polytope::dodecahedron().unwrap().0, Polytope::prism(12, 0.7).unwrap().0, cube()] {
        let turned: Triangles = triangles(&shape).iter().map(|t| t.map(|p| r * p + Vector3::x() * 0.4)).collect();
        let (back, _) = stl(binary(&turned)).unwrap().polytope().unwrap();
        assert_eq!(back.faces.len(), shape.faces.len());
        assert_eq!(back.vertices.len(), shape.vertices.len());
    }
}

#[test]
fn a_surface_turned_inside_out_is_turned_back() {
    let mut inward = triangles(&cube());
    inward.iter_mut().for_each(|t| t.reverse());
    let mesh = stl(text(&inward)).unwrap();
    assert!((mesh.mass().volume - 48.0).abs() < 1e-12);
    assert!(mesh.polytope().is_ok());
}

#[test]
fn an_open_surface_is_refused_at_the_facet_beside_the_hole() {
    let mut open = triangles(&cube());
    open.remove(4);
    let fault = stl(text(&open)).unwrap_err();
    assert!(fault.location.facet.is_some() && fault.location.line.is_some());
    assert!(fault.what.contains("belongs to no other facet"), "{fault}");
    assert!(fault.to_string().starts_with("grain.stl, line "), "{fault}");
    assert!(stl(binary(&open)).unwrap_err().location.line.is_none());
}

#[test]
fn one_facet_turned_over_and_one_given_twice_are_refused() {
    let mut flipped = triangles(&cube());
    flipped[3].reverse();
    assert!(stl(text(&flipped)).unwrap_err().what.contains("same direction"));
    let mut twice = triangles(&cube());
    twice.push(twice[5]);
    assert!(stl(text(&twice)).unwrap_err().what.contains("shared by 3 facets"));
}

#[test]
fn a_surface_that_is_not_convex_is_refused_at_the_facet_but_has_a_mass() {
    let mut dented = triangles(&Polytope::octahedron().unwrap().0);
    for corner in dented.iter_mut().flatten().filter(|p| p.z > 0.9) {
        corner.z = -0.5;
    }
    let mesh = stl(text(&dented)).unwrap();
    assert!((mesh.mass().volume - 2.0 / 3.0 * 0.5).abs() < 1e-12);
    let fault = mesh.polytope().unwrap_err();
    assert!(fault.what.contains("not convex") && fault.location.facet.is_some(), "{fault}");
}

#[test]
fn pieces_and_nested_surfaces_are_refused_as_convex() {
    let mut two = triangles(&cube());
    two.extend(triangles(&cube()).iter().map(|t| t.map(|p| p + Vector3::x() * 9.0)));
    assert!(stl(text(&two)).unwrap().polytope().unwrap_err().what.contains("several pieces"));
}

#[test]
fn a_flat_surface_and_one_that_is_not_a_number_are_refused() {
    let flat: Triangles = triangles(&cube()).iter().map(|t| t.map(|p| Vector3::new(p.x, p.y, 0.0))).collect();
    assert!(stl(text(&flat)).is_err());
    let thin: Triangles = triangles(&cube()).iter().map(|t| t.map(|p| Vector3::new(p.x, p.y, 1e-9 * p.z))).collect();
    assert!(stl(text(&thin)).unwrap_err().what.contains("no volume"));
    let mut bad = triangles(&cube());
    bad[6][1].y = f64::NAN;
    for fault in [stl(text(&bad)).unwrap_err(), stl(binary(&bad)).unwrap_err()] {
        assert_eq!(fault.location.facet, Some(7), "{fault}");
    }
    let huge: Triangles = triangles(&cube()).iter().map(|t| t.map(|p| p * 1e200)).collect();
    assert!(stl(text(&huge)).unwrap_err().what.contains("extends over"));
}

#[test]
fn too_many_facets_and_cut_files_are_refused_before_they_are_read() {
    let mut bytes = binary(&triangles(&cube()));
    bytes.truncate(bytes.len() - 20);
    bytes[0] = b'x';
    let fault = stl(&bytes).unwrap_err();
    assert_eq!((fault.location.facet, fault.what.contains("cut short")), (Some(12), true), "{fault}");
    bytes[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(stl(&bytes).unwrap_err().what.contains("4294967295 facets, more than the 2000000"));
    let complete = text(&triangles(&cube()));
    assert!(stl(&complete[..complete.len() - 15]).unwrap_err().what.contains("cut short"));
    let vertices = "v 0 0 0\n".repeat(MOST_POINTS + 1);
    let fault = obj(&vertices).unwrap_err();
    assert_eq!((fault.location.line, fault.remedy), (Some(MOST_POINTS + 1), COARSER));
    assert_eq!(ShapeFault::TooMany { count: 3 }.to_string().split(' ').next(), Some("3"));
}

#[test]
fn lines_that_make_no_sense_are_refused_with_their_number() {
    let line = |text: &str| obj(text).unwrap_err().location.line;
    assert_eq!(line("v 0 0 0\nf 1 2 3\n"), Some(2));
    assert_eq!(line("v 0 0\n"), Some(1));
    assert_eq!(line("v 0 0 nonsense\n"), Some(1));
    assert_eq!(line("v 0 0 inf\n"), Some(1));
    assert_eq!(line("v 0 0 0\ncurv 1\n"), Some(2));
    assert_eq!(line("v 0 0 0\nf 1 -9223372036854775808 1\n"), Some(2));
    assert_eq!(
        stl("solid\n facet\n vertex 1 2 x\n").unwrap_err().location,
        MeshLocation { facet: Some(1), line: Some(3) }
    );
    assert_eq!(stl("solid\n facet\n facet\n").unwrap_err().location.line, Some(3));
    assert!(stl("").is_err() && stl("solid\nendsolid\n").is_err() && obj("").is_err());
    assert!(Mesh::parse(Path::new("grain.ply"), b"").unwrap_err().remedy.contains(".stl or .obj"));
    assert!(Mesh::read(Path::new("/nowhere/grain.stl")).unwrap_err().what.contains("cannot be read"));
}

#[test]
fn ten_thousand_mutated_files_are_read_or_refused_without_panic() {
    let grain = triangles(&Polytope::sphere_like(12).unwrap().0);
    let seeds: [(&str, Vec<u8>); 4] = [
        ("a.stl", binary(&grain)),
        ("b.stl", text(&grain).into_bytes()),
        ("c.stl", text(&triangles(&cube())).into_bytes()),
        ("d.obj", CUBE.as_bytes().to_vec()),
    ];
    let mut random = rand_pcg::Pcg64::seed_from_u64(11);
    let mut below = move |n: usize| (random.next_u64() % n.max(1) as u64) as usize;
    let (mut read, mut shaped) = (0, 0);
    for k in 0..14_000 {
        let (name, original) = &seeds[k % 4];
        let mut bytes = original.clone();
        for _ in 0..1 + below(2) {
            let at = below(bytes.len());
            match below(6) {
                0 if !bytes.is_empty() => bytes[at] ^= 1 << below(8),
                1 => bytes.truncate(at),
                2 => (0..1 + below(60)).for_each(|_| bytes.insert(at, below(256) as u8)),
                3 => drop(bytes.drain(at..(at + 1 + below(60)).min(bytes.len()))),
                4 if !bytes.is_empty() => bytes[at] = *b"0123456789.-+eE \nfnv/"[..].get(below(21)).unwrap(),
                _ => {
                    let copied = bytes[at..(at + below(200)).min(bytes.len())].to_vec();
                    let to = below(bytes.len());
                    bytes.splice(to..to, copied);
                }
            }
        }
        match Mesh::parse(Path::new(name), &bytes) {
            Ok(mesh) => {
                read += 1;
                // Memory is bounded by the size of the file: every vertex and facet takes bytes of it.
                assert!(mesh.vertices.len() <= bytes.len() && mesh.facets.len() <= bytes.len());
                shaped += usize::from(mesh.polytope().is_ok());
            }
            Err(fault) => assert!(!fault.what.is_empty() && fault.to_string().len() < 1000),
        }
    }
    assert!(read > 200 && shaped > 100, "{read} {shaped}: mutations are mild enough to reach every stage");
}
