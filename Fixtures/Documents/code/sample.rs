use std::fmt;

/// A point.
#[derive(Debug)]
pub struct Point<'a> {
    x: i32,
    name: &'a str,
}

impl<'a> fmt::Display for Point<'a> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let c = '{';
        write!(f, "{}", self.x)
    }

    /* { */
    pub const fn zero() -> i32 {
        0
    }
}
