extension UInt8 {
    /// Whether the byte is white space between the values of JSON (RFC 8259): a space, a tab or the end of a
    /// line.
    package var isJSONSpace: Bool { self == 32 || self == 9 || self == 10 || self == 13 }
}
