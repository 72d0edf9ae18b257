//! Tests of FCLIB files.

use std::path::Path;

use hdf5::File;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use super::*;
use crate::dim::{Plane, Space};
use crate::domain::GlobalContact;

/// Two contacts in 2D.
fn content() -> FclibContent<Plane> {
    let blocks = vec![
        (0, 0, Matrix2::new(2.0, 0.1, 0.1, 3.0)),
        (0, 1, Matrix2::new(0.5, 0.0, 0.2, 0.0)),
        (1, 0, Matrix2::new(0.5, 0.2, 0.0, 0.0)),
        (1, 1, Matrix2::new(1.0, 0.0, 0.0, 1.0)),
    ];
    let problem = Delassus::new(blocks, vec![Vector2::new(-1.0, 0.5), Vector2::new(1.0, 0.0)], vec![0.3, 0.7]);
    let solution = Some(FclibSolution::of(&problem, vec![Vector2::new(0.5, -0.1), Vector2::zeros()]));
    let guesses = vec![
        FclibSolution::of(&problem, vec![Vector2::zeros(); 2]),
        FclibSolution::of(&problem, vec![Vector2::x(); 2]),
    ];
    let about = FclibInfo { title: "two".into(), description: "of a test".into(), math_info: String::new() };
    let contact =
        |k: u64| GlobalContact { bodies: [k, k + 7], point: Vector2::new(k as f64, 0.5), normal: Vector2::y() };
    FclibContent { problem, solution, guesses, contacts: vec![contact(0), contact(1)], about }
}

fn written(folder: &Path) -> PathBuf {
    let path = folder.join("problem.hdf5");
    write(&path, &content()).unwrap();
    path
}

fn values<T: hdf5::H5Type>(path: &Path, object: &str, values: &[T]) {
    let file = File::open_rw(path).unwrap();
    if file.link_exists(object) {
        file.unlink(object).unwrap();
    }
    file.new_dataset::<T>().shape(values.len()).create(object).unwrap().write_raw(values).unwrap();
}

#[test]
fn what_is_read_is_what_was_written_and_written_again_it_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    assert_eq!(dimension(&path), Ok(2));
    let found = read::<Plane>(&path).unwrap();
    assert_eq!(found, content());
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let again = folder.path().join("again.hdf5");
    write(&again, &found).unwrap();
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing unfinished is left");
}

#[test]
fn a_problem_in_three_dimensions_is_read_as_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("problem.hdf5");
    let problem = Delassus::new(vec![(0, 0, Matrix3::identity())], vec![Vector3::new(-1.0, 2.0, 3.0)], vec![0.5]);
    let content = FclibContent::<Space> {
        problem,
        solution: None,
        guesses: vec![],
        contacts: vec![],
        about: FclibInfo::default(),
    };
    write(&path, &content).unwrap();
    assert_eq!(dimension(&path), Ok(3));
    assert_eq!(read::<Space>(&path).unwrap(), content);
    assert!(read::<Plane>(&path).unwrap_err().to_string().contains("/fclib_local/spacedim: 3, expected 2"));
}

#[test]
fn triplets_and_compressed_rows_are_the_same_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let entries = [
        (0, 0, 2.0),
        (0, 1, 0.1),
        (1, 0, 0.1),
        (1, 1, 3.0),
        (0, 2, 0.5),
        (1, 2, 0.2),
        (2, 0, 0.5),
        (2, 1, 0.2),
        (3, 3, 1.0),
        // In two parts, which are summed.
        (2, 2, 0.25),
        (2, 2, 0.75),
    ];
    values(&path, "fclib_local/W/nz", &[entries.len() as i32]);
    values(&path, "fclib_local/W/p", &entries.map(|(_, column, _)| column));
    values(&path, "fclib_local/W/i", &entries.map(|(row, _, _)| row));
    values(&path, "fclib_local/W/x", &entries.map(|(_, _, value)| value));
    assert_eq!(read::<Plane>(&path).unwrap(), content());
    values(&path, "fclib_local/W/nz", &[-2]);
    values(&path, "fclib_local/W/p", &[0i64, 3, 6, 9, 10]);
    values(&path, "fclib_local/W/i", &[0i64, 1, 2, 0, 1, 2, 0, 1, 2, 3]);
    values(&path, "fclib_local/W/x", &[2.0, 0.1, 0.5, 0.1, 3.0, 0.2, 0.5, 0.2, 1.0, 1.0]);
    assert_eq!(read::<Plane>(&path).unwrap(), content());
}

/// The error of reading a file that `change` has modified.
fn error_after(change: impl Fn(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    change(&path);
    let message = match dimension(&path) {
        Ok(_) => read::<Plane>(&path).unwrap_err(),
        Err(unreadable) => unreadable,
    };
    assert!(message.path == path);
    format!("{}: {}", message.object, message.what)
}

fn without(path: &Path, object: &str) {
    File::open_rw(path).unwrap().unlink(object).unwrap();
}

#[test]
fn whatever_is_missing_is_named() {
    for object in ["spacedim", "W", "W/m", "W/nz", "W/p", "W/i", "W/x", "vectors/q", "vectors/mu"] {
        let message = error_after(|path| without(path, &format!("fclib_local/{object}")));
        assert!(message.starts_with(&format!("/fclib_local/{object}")) && message.ends_with("missing"), "{message}");
    }
    assert_eq!(error_after(|path| without(path, "fclib_local")), "/fclib_local: missing");
    assert_eq!(error_after(|path| without(path, "solution/r")), "/solution/r: missing");
}

#[test]
fn wrong_sizes_indices_and_numbers_are_errors() {
    let error_with = |object: &str, new: &[f64]| error_after(|path| values(path, object, new));
    let cases = [
        ("fclib_local/spacedim", vec![4.0], "4, expected 2 or 3"),
        ("fclib_local/spacedim", vec![2.0, 2.0], "2 values, expected 1"),
        ("fclib_local/W/m", vec![6.0], "6, expected 4: 2 for each of 2 coefficients of friction"),
        ("fclib_local/W/n", vec![-1.0], "-1, expected 4"),
        ("fclib_local/W/nz", vec![-3.0], "-3, expected a number of triplets"),
        ("fclib_local/W/nz", vec![5.0], "/fclib_local/W/p: entry 2 is 6, expected 0 to 3"),
        ("fclib_local/W/p", vec![0.0, 1.0], "2 values, expected 5"),
        ("fclib_local/W/p", vec![0.0, 9.0, 2.0, 9.0, 10.0], "never fall"),
        ("fclib_local/W/p", vec![-1.0, 0.0, 0.0, 0.0, 10.0], "begin at 0"),
        ("fclib_local/W/i", vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 4.0], "entry 9 is 4, expected 0 to 3"),
        ("fclib_local/W/x", vec![1.0; 3], "3 values, expected 10"),
        ("fclib_local/W/x", vec![f64::NAN; 10], "entry 0 is NaN, expected a finite number"),
        ("fclib_local/vectors/q", vec![1.0, f64::INFINITY, 0.0, 0.0], "entry 1 is inf"),
        ("fclib_local/vectors/q", vec![1.0; 5], "5 values, expected 4"),
        ("fclib_local/vectors/mu", vec![0.5, -0.1], "entry 1 is -0.1, expected a coefficient of at least 0"),
        ("fclib_local/vectors/mu", vec![], "/fclib_local/vectors/q: 4 values, expected 0"),
        ("solution/u", vec![0.0; 3], "3 values, expected 4"),
        ("guesses/2/r", vec![0.0; 9], "9 values, expected 4"),
    ];
    for (object, new, expected) in cases {
        let message = error_with(object, &new);
        assert!(message.contains(expected), "{object} = {new:?}: {message}");
    }
}

#[test]
fn equality_constraints_and_global_problems_are_refused() {
    let message = error_after(|path| values(path, "fclib_local/V", &[1.0]));
    assert!(message.contains("equality constraints"), "{message}");
    let message = error_after(|path| {
        let file = File::open_rw(path).unwrap();
        file.unlink("fclib_local").unwrap();
        file.create_group("fclib_global").unwrap();
    });
    assert!(message.contains("a global problem, expected a local one"), "{message}");
}

#[test]
fn a_file_that_is_not_hdf5_is_refused() {
    for bytes in [&b""[..], b"hello", &[0x89, b'H', b'D', b'F', 13, 10, 26, 10, 0, 0]] {
        let message = error_after(|path| std::fs::write(path, bytes).unwrap());
        assert!(message.starts_with("the file: not an HDF5 file"), "{message}");
    }
    let cut = error_after(|path| {
        let bytes = std::fs::read(path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    });
    assert!(cut.contains("the file") || cut.contains("fclib_local"), "{cut}");
    let message = error_after(|path| std::fs::remove_file(path).unwrap());
    assert!(message.contains("No such file"), "{message}");
    let message = error_after(|path| {
        let file = File::open_rw(path).unwrap();
        file.unlink("fclib_local/vectors/q").unwrap();
        file.create_group("fclib_local/vectors/q").unwrap();
    });
    assert!(message.contains("a group, expected a dataset"), "{message}");
}

#[test]
fn replacing_a_run_removes_its_problems_and_leaves_other_files() {
    let run = tempfile::tempdir().unwrap();
    clear(run.path()).unwrap();
    let problem = path(run.path(), 7);
    assert!(problem.ends_with("problems/step-0000000007.hdf5"));
    std::fs::create_dir(problem.parent().unwrap()).unwrap();
    std::fs::write(&problem, "").unwrap();
    std::fs::write(problem.with_file_name("notes.txt"), "").unwrap();
    clear(run.path()).unwrap();
    assert!(!problem.exists() && problem.with_file_name("notes.txt").exists());
}
