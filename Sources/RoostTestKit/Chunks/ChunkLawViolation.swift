/// An error that reports that a chunk storage violates a law.
public struct ChunkLawViolation: Error, Sendable, CustomStringConvertible {
    /// The name of the violated law.
    public let law: String
    /// A description of the storage's observed behavior and of the expected behavior.
    public let message: String

    public var description: String { "\(law): \(message)" }
}
