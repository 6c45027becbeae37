import Foundation
import RoostFiles
import RoostModel

/// The name of a segment: the SHA-256 digest of its kind and bytes.
///
/// In an encrypted repository the digest is keyed (HMAC), so it does not reveal whether the repository
/// contains a known text.
struct SegmentID: Hashable, Sendable, CustomStringConvertible {
    static let size = 32
    /// A name that no segment has. It stands for a missing one.
    static let none = SegmentID([])
    /// A SIMD vector of 32 bytes would need an alignment that the frames of async functions do not have.
    private let low, high: SIMD2<UInt64>

    init(_ bytes: some Sequence<UInt8>) {
        var words = [UInt64](repeating: 0, count: 4)
        for (index, byte) in bytes.prefix(Self.size).enumerated() {
            words[index / 8] |= UInt64(byte) << UInt64(8 * (index % 8))
        }
        (low, high) = (SIMD2(words[0], words[1]), SIMD2(words[2], words[3]))
    }

    /// Creates a name from its hexadecimal form; returns `nil` unless the text consists of 64 lower-case
    /// hexadecimal digits.
    init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == Self.size else { return nil }
        self.init(bytes)
    }

    var bytes: [UInt8] {
        [low.x, low.y, high.x, high.y].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
    }

    var description: String { Hexadecimal.text(bytes) }

    /// The first eight bytes of the digest, used as a hash of the contents.
    var lowBits: UInt64 { low.x }
}

extension SegmentID: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = SegmentID(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "invalid segment name")
        }
        self = id
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The kind of data in a segment. The raw values are part of the on-disk format.
enum SegmentKind: UInt8, Sendable {
    case ids = 1
    /// The texts and other properties of a run of entries, without vectors.
    case entries = 2
    case vectors = 3
    case assignments = 4
    case clusters = 5
    case sources = 6
    case run = 7
    case list = 8
    case original = 9
    case originals = 10
}

struct SegmentNaming: Sendable {
    /// The key for names in an encrypted repository; `nil` if the repository is not encrypted.
    let key: EncryptionKey?

    func id(of data: Data, _ kind: SegmentKind) -> SegmentID {
        guard let key else {
            let hash = SHA256()
            hash.update([kind.rawValue])
            hash.update(data)
            return SegmentID(hash.finalize())
        }
        return SegmentID(SHA256.authenticationCode(of: [kind.rawValue] + data, key: key.bytes))
    }

    func name(of data: Data) -> String {
        guard let key else { return SHA256.hexadecimal(data) }
        return Hexadecimal.text(SHA256.authenticationCode(of: data, key: key.bytes))
    }
}

/// The paths of the objects in a repository. `Documentation/Formats.md` describes their contents.
enum RepositoryObject {
    static let configuration = "config"
    static let packs = "packs"
    static let indexes = "index"
    static let snapshots = "snapshots"
    static let locks = "locks"

    static func pack(_ name: String) -> String { "\(packs)/\(name.prefix(2))/\(name)" }
    static func index(_ name: String) -> String { "\(indexes)/\(name)" }
    static func snapshot(_ name: String) -> String { "\(snapshots)/\(name)" }
    static func lock(_ name: String) -> String { "\(locks)/\(name)" }

    static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }

    /// Returns the digest that is the name of an object, or `nil` for a file of another program.
    static func id(of path: String) -> SegmentID? { SegmentID(hexadecimal: name(of: path)) }
}

/// Encodes values as segments, and writes the segments that the repository does not yet have.
actor SegmentWriter {
    nonisolated let store: SegmentStore
    nonisolated let packs: PackWriter
    private(set) var counts = (new: 0, all: 0)

    init(store: SegmentStore, packs: PackWriter) { (self.store, self.packs) = (store, packs) }

    /// The number of runs that are encoded and compressed at the same time.
    static let concurrency = 4

    @concurrent
    nonisolated func write(_ entries: [Entry], _ assignments: [Assignment?]) async throws -> RunRecord {
        let ids = try await write(EntryCodec.encodeIDs(entries), .ids)
        let texts = try await write(try EntryCodec.encodeTexts(entries), .entries)
        let vectors = try await write(EntryCodec.encodeVectors(entries), .vectors)
        var assigned: SegmentID?
        if assignments.contains(where: { $0 != nil }) {
            assigned = try await write(EntryCodec.encodeAssignments(assignments), .assignments)
        }
        return RunRecord(
            ids: ids, entries: texts, vectors: vectors, assignments: assigned, count: entries.count)
    }

    nonisolated func write(json value: some Encodable, _ kind: SegmentKind) async throws -> SegmentID {
        try await write(try JSONEncoder.canonical.encode(value), kind)
    }

    @concurrent
    nonisolated func write(_ data: Data, _ kind: SegmentKind) async throws -> SegmentID {
        guard data.count <= SegmentLocation.maximumSize else {
            throw BackupError(
                .badInput,
                "cannot back up a segment of \(data.count) bytes: the limit is "
                    + "\(SegmentLocation.maximumSize)")
        }
        let id = store.naming.id(of: data, kind)
        let isNew = await packs.claim(id)
        await count(isNew)
        guard isNew else { return id }
        let stored = try CompressionAlgorithm.zstd.compress(data) ?? data
        let location = SegmentLocation(
            kind: kind, offset: 0, storedSize: stored.count, size: data.count)
        try await packs.add(id, location, stored)
        return id
    }

    private func count(_ isNew: Bool) {
        counts.all += 1
        if isNew { counts.new += 1 }
    }
}
