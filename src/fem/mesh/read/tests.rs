//! Tests of the readers: one mesh in every format, wrong files, and files cut short or damaged at every byte.
//!
//! The mesh: a square, two triangles on its right, a line on its left side, a point, and a node that nothing uses.

use super::*;
use crate::dim::{Plane, Space};
use crate::fem::mesh::{Element, ElementKind};

const GMSH_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 9 \"tip\"\n1 5 \"wall\"\n\
2 7 \"left part\"\n\
$EndPhysicalNames\n$Nodes\n7\n1 0 0 0.5\n2 1 0 0.5\n3 1 1 0.5\n4 0 1 0.5\n10 2 0 0.5\n11 2 1 0.5\n12 9 9 9\n\
$EndNodes\n\
$Elements\n5\n1 15 2 9 1 10\n2 1 2 5 1 1 4\n3 3 2 7 1 1 2 3 4\n4 2 2 8 2 2 10 3\n5 2 2 8 2 10 3 11\n$EndElements\n";

const GMSH_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 9 \"tip\"\n1 5 \"wall\"\n\
2 7 \"left part\"\n\
$EndPhysicalNames\n$Entities\n1 1 2 0\n4 2 0 0.5 1 9\n1 0 0 0.5 0 1 0.5 1 -5 2 1 -2\n1 0 0 0.5 1 1 0.5 1 7 1 1\n\
2 1 0 0.5 2 1 0.5 1 8 0\n$EndEntities\n$Nodes\n2 7 1 12\n2 1 0 4\n1\n2\n3\n4\n0 0 0.5\n1 0 0.5\n1 1 0.5\n0 1 0.5\n\
2 2 1 3\n10\n11\n12\n2 0 0.5 0 0\n2 1 0.5 0 0\n9 9 9 0 0\n$EndNodes\n$Elements\n4 5 1 5\n0 4 15 1\n1 10\n\
1 1 1 1\n2 1 4\n\
2 1 3 1\n3 1 2 3 4\n2 2 2 2\n4 2 10 3\n5 10 3 11\n$EndElements\n";

const VTK_4: &str = "# vtk DataFile Version 4.2\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 double\n\
0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5\n2 0 0.5 2 1 0.5 9 9 9\nCELLS 5 18\n1 4\n2 0 3\n4 0 1 2 3\n3 1 4 2\n3 4 2 5\n\
CELL_TYPES 5\n1\n3\n9\n5\n5\nPOINT_DATA 7\nSCALARS heat float 1\nLOOKUP_TABLE default\n1 2 3 4 5 6 7\n\
CELL_DATA 5\nFIELD FieldData 2\nvelocity 3 5 float\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\nmaterial 1 5 int\n9 5 7 8 8\n";

const VTK_5: &str = "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 float\n\
0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5 2 0 0.5 2 1 0.5 9 9 9\nMETADATA\nINFORMATION 0\n\nCELLS 6 13\nOFFSETS vtktypeint64\n\
0 1 3 7 10 13\nCONNECTIVITY vtktypeint64\n4 0 3 0 1 2 3 1 4 2 4 2 5\nCELL_TYPES 5\n1 3 9 5 5\nCELL_DATA 5\n\
SCALARS CellEntityIds int 1\nLOOKUP_TABLE default\n9 5 7 8 8\n";

const VTU: &str = "<?xml version=\"1.0\"?>\n\
<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
<UnstructuredGrid><Piece NumberOfPoints=\"7\" NumberOfCells=\"5\">\n<Points>\n\
<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5 2 0 0.5 2 \
1 0.5 9 9 9\
</DataArray></Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">\n\
4 0 3 0 1 2 3 1 4 2 4 2 5\n\
</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">1 3 7 10 13</DataArray>\n\
<DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">1 3 9 5 5</DataArray></Cells>\n\
<CellData Scalars=\"group\"><DataArray type=\"Int32\" Name=\"group\" format=\"ascii\">9 5 7 8 \
8</DataArray></CellData>\n\
</Piece></UnstructuredGrid></VTKFile>\n";

fn parse<X: Dim>(name: &str, bytes: &[u8]) -> Result<VolumeMesh<X>, VolumeMeshFault> {
    VolumeMesh::<X>::parse(Path::new(name), bytes)
}

fn told(name: &str, text: &str) -> String {
    parse::<Plane>(name, text.as_bytes()).unwrap_err().to_string()
}

/// Writes text as it is, and whole or real numbers in braces as binary: `{4:1 2}` integers of four bytes, `{8:1}` of
/// eight, `{r:0.5}` doubles, `{f:0.5}` floats, `{1:9}` bytes.
fn packed(text: &str, is_big_endian: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (k, part) in text.split(['{', '}']).enumerate() {
        let Some((code, numbers)) = part.split_once(':').filter(|_| k % 2 == 1) else {
            bytes.extend(part.bytes());
            continue;
        };
        for word in numbers.split_whitespace() {
            let mut number = match code {
                "r" => word.parse::<f64>().unwrap().to_le_bytes().to_vec(),
                "f" => word.parse::<f32>().unwrap().to_le_bytes().to_vec(),
                width => word.parse::<i64>().unwrap().to_le_bytes()[..width.parse().unwrap()].to_vec(),
            };
            if is_big_endian {
                number.reverse();
            }
            bytes.extend(number);
        }
    }
    bytes
}

fn gmsh_2_binary(is_big_endian: bool) -> Vec<u8> {
    let text = "$MeshFormat\n2.2 1 8\n{4:1}\n$EndMeshFormat\n$PhysicalNames\n3\n0 9 \"tip\"\n1 5 \"wall\"\n\
2 7 \"left part\"\n$EndPhysicalNames\n$Nodes\n7\n{4:1}{r:0 0 0.5}{4:2}{r:1 0 0.5}{4:3}{r:1 1 0.5}{4:4}{r:0 1 0.5}\
{4:10}{r:2 0 0.5}{4:11}{r:2 1 0.5}{4:12}{r:9 9 9}\n$EndNodes\n$Elements\n5\n{4:15 1 2 1 9 1 10}{4:1 1 2 2 5 1 1 4}\
{4:3 1 2 3 7 1 1 2 3 4}{4:2 2 2 4 8 2 2 10 3 5 8 2 10 3 11}\n$EndElements\n";
    packed(text, is_big_endian)
}

fn gmsh_4_binary(is_big_endian: bool) -> Vec<u8> {
    let text = "$MeshFormat\n4.1 1 8\n{4:1}\n$EndMeshFormat\n$PhysicalNames\n3\n0 9 \"tip\"\n1 5 \"wall\"\n\
2 7 \"left part\"\n$EndPhysicalNames\n$Entities\n{8:1 1 2 0}{4:4}{r:2 0 0.5}{8:1}{4:9}\
{4:1}{r:0 0 0.5 0 1 0.5}{8:1}{4:-5}{8:2}{4:1 -2}{4:1}{r:0 0 0.5 1 1 0.5}{8:1}{4:7}{8:1}{4:1}\
{4:2}{r:1 0 0.5 2 1 0.5}{8:1}{4:8}{8:0}\n$EndEntities\n$Nodes\n{8:2 7 1 12}{4:2 1 0}{8:4 1 2 3 4}\
{r:0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5}{4:2 2 1}{8:3 10 11 12}{r:2 0 0.5 0 0 2 1 0.5 0 0 9 9 9 0 0}\n$EndNodes\n\
$Elements\n{8:4 5 1 5}{4:0 4 15}{8:1 1 10}{4:1 1 1}{8:1 2 1 4}{4:2 1 3}{8:1 3 1 2 3 4}{4:2 2 2}{8:2 4 2 10 3 5 \
10 3 11}\n\
$EndElements\n";
    packed(text, is_big_endian)
}

fn vtk_4_binary() -> Vec<u8> {
    let text = "# vtk DataFile Version 4.2\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 float\n\
{f:0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5 2 0 0.5 2 1 0.5 9 9 9}\nCELLS 5 18\n{4:1 4 2 0 3 4 0 1 2 3 3 1 4 2 3 4 2 5}\n\
CELL_TYPES 5\n{4:1 3 9 5 5}\nCELL_DATA 5\nSCALARS group unsigned_char\nLOOKUP_TABLE default\n{1:9 5 7 8 8}\n";
    packed(text, true)
}

fn vtk_5_binary() -> Vec<u8> {
    let text = "# vtk DataFile Version 5.1\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 double\n\
{r:0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5 2 0 0.5 2 1 0.5 9 9 9}\nCELLS 6 13\nOFFSETS vtktypeint64\n{8:0 1 3 7 10 13}\n\
CONNECTIVITY vtktypeint64\n{8:4 0 3 0 1 2 3 1 4 2 4 2 5}\nCELL_TYPES 5\n{4:1 3 9 5 5}\nCELL_DATA 5\n\
FIELD FieldData 1\ngmsh:physical 1 5 vtktypeint64\n{8:9 5 7 8 8}\n";
    packed(text, true)
}

/// The arrays of the mesh, each with the number of bytes that it starts with.
const ARRAYS: [(&str, &str, &str); 5] = [
    ("Points", "Float64", "{r:0 0 0.5 1 0 0.5 1 1 0.5 0 1 0.5 2 0 0.5 2 1 0.5 9 9 9}"),
    ("connectivity", "Int32", "{4:4 0 3 0 1 2 3 1 4 2 4 2 5}"),
    ("offsets", "Int64", "{8:1 3 7 10 13}"),
    ("types", "UInt8", "{1:1 3 9 5 5}"),
    ("material", "Int32", "{4:9 5 7 8 8}"),
];

fn letters(bytes: &[u8]) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, k| bits << 8 | three.get(k).copied().map_or(0, usize::from));
        for k in 0..4 {
            text.push(if k <= three.len() { LETTERS[bits >> (18 - 6 * k) & 63] as char } else { '=' });
        }
    }
    text
}

/// The mesh with arrays inline (base64) or appended (base64 or raw), and headers of four or eight bytes.
fn vtu_binary(is_inline: bool, is_raw: bool, is_big_endian: bool, header: usize) -> Vec<u8> {
    let order = if is_big_endian { "BigEndian" } else { "LittleEndian" };
    let mut text = format!(
        "<VTKFile type='UnstructuredGrid' byte_order='{order}' header_type='UInt{}'><UnstructuredGrid>\n<Piece>",
        8 * header
    );
    let mut appended = Vec::new();
    for (name, number_type, numbers) in ARRAYS {
        let numbers = packed(numbers, is_big_endian);
        let mut bytes = packed(&format!("{{{header}:{}}}", numbers.len()), is_big_endian);
        bytes.extend(numbers);
        let section = match name {
            "Points" => "Points",
            "material" => "CellData",
            _ => "Cells",
        };
        let components = if name == "Points" { 3 } else { 1 };
        let (format, content) = if is_inline { ("binary", letters(&bytes)) } else { ("appended", String::new()) };
        text += &format!(
            "<{section}><DataArray type='{number_type}' Name='{name}' NumberOfComponents='{components}' \
             format='{format}' offset='{}'>{content}</DataArray></{section}>\n",
            appended.len()
        );
        appended.extend(if is_raw { bytes } else { letters(&bytes).into_bytes() });
    }
    text += "</Piece></UnstructuredGrid>";
    let mut file = text.into_bytes();
    if !is_inline {
        file.extend(format!("<AppendedData encoding='{}'>\n_", if is_raw { "raw" } else { "base64" }).bytes());
        file.extend(appended);
        file.extend(b"</AppendedData>");
    }
    file.extend(b"</VTKFile>\n");
    file
}

fn all_formats() -> Vec<(&'static str, Vec<u8>)> {
    let mut all = vec![("a.msh", GMSH_2.into()), ("a.msh", GMSH_4.into()), ("a.vtk", VTK_4.into())];
    all.extend([("a.vtk", VTK_5.into()), ("a.VTU", VTU.into())]);
    all.extend([true, false].map(|order| ("a.msh", gmsh_2_binary(order))));
    all.extend([true, false].map(|order| ("a.msh", gmsh_4_binary(order))));
    all.extend([("a.vtk", vtk_4_binary()), ("a.vtk", vtk_5_binary())]);
    for (is_inline, is_raw) in [(true, false), (false, false), (false, true)] {
        all.push(("a.vtu", vtu_binary(is_inline, is_raw, true, 8)));
        all.push(("a.vtu", vtu_binary(is_inline, is_raw, false, 4)));
    }
    all
}

#[test]
fn every_format_gives_the_same_mesh() {
    for (k, (name, bytes)) in all_formats().into_iter().enumerate() {
        let mesh = parse::<Plane>(name, &bytes).unwrap_or_else(|fault| panic!("{k}: {fault}"));
        assert_eq!(mesh.nodes.len(), 6, "the unused node is dropped");
        let elements: Vec<_> = mesh.elements.iter().map(|e| (e.kind, e.nodes().to_vec(), e.group)).collect();
        let expected = [
            (ElementKind::Q4, vec![0, 1, 2, 3], 2),
            (ElementKind::T3, vec![1, 4, 2], 3),
            (ElementKind::T3, vec![4, 5, 2], 3),
        ];
        assert_eq!(elements, expected, "{k}");
        assert_eq!(mesh.measure(), 2.0);
        let has_names = name == "a.msh";
        let names: Vec<&str> = mesh.groups.iter().map(|group| group.name.as_str()).collect();
        let expected = if has_names {
            ["tip", "wall", "left part", "group-8"]
        } else {
            ["group-9", "group-5", "group-7", "group-8"]
        };
        assert_eq!(names, expected);
        let dimensions: Vec<usize> = mesh.groups.iter().map(|group| group.dimension).collect();
        assert_eq!(dimensions, [0, 1, 2, 2]);
        assert_eq!((&mesh.groups[0].nodes, &mesh.groups[3].nodes), (&vec![4], &vec![1, 2, 4, 5]));
        assert_eq!(mesh.groups[1].faces, [[3, 0]], "turned outward");
    }
}

#[test]
fn a_file_cut_short_or_damaged_anywhere_is_refused_or_read() {
    for (name, bytes) in all_formats() {
        for length in 0..bytes.len() {
            _ = parse::<Plane>(name, &bytes[..length]);
            _ = parse::<Space>(name, &bytes[..length]);
            let mut damaged = bytes.clone();
            for byte in [b'9', b'-', 0xff, b' ', b'\n', b'<', 0] {
                damaged[length] = byte;
                _ = parse::<Plane>(name, &damaged);
            }
        }
        let told = parse::<Plane>(name, &bytes[..bytes.len() * 2 / 3]).unwrap_err().to_string();
        let reasons = ["cut short", "does not fit", "shorter", "belongs", "lie beyond", "has no CELL_TYPES"];
        assert!(reasons.iter().any(|reason| told.contains(reason)), "{told}");
    }
}

#[test]
fn quadratic_tetrahedra_of_both_programs_are_the_same_element() {
    let points = "0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1";
    let vtk = format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n{points} 1 0 1 0 1 1\n\
         CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n"
    );
    let mesh = parse::<Space>("a.vtk", vtk.as_bytes()).unwrap();
    let corners: Vec<f64> = points.split(' ').map(|word| word.parse().unwrap()).collect();
    let mut gmsh = String::from("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n");
    for (k, p) in corners.chunks(3).chain([&[0.0, 1.0, 1.0][..], &[1.0, 0.0, 1.0]]).enumerate() {
        gmsh += &format!("{} {} {} {}\n", k + 1, p[0], p[1], p[2]);
    }
    gmsh += "$EndNodes\n$Elements\n1\n1 11 0 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
    let other = parse::<Space>("a.msh", gmsh.as_bytes()).unwrap();
    for mesh in [&mesh, &other] {
        let element = mesh.elements[0];
        let at = |k: usize| mesh.nodes[element.nodes()[k] as usize];
        for (k, &[a, b]) in element.kind.edges().iter().enumerate() {
            assert_eq!(at(4 + k), (at(a) + at(b)) * 0.5, "edge {k}");
        }
    }
}

#[test]
fn an_element_of_two_groups_is_one_element() {
    let twice = GMSH_2.replace("5\n1 15", "6\n6 3 2 8 1 1 2 3 4\n1 15");
    let mesh = parse::<Plane>("a.msh", twice.as_bytes()).unwrap();
    assert_eq!(mesh.elements.len(), 3);
    assert_eq!(mesh.groups[3].nodes.len(), 6);
    let same = GMSH_2.replace("5\n1 15", "6\n6 3 2 7 1 1 2 3 4\n1 15");
    assert!(told("a.msh", &same).contains("same corners as another element (element"), "{}", told("a.msh", &same));
}

#[test]
fn faults_name_the_line_and_the_element_of_the_file() {
    let bowtie = GMSH_2.replace("3 3 2 7 1 1 2 3 4", "3 3 2 7 1 1 3 2 4");
    let message = told("a.msh", &bowtie);
    assert!(message.starts_with("a.msh, line 24, element 3: is inverted or intersects itself"), "{message}");
    assert!(told("a.msh", &GMSH_2.replace("2 1 2 5 1 1 4", "2 1 2 5 1 1 44")).contains("refers to node 44"));
    assert!(told("a.msh", &GMSH_2.replace("3 3 2 7", "3 6 2 7")).contains("element 3: is a prism (type 6)"));
    assert!(told("a.msh", &GMSH_2.replace("2 0 0.5", "2 0 0.6")).contains("z varies from 5e-1 to 6e-1"));
    assert!(told("a.msh", &GMSH_2.replace("2 0 0.5", "nan 0 0.5")).contains("finite"));
    assert!(told("a.msh", &GMSH_2.replace("2.2 0 8", "4.0 0 8")).contains("version '4.0'"));
    assert!(told("a.msh", &GMSH_2.replace("2 1 0 0.5", "1 1 0 0.5")).contains("line 13: node 1 is given twice"));
    assert!(told("a.vtk", &VTK_4.replace("3 1 4 2", "3 1 4 20")).contains("element 4: refers to node 20"));
    assert!(told("a.vtk", &VTK_4.replace("9\n5\n5\nP", "13\n5\n5\nP")).contains("element 3: is a wedge"));
    assert!(told("a.vtk", &VTK_4.replace("9 5 7 8 8", "9 5 7.5 8 8")).contains("value 7.5 in the array 'material'"));
    assert!(told("a.vtk", &VTK_4.replace("UNSTRUCTURED_GRID", "POLYDATA")).contains("holds a POLYDATA"));
    assert!(told("a.vtu", &VTU.replace("byte_order", "compressor='z' byte_order")).contains("without compression"));
    assert!(told("a.vtu", &VTU.replace("<Piece", "<Piece/><Piece")).contains("2 pieces"));
    assert!(told("a.stl", VTU).contains("unknown format"));
    assert!(told("a.msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n").contains("no section $Elements"));
}

#[test]
fn a_mesh_of_another_dimension_is_refused() {
    let message = parse::<Space>("a.msh", GMSH_2.as_bytes()).unwrap_err().to_string();
    assert!(message.contains("no elements of 3 dimensions among its 5 cells (of at most 2)"), "{message}");
    let points = "POINTS 4 double\n0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 2 1 3\nCELL_TYPES 1\n10\n";
    let file = format!("# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n{points}");
    assert!(told("a.vtk", &file).contains("element 1: has 3 dimensions, the scene has 2"));
    let mesh = parse::<Space>("a.vtk", file.as_bytes()).unwrap();
    assert_eq!(mesh.elements[0].nodes(), [0, 1, 2, 3], "an inverted simplex is turned");
    assert_eq!(mesh.elements[0].group, Element::NO_GROUP);
}

#[test]
fn counts_that_the_file_cannot_hold_reserve_no_memory() {
    for huge in ["4000000000", "18446744073709551615", "-1", "1e300", "9007199254740993"] {
        for (file, name, mark) in [
            (GMSH_2, "a.msh", "$Nodes\n7"),
            (GMSH_4, "a.msh", "$Nodes\n2"),
            (GMSH_4, "a.msh", "2 1 0 4"),
            (GMSH_4, "a.msh", "$Entities\n1"),
            (GMSH_4, "a.msh", "$PhysicalNames\n3"),
            (VTK_4, "a.vtk", "POINTS 7"),
            (VTK_5, "a.vtk", "CELLS 6"),
            (VTK_4, "a.vtk", "CELL_DATA 5"),
        ] {
            let end = mark.rfind(|c: char| !c.is_ascii_digit()).unwrap();
            told(name, &file.replace(mark, &format!("{}{huge}", &mark[..=end])));
        }
    }
}
