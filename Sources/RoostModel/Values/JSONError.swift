/// A syntax error or an unexpected value in a JSON text.
package struct JSONError: Error, CustomStringConvertible {
    /// The offset of the error in bytes.
    package let offset: Int
    package let reason: String

    package var description: String { "\(reason) at byte \(offset)" }
}
