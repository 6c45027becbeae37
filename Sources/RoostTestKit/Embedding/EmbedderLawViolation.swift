/// An error that reports that an embedder violates a law.
public struct EmbedderLawViolation: Error, Sendable, CustomStringConvertible {
    /// The law that the embedder violates.
    public let law: EmbedderLaw
    /// A description of the embedder's observed behavior and of the expected behavior.
    public let message: String

    public var description: String { "\(law.rawValue): \(message)" }
}
