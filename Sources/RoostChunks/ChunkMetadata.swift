public import Foundation

/// What is known of a chunk beside its bytes.
public struct ChunkMetadata: Sendable, Hashable, Codable {
    /// How many bytes the chunk has, before compression and encryption.
    public var size: Int
    /// A media type (RFC 6838), such as `text/plain`.
    public var contentType: String?
    /// When it was first written, as far as its writer knows.
    public var created: Date?
    /// Whatever else the writer wants to have back.
    public var custom: [String: String]

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

    /// Dates are whole milliseconds since 1970, rounded to the nearest.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(size, forKey: .size)
        try container.encodeIfPresent(contentType, forKey: .contentType)
        if let created {
            let milliseconds = (created.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds) else {
                throw EncodingError.invalidValue(
                    created, .init(codingPath: encoder.codingPath, debugDescription: "no date"))
            }
            try container.encode(whole, forKey: .created)
        }
        if !custom.isEmpty { try container.encode(custom, forKey: .custom) }
    }
}
