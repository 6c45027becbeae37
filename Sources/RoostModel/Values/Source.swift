public import Foundation

/// Where entries came from: a file, a URL, standard input, a chat.
public struct Source: Sendable, Hashable, Identifiable, Codable {
    /// A file's standardised real path as a `file:` URL, another URL, `stdin`, `add`, or a name of the
    /// caller's.
    public var id: String
    /// What the source looked like when it was last ingested in full: equal means that nothing has changed.
    public var fingerprint: String
    /// When it was last ingested in full, to the millisecond.
    public var ingestedAt: Date {
        didSet { ingestedAt = ingestedAt.wholeMilliseconds }
    }
    /// The ids of the entries that came from it. Filled on fetch from the entries themselves; a store does
    /// not write it.
    public var entryIDs: [Entry.ID]

    public init(id: String, fingerprint: String, ingestedAt: Date = Date(), entryIDs: [Entry.ID] = []) {
        self.id = id
        self.fingerprint = fingerprint
        self.ingestedAt = ingestedAt.wholeMilliseconds
        self.entryIDs = entryIDs
    }

    /// The SHA-256 of the document in lower-case hexadecimal, where the fingerprint begins with it
    /// (`sha256:…`), as those of files do.
    public var documentDigest: String? {
        let prefix = "sha256:"
        guard fingerprint.hasPrefix(prefix) else { return nil }
        let digest = fingerprint.dropFirst(prefix.count).prefix { $0 != ";" }
        let isDigest =
            digest.utf8.count == 64
            && digest.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
        return isDigest ? String(digest) : nil
    }

    /// Records are equal where they would be stored as the same bytes.
    public static func == (left: Source, right: Source) -> Bool {
        ExactText.areSame(left.id, right.id) && ExactText.areSame(left.fingerprint, right.fingerprint)
            && left.ingestedAt == right.ingestedAt && left.entryIDs == right.entryIDs
    }

    enum CodingKeys: String, CodingKey {
        case id, fingerprint, ingestedAt
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            fingerprint: try container.decode(String.self, forKey: .fingerprint),
            ingestedAt: try container.decodeDateIfPresent(forKey: .ingestedAt) ?? Date(milliseconds: 0))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(DateText.string(from: ingestedAt), forKey: .ingestedAt)
    }
}
