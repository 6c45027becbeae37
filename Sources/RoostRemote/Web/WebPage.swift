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
