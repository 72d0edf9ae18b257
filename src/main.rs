//! The `nscdd` program: a thin `main` around the library.

use nscdd::base::huge_pages::HugePages;

#[global_allocator]
static MEMORY: HugePages = HugePages;

fn main() {
    std::process::exit(nscdd::cli::main());
}
