/// The state of the index of a ``PassageSearch``.
public struct PassageIndexState: Sendable, Hashable, Codable {
    /// Whether searches can use the index.
    public var isComplete: Bool
    /// The size of the index in bytes; 0 if it is not complete.
    public var bytes: Int
    /// The reason why no index can be built; `nil` if one can.
    public var obstacle: String?

    /// Creates a state.
    public init(isComplete: Bool, bytes: Int, obstacle: String? = nil) {
        (self.isComplete, self.bytes, self.obstacle) = (isComplete, bytes, obstacle)
    }
}
