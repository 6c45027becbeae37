/// A request has invalid values, and the client can correct them or choose another tool.
package struct ToolFailure: Error, Sendable, Hashable {
    /// A sentence for the client or model.
    package var message: String

    package init(_ message: String) { self.message = message }
}
