//! The program: everything is in the library.

fn main() {
    std::process::exit(nscdd::cli::main());
}
