/// Which law of chunks was broken, and how.
public struct ChunkLawViolation: Error, Sendable, CustomStringConvertible {
    public let law: String
    public let message: String

    public var description: String { "\(law): \(message)" }
}
