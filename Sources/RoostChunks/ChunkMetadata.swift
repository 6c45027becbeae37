public import Foundation

/// Information about a chunk that is stored in addition to its bytes.
public struct ChunkMetadata: Sendable, Hashable, Codable {
    /// The number of bytes of the chunk, before compression and encryption.
    public var size: Int
    /// The media type of the bytes (RFC 6838), such as `text/plain`.
    public var contentType: String?
    /// The time at which the chunk was first written. Encoding rounds it to milliseconds.
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

    private enum CodingKeys: String, CodingKey { case size, contentType, created, custom }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = try container.decode(Int.self, forKey: .size)
        contentType = try container.decodeIfPresent(String.self, forKey: .contentType)
        let milliseconds = try container.decodeIfPresent(Int64.self, forKey: .created)
        created = milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        custom = try container.decodeIfPresent([String: String].self, forKey: .custom) ?? [:]
    }

    /// Encodes the metadata. Dates become milliseconds since 1970, rounded to the nearest integer.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(contentType, forKey: .contentType)
        if let created {
            let milliseconds = (created.timeIntervalSince1970 * 1000).rounded()
            guard let exact = Int64(exactly: milliseconds) else {
                throw EncodingError.invalidValue(
                    created,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription: "cannot encode the creation date: it is out of range"))
            }
            try container.encode(exact, forKey: .created)
        }
        if !custom.isEmpty { try container.encode(custom, forKey: .custom) }
    }
}
