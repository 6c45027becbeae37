/// An error that reports that a clusterer violates a law.
public struct ClustererLawViolation: Error, Sendable, CustomStringConvertible {
    /// The law that the clusterer violates.
    public let law: ClustererLaw
    /// A description of the clusterer's observed behavior and of the expected behavior.
    public let message: String

    public var description: String { "\(law.rawValue): \(message)" }
}
