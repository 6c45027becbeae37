/// An error that reports that a store violates a law.
public struct LawViolation: Error, CustomStringConvertible {
    /// The law that the store violates.
    public let law: StorageLaw
    /// A description of the store's observed behavior and of the expected behavior.
    public let message: String
    public var description: String { "\(law.rawValue): \(message)" }
}
