/// An error that reports that an implementation violates a law.
public struct LawViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the violated law.
    public let law: String
    /// A description of the observed behavior and of the expected behavior.
    public let message: String

    init(law: some RawRepresentable<String>, message: String) {
        (self.law, self.message) = (law.rawValue, message)
    }

    public var description: String { "\(law): \(message)" }
}
