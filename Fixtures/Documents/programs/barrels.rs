//! Barrels for rain water.

use std::collections::HashMap;
use std::fmt::{self, Display};

/// The maximum capacity in litres.
pub const MAXIMUM: f64 = 1000.0;

static NAMES: &[&str] = &[
    "oak",
    "steel {",
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volume(pub f64);

/// An event.
#[derive(Debug)]
pub enum Event<'a> {
    Rain { amount: Volume, hours: u32 },
    Watering(&'a str, Volume),
    Overflow,
}

pub trait Store<T: Display> {
    type Error: std::error::Error;

    fn append(&mut self, event: T) -> Result<(), Self::Error>;

    fn describe(&self) -> String {
        let quote = '"';
        format!("{quote}store{quote} {{")
    }
}

pub struct Barrel<'a, const N: usize>
where
    [u8; N]: Sized,
{
    capacity: Volume,
    content: Volume,
    names: HashMap<&'a str, [u8; N]>,
}

impl<'a, const N: usize> Barrel<'a, N> {
    /// Creates a barrel.
    #[must_use]
    pub fn new(capacity: Volume) -> Self {
        Self { capacity, content: Volume(0.0), names: HashMap::new() }
    }

    pub async unsafe fn drain<F>(
        &mut self,
        amount: Volume,
        log: F,
    ) -> Option<Volume>
    where
        F: Fn(&str) + 'static,
    {
        log(r#"a raw "string" { "#);
        Some(amount)
    }
}

impl Display for Volume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} l", self.0)
    }
}

macro_rules! barrels {
    ($($name:ident),*) => {
        $(let $name = Barrel::<1>::new(Volume(1.0));)*
    };
}

pub(crate) mod gauges {
    use super::Volume;

    pub fn read(volume: Volume) -> String {
        // A brace: }
        volume.to_string()
    }

    extern "C" {
        fn sensor(pin: i32) -> f64;
    }
}

pub extern "C" fn exported(value: f64) -> f64 {
    let scaled = value * 2.0;
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_equal() {
        assert_eq!(Volume(1.0), Volume(1.0));
    }
}
