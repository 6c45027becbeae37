public import Foundation

/// The reason why a web page or feed cannot be fetched.
public struct WebError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. New codes may be added in any release.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The address is not a valid http or https URL.
        public static let invalidAddress = Code(rawValue: "invalidAddress")
        /// The address, or an address to which the server redirects, belongs to a private network.
        public static let privateAddress = Code(rawValue: "privateAddress")
        /// The server cannot be reached, or did not respond in time.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The server responded with an error.
        public static let refused = Code(rawValue: "refused")
        /// The page exceeds the limit on its size.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The server redirects too often.
        public static let tooManyRedirects = Code(rawValue: "tooManyRedirects")
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
