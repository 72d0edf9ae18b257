//! Nonlinear Gauss-Seidel as published: contact by contact, each with the latest velocities (Jean 1999, The non-smooth
//! contact dynamics method), from the unmodified impulses of the last step.

use super::sweep_method::Method;

/// The defaults of [`Method`].
pub(super) struct NlgsMethod;

impl Method for NlgsMethod {}
