public import Foundation

/// A file that is attached to a message.
public struct MessageAttachment: Sendable, Hashable, Codable {
    /// The name of the file.
    public var name: String
    /// The media type of the file (RFC 6838), if it is known.
    public var contentType: String?
    /// The contents of the file, if they are stored with the message.
    public var data: Data?
    /// The location of the file, if its contents are not stored with the message.
    public var url: URL?

    /// Creates an attachment.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - contentType: The media type of the file.
    ///   - data: The contents of the file.
    ///   - url: The location of the file.
    public init(name: String, contentType: String? = nil, data: Data? = nil, url: URL? = nil) {
        (self.name, self.contentType, self.data, self.url) = (name, contentType, data, url)
    }
}
