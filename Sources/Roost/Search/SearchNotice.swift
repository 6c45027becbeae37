public import RoostModel

/// A message to the user about a search that succeeded, for example that a damaged index was not used.
public struct SearchNotice: Sendable, Hashable, CustomStringConvertible {
    /// The message.
    public var message: String
    /// An action that removes the cause, if there is one.
    public var remedy: Remedy?

    /// Creates a notice.
    public init(_ message: String, remedy: Remedy? = nil) {
        self.message = message
        self.remedy = remedy
    }

    public var description: String { message }
}
