/// A tool failed, and the model can correct its arguments or choose another tool.
struct ToolFailure: Error, Sendable, Hashable {
    /// A sentence for the model.
    var message: String

    /// Creates a failure.
    init(_ message: String) { self.message = message }
}
