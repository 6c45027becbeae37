/// An error that reports that a conversation storage violates a law.
public struct ConversationLawViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the violated law.
    public let law: String
    /// A description of the storage's observed behavior and of the expected behavior.
    public let message: String

    public var description: String { "\(law): \(message)" }
}
