//! `nscdd new`: writes a commented scene to start from.

use std::io::Write;
use std::path::Path;

use super::terminal::print;
use crate::base::error::{Error, Result, called_as};
use crate::contactor::keys;

pub(super) fn write(name: &str, dimension: u8) -> Result<i32> {
    let name = name.strip_suffix(".toml").unwrap_or(name);
    let file = format!("{name}.toml");
    let path = Path::new(&file);
    let refused = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::AlreadyExists => Error::system("create", path, "it exists already; choose another name"),
        _ => Error::system("create", path, e),
    };
    let mut out = std::fs::File::create_new(path).map_err(refused)?;
    out.write_all(text(dimension).as_bytes()).map_err(|e| Error::system("write", path, e))?;
    print(&format!("wrote {file}; try: {} run {file}\n", called_as()))
}

/// The starter scene in the given dimension.
fn text(dimension: u8) -> String {
    let plane = dimension == 2;
    let pick = |two: &'static str, three: &'static str| if plane { two } else { three };
    TEMPLATE
        .replace("@DIMENSION@", pick("2", "3"))
        .replace("@GRAVITY@", pick("[0.0, -9.81]", "[0.0, 0.0, -9.81]"))
        .replace("@BALLS@", pick("disks", "spheres"))
        .replace("@BALL@", pick(keys::DISK, keys::SPHERE))
        .replace("@MIN@", pick("[0.0, 0.0]", "[0.0, 0.0, 0.0]"))
        .replace("@MAX@", pick("[1.0, 1.0]", "[0.5, 0.5, 1.0]"))
        .replace("@OPEN@", pick("+y", "+z"))
        .replace("@COUNT@", pick("[9, 12]", "[4, 4, 8]"))
        .replace("@ORIGIN@", pick("[0.0, 0.05]", "[0.01, 0.01, 0.05]"))
        .replace("@POSITION@", pick("[0.5, 1.6]", "[0.25, 0.25, 1.3]"))
        .replace("@VELOCITY@", pick("[0.0, -2.0]", "[0.0, 0.0, -2.0]"))
}

const TEMPLATE: &str = r#"# A scene for nscdd: @BALLS@ fall into an open box, and a heavy one falls on them.
# All quantities are in SI units (m, kg, s, rad). Check it with `nscdd check`, run it with `nscdd run`.

[world]
dimension = @DIMENSION@
gravity = @GRAVITY@             # m/s2

[time]
step = 1e-3                     # s
end = 1.0                       # s

[solver]
tolerance = 1e-3                # relative residual of the contact laws at which a step has converged
max_sweeps = 1000               # a step ends unconverged after that many sweeps

[domain]
subdomains = "auto"             # about one for 2 000 bodies; results depend on it, but not on threads

[materials.glass]
density = 2600                  # kg/m3 (kg/m2 in two dimensions)

[materials.steel]
density = 7800

[[laws]]
between = ["glass", "*"]        # with anything
coulomb = { friction = 0.5 }    # inelastic, with friction

[[laws]]
between = ["steel", "steel"]
restitution = { normal = 0.6, friction = 0.3 }

[[generators]]                  # fixed planes on every side of the box that is not open
material = "steel"
walls = { min = @MIN@, max = @MAX@, open = ["@OPEN@"] }

[[generators]]                  # @BALLS@ on a loose lattice, radii between 4 and 5 cm
material = "glass"
lattice = { count = @COUNT@, spacing = 0.11, origin = @ORIGIN@, jitter = 0.5, radius = { uniform = [0.04, 0.05] } }

[[bodies]]
material = "steel"
@BALL@ = { radius = 0.1 }
position = @POSITION@
velocity = @VELOCITY@

[output]
frames = { every = 0.02 }       # frames.vtkhdf for ParaView, every so many simulated seconds
"#;
