//! Checks of the parameters of laws, and the error for a value out of range.

/// An invalid parameter of a law.
#[derive(Clone, Debug, PartialEq)]
pub struct BadParameter {
    /// Key of the parameter within the law.
    pub key: &'static str,
    /// The given value and the expected range.
    pub message: String,
    /// How to fix it.
    pub help: &'static str,
}

/// Requires `value` to be a number between zero and `most`.
pub(super) fn check_range(key: &'static str, value: f64, most: f64, help: &'static str) -> Result<(), BadParameter> {
    if value >= 0.0 && value <= most && value.is_finite() {
        return Ok(());
    }
    let range = if most.is_finite() { format!("between 0 and {most}") } else { "zero or positive".into() };
    Err(BadParameter { key, message: format!("{key} = {value} must be {range}"), help })
}

/// Requires `value` to be a finite number greater than zero.
pub(super) fn check_positive(key: &'static str, value: f64, help: &'static str) -> Result<(), BadParameter> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(BadParameter { key, message: format!("{key} = {value} must be greater than 0"), help })
}

/// Requires `value` to be a finite number, zero or positive.
pub(super) fn check_not_negative(key: &'static str, value: f64, help: &'static str) -> Result<(), BadParameter> {
    check_range(key, value, f64::INFINITY, help)
}

/// Serde default of flags that are true unless the scene says otherwise.
pub(super) fn is_true() -> bool {
    true
}

/// Checks a coefficient of friction.
pub(super) fn check_friction(value: f64) -> Result<(), BadParameter> {
    check_not_negative("friction", value, "typical values lie between 0.1 and 1")
}

/// Checks a coefficient of rolling resistance.
pub(super) fn check_rolling(value: f64) -> Result<(), BadParameter> {
    check_not_negative("rolling", value, "a ball rests on slopes of up to this tangent; typical values lie below 0.2")
}
