import Foundation
import RoostFiles

struct SegmentLocation: Sendable, Hashable {
    /// The encoding of the stored bytes. The raw values are part of the on-disk format.
    enum Form: UInt8, Sendable {
        case plain = 0
        /// A Zstandard frame (RFC 8878).
        case compressed = 1
    }

    /// The maximum size of a segment in bytes. An index with a larger value is corrupt.
    static let maximumSize = 1 << 30

    var kind: SegmentKind
    var form: Form
    var offset: Int
    var storedSize: Int
    var size: Int
}

/// The segments of one pack, in the order of their offsets.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    var path: String { RepositoryObject.pack(name.description) }

    var storedSize: Int { segments.reduce(0) { $0 + $1.location.storedSize } }
}

extension [PackContents] {
    /// Returns each pack once: after an interrupted prune, several indexes can list the same pack.
    func uniqued() -> [PackContents] {
        var names = Set<SegmentID>()
        return filter { names.insert($0.name).inserted }
    }
}

/// The packs that are stored in a repository, with their sizes if the storage knows them.
struct StoredPacks: Sendable {
    enum State: Equatable {
        /// The pack is stored with its complete length. Its bytes were not read.
        case complete
        case missing
        /// The pack has this number of bytes, and not the number that the index states.
        case wrongSize(Int)
    }

    private let sizes: [String: Int?]

    init(_ retrieval: any ChunkStorageRetrieval) async throws {
        let chunks = try await retrieval.chunks(in: RepositoryObject.packs)
        sizes = Dictionary(chunks.map { ($0.path, $0.size) }) { first, _ in first }
    }

    var paths: Set<String> { Set(sizes.keys) }

    func state(of pack: PackContents) -> State {
        guard let stored = sizes[pack.path] else { return .missing }
        guard let size = stored, size != pack.storedSize else { return .complete }
        return .wrongSize(size)
    }
}

/// The encoding of an index object, which lists the segments of packs. Sizes are in bytes:
///
///     "RBI1" 4 · size of the uncompressed remainder 4 · remainder, compressed with Zstandard:
///     number of packs 4 · for each pack: name 32 · number of segments 4 · for each segment:
///     id 32 · kind 1 · form 1 · stored size 4 · size 4
enum PackIndexCodec {
    private static let magic = Data("RBI1".utf8)
    private static let maximumSize = 1 << 30
    private static let minimumPackSize = SegmentID.size + 4
    private static let minimumSegmentSize = SegmentID.size + 10

    static func encode(_ packs: [PackContents]) throws -> Data {
        var writer = BinaryWriter()
        writer.write(UInt32(packs.count))
        for pack in packs {
            writer.write(raw: pack.name.bytes)
            writer.write(UInt32(pack.segments.count))
            for (id, location) in pack.segments {
                writer.write(raw: id.bytes)
                writer.write(location.kind.rawValue)
                writer.write(location.form.rawValue)
                writer.write(UInt32(location.storedSize))
                writer.write(UInt32(location.size))
            }
        }
        let bytes = Data(writer.bytes)
        guard bytes.count <= maximumSize else {
            throw BackupError(
                .badInput,
                "cannot write an index of the backup: it has \(bytes.count) bytes, and the limit is "
                    + "\(maximumSize)")
        }
        var header = BinaryWriter()
        header.write(raw: magic)
        header.write(UInt32(bytes.count))
        // An index that compression does not make smaller, such as an empty one, is stored uncompressed.
        return Data(header.bytes) + (try ZstdCodec.compress(bytes, level: ZstdCodec.defaultLevel) ?? bytes)
    }

    static func decode(_ data: Data) throws -> [PackContents] {
        guard data.count >= 8, data.prefix(4) == magic else { throw EntryCodec.Damaged() }
        let size = data.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        }
        let body = Data(data.dropFirst(8))
        guard size <= maximumSize, let bytes = Self.decompressed(body, size) else {
            throw EntryCodec.Damaged()
        }
        return try EntryCodec.reading(bytes) { reader throws(BinaryReader.InvalidData) in
            var packs: [PackContents] = []
            for _ in 0..<(try reader.count(ofAtLeast: minimumPackSize)) {
                let name = SegmentID(reading: try reader.take(SegmentID.size))
                var segments: [(SegmentID, SegmentLocation)] = []
                var offset = 0
                for _ in 0..<(try reader.count(ofAtLeast: minimumSegmentSize)) {
                    let id = SegmentID(reading: try reader.take(SegmentID.size))
                    guard let kind = SegmentKind(rawValue: try reader.read()),
                        let form = SegmentLocation.Form(rawValue: try reader.read())
                    else { throw BinaryReader.InvalidData() }
                    let (stored, size) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
                    guard max(Int(stored), Int(size)) <= SegmentLocation.maximumSize else {
                        throw BinaryReader.InvalidData()
                    }
                    segments.append(
                        (
                            id,
                            SegmentLocation(
                                kind: kind, form: form, offset: offset, storedSize: Int(stored),
                                size: Int(size))
                        ))
                    offset += Int(stored)
                }
                packs.append(PackContents(name: name, segments: segments))
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return packs
        }
    }

    private static func decompressed(_ body: Data, _ size: Int) -> Data? {
        if body.count == size { return body }
        return ZstdCodec.decompress(body, size: size)
    }
}
