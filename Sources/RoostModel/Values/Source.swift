public import Foundation
import RoostFiles

/// A record of a source of entries, such as a file, a URL, standard input, or a chat.
///
/// With the record, an ingest can skip a source that has not changed, and find the entries that are no longer
/// in it.
public struct Source: Sendable, Hashable, Identifiable, Codable {
    /// The id of the source. For a file, it is the resolved path as a `file:` URL; for other sources, it is
    /// a different URL, `stdin`, `add`, or any name.
    public var id: String
    /// The fingerprint of the source at its last complete ingest. If the current fingerprint is equal, the
    /// source has not changed.
    public var fingerprint: String
    /// The date of the last complete ingest, with millisecond precision.
    public var ingestedAt: Date { didSet { ingestedAt = ingestedAt.wholeMilliseconds } }
    /// The ids of the source's entries. Stores compute this property from the entries when they read the
    /// record, and do not save it.
    public var entryIDs: [Entry.ID] = []

    /// Creates a record.
    public init(id: String, fingerprint: String, ingestedAt: Date = Date(), entryIDs: [Entry.ID] = []) {
        (self.id, self.fingerprint) = (id, fingerprint)
        self.ingestedAt = ingestedAt.wholeMilliseconds
        self.entryIDs = entryIDs
    }

    /// The SHA-256 digest of the document in lowercase hexadecimal; `nil` unless the fingerprint begins with
    /// a digest (`sha256:…`), as the fingerprints of files do.
    public var documentDigest: String? {
        let prefix = "sha256:"
        guard fingerprint.hasPrefix(prefix) else { return nil }
        let digest = fingerprint.dropFirst(prefix.count).prefix { $0 != ";" }
        return digest.utf8.count == 64 && Hexadecimal.bytes(digest) != nil ? String(digest) : nil
    }

    /// Returns whether two records are equal byte for byte. Strings that are equal only after Unicode
    /// normalization are different.
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
}

extension Source {
    /// The beginning of the part of a fingerprint with the ``findings``, such as `lost=date:2,part:1`.
    private static let findingsPrefix = "lost="

    /// The number of findings of the last ingest by their kinds: rows, parts and dates that are not in the entries. A
    /// part of the fingerprint contains it, so that stores keep it with the source.
    public var findings: [String: Int] {
        get {
            let part = fingerprint.split(separator: ";").last { $0.hasPrefix(Self.findingsPrefix) } ?? ""
            let pairs = part.dropFirst(Self.findingsPrefix.count).split(separator: ",").map {
                $0.split(separator: ":")
            }
            return Dictionary(
                pairs.compactMap { pair in
                    guard pair.count == 2, let number = UInt32(pair[1]) else { return nil }
                    return (String(pair[0]), Int(number))
                }, uniquingKeysWith: { $1 })
        }
        set {
            let counts = newValue.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
            fingerprint = contentFingerprint
            if !counts.isEmpty { fingerprint += ";\(Self.findingsPrefix)\(counts.joined(separator: ","))" }
        }
    }

    private var contentFingerprint: String {
        fingerprint.split(separator: ";", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix(Self.findingsPrefix) }.joined(separator: ";")
    }

    /// Returns whether the source has the fingerprint of a draft, which lacks the findings.
    package func isUnchanged(_ fingerprint: String) -> Bool {
        self.fingerprint == fingerprint || contentFingerprint == fingerprint
    }
}
