public import Foundation

/// A page, feed or file that was fetched from a web server.
public struct WebPage: Sendable, Hashable {
    /// The URL from which the page was fetched, after redirects.
    public var url: URL
    /// The bytes of the page.
    public var data: Data
    /// The media type that the server stated, in lowercase letters and without parameters.
    public var mediaType: String?
    /// The character encoding that the server stated.
    public var encodingName: String?
    /// The values by which the server recognizes that the page has not changed.
    public var validators: Validators

    /// The values by which a server recognizes that a page has not changed (RFC 9110, section 8.8).
    public struct Validators: Sendable, Hashable {
        /// The value of `ETag`.
        public var entityTag: String?
        /// The value of `Last-Modified`.
        public var lastModified: String?

        /// Creates validators.
        public init(entityTag: String? = nil, lastModified: String? = nil) {
            self.entityTag = entityTag
            self.lastModified = lastModified
        }
    }

    /// The result of a request.
    public enum Result: Sendable, Hashable {
        case page(WebPage)
        /// The page has not changed since the server stated the validators.
        case notModified
    }
}

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

struct ContentType {
    var mediaType: String?
    var encodingName: String?

    init(_ text: String) {
        let parts = text.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        mediaType = parts.first.flatMap { $0.contains("/") ? $0.lowercased() : nil }
        for part in parts.dropFirst() where part.lowercased().hasPrefix("charset=") {
            let value = part.dropFirst("charset=".count).trimmingCharacters(
                in: CharacterSet(charactersIn: "\"' "))
            encodingName = value.isEmpty ? nil : value
        }
    }
}
