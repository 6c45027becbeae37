/// The violation of a law about conversations by a storage.
public struct ConversationLawViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the violated law.
    public let law: String
    /// A description of the observed and the expected behaviour of the storage.
    public let message: String

    public var description: String { "\(law): \(message)" }
}
