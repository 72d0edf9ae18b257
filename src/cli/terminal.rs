//! Output of the commands: text on standard output, errors on standard error.

use std::io::Write;

use crate::base::error::{EXIT_DONE, Error, Result, say};

/// Prints to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<i32> {
    let _ = std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush());
    Ok(EXIT_DONE)
}

/// Reports an error to the user; input errors are shown with the offending line.
pub(super) fn report_error(error: &Error) {
    match error {
        Error::Input(diagnostic) => {
            let mut text = String::new();
            let handler = miette::GraphicalReportHandler::new();
            if handler.render_report(&mut text, diagnostic.as_ref()).is_err() {
                text = diagnostic.to_string();
            }
            say(text);
        }
        other => say(format_args!("nscdd: {other}")),
    }
}
