/// An error that prevents the server from starting.
package struct ServerError: Error, Sendable, CustomStringConvertible {
    /// A sentence for the person who starts the server.
    package var message: String

    package init(_ message: String) { self.message = message }

    package var description: String { message }
}
