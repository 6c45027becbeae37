import Foundation
import RoostChunks
import RoostFiles

/// The location and the stored form of a segment within a pack.
struct SegmentLocation: Sendable, Hashable {
    /// The encoding of the stored bytes. The raw values are part of the on-disk format.
    enum Form: UInt8, Sendable {
        /// The bytes of the segment.
        case plain = 0
        /// A Zstandard frame (RFC 8878).
        case compressed = 1
        /// A Zstandard frame whose prefix is the segment ``base``.
        case relative = 2
    }

    /// The maximum size of a segment in bytes. An index with a larger value is corrupt.
    static let maximumSize = 1 << 30

    var kind: SegmentKind
    var form: Form
    /// The offset in the pack, in bytes.
    var offset: Int
    /// The size of the stored form in bytes.
    var storedSize: Int
    /// The size of the segment itself in bytes.
    var size: Int
    /// The segment that is needed to decode the relative form; `nil` for the other forms.
    var base: SegmentID?
}

/// The segments of one pack, in the order of their offsets.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    var storedSize: Int { segments.reduce(0) { $0 + $1.location.storedSize } }

    /// Merges the contents of packs that occur several times.
    ///
    /// After an interrupted prune, several indexes can list the same pack, some of them with erased segments.
    /// The result has every segment that at least one of them lists.
    static func merged(_ packs: [PackContents]) -> [PackContents] {
        var (merged, indices) = ([PackContents](), [SegmentID: Int]())
        for pack in packs {
            guard let index = indices[pack.name] else {
                indices[pack.name] = merged.count
                merged.append(pack)
                continue
            }
            if merged[index].segments.count < pack.segments.count {
                let known = merged[index]
                merged[index] = pack
                for (number, segment) in known.segments.enumerated() where segment.id != .none {
                    merged[index].segments[number] = segment
                }
            } else {
                for (number, segment) in pack.segments.enumerated() where segment.id != .none {
                    merged[index].segments[number] = segment
                }
            }
        }
        return merged
    }
}

/// The encoding of an index object, which lists the segments of packs. Sizes are in bytes:
///
///     "RBI1" 4 · size of the uncompressed remainder 4 · remainder, compressed with Zstandard:
///     number of packs 4 · for each pack: name 32 · number of segments 4 · for each segment:
///     id 32 · kind 1 · form 1 · stored size 4 · size 4 · only in the relative form: id of the base 32
///
/// An id of zeros stands for a segment that is no longer in use.
enum PackIndexCodec {
    private static let magic = Data("RBI1".utf8)
    /// The maximum size of an uncompressed index in bytes.
    private static let maximumSize = 1 << 30
    /// The minimum sizes of an encoded pack and of an encoded segment, in bytes.
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
                if let base = location.base { writer.write(raw: base.bytes) }
            }
        }
        let bytes = Data(writer.bytes)
        var header = BinaryWriter()
        header.write(raw: magic)
        header.write(UInt32(bytes.count))
        // An index that compression does not make smaller, such as an empty one, is stored uncompressed.
        return Data(header.bytes) + (try ZstdCodec.compress(bytes, level: ZstdCodec.defaultLevel) ?? bytes)
    }

    /// Decodes an index object.
    ///
    /// - Throws: ``EntryCodec/Damaged``.
    static func decode(_ data: Data) throws -> [PackContents] {
        guard data.count >= 8, data.prefix(4) == magic else { throw EntryCodec.Damaged() }
        let size = data.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        }
        let body = Data(data.dropFirst(8))
        guard size <= maximumSize, let bytes = try Self.decompressed(body, size) else {
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
                    let base = form == .relative ? SegmentID(reading: try reader.take(SegmentID.size)) : nil
                    segments.append(
                        (
                            id,
                            SegmentLocation(
                                kind: kind, form: form, offset: offset, storedSize: Int(stored),
                                size: Int(size), base: base)
                        ))
                    offset += Int(stored)
                }
                packs.append(PackContents(name: name, segments: segments))
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return packs
        }
    }

    private static func decompressed(_ body: Data, _ size: Int) throws -> Data? {
        if body.count == size { return body }
        return try ZstdCodec.decompress(body, size: size)
    }
}
