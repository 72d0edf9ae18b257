//! Nonlinear Gauss-Seidel as published: contact by contact, each with the latest velocities (Jean 1999, The non-smooth
//! contact dynamics method), from the impulses of the last step as they are.

use super::sweep_method::Method;

/// The defaults of [`Method`].
pub(super) struct NlgsMethod;

impl Method for NlgsMethod {}
