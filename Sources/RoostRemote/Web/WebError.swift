public import Foundation

/// The reason why a web page or feed cannot be fetched.
public struct WebError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. Minor versions may add kinds, so a `switch` should have a default case.
    public enum Code: Sendable, Hashable {
        /// The address is not a valid http or https URL.
        case invalidAddress
        /// The address, or an address to which the server redirects, belongs to a private network.
        case privateAddress
        /// The site's robots.txt does not permit the request.
        case disallowed
        /// The server cannot be reached, or did not respond in time.
        case unavailable
        /// The server responded with an error.
        case refused
        /// The page exceeds the limit on its size.
        case tooLarge
        /// The server redirects too often.
        case tooManyRedirects
    }

    /// The kind of failure.
    public var code: Code
    /// The message for people: the operation, its object, the cause and the next step.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}
