public import Foundation

/// Information about a chunk that is stored in addition to its bytes.
public struct ChunkMetadata: Sendable, Hashable, Codable {
    /// The number of bytes of the chunk, before compression and encryption.
    public var size: Int
    /// The media type of the bytes (RFC 6838), such as `text/plain`.
    public var contentType: String?
    /// The time at which the chunk was first written.
    public var created: Date?
    /// Further values that the writer wants to read back.
    public var custom: [String: String]

    /// Creates metadata.
    ///
    /// - Parameters:
    ///   - size: The number of bytes of the chunk, before compression and encryption.
    ///   - contentType: The media type of the bytes.
    ///   - created: The time at which the chunk was first written.
    ///   - custom: Further values that the writer wants to read back.
    public init(
        size: Int, contentType: String? = nil, created: Date? = nil, custom: [String: String] = [:]
    ) {
        self.size = size
        self.contentType = contentType
        self.created = created
        self.custom = custom
    }
}
