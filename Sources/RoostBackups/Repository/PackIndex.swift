import Foundation
import RoostChunks
import RoostFiles

/// Where a segment lies.
struct SegmentLocation: Sendable, Hashable {
    /// How its bytes are stored. Numbers are in the format on disk.
    enum Form: UInt8, Sendable {
        case plain = 0
        /// A frame of RFC 8878.
        case compressed = 1
        /// A frame that needs the bytes of another segment before it (``base``).
        case relative = 2
    }

    /// No segment has more bytes; what an index says beyond that is false.
    static let largestSize = 1 << 30

    var kind: SegmentKind
    var form: Form
    var offset: Int
    var storedSize: Int
    var size: Int
    var base: SegmentID?
}

/// The segments of one pack, in their order.
struct PackContents: Sendable {
    var name: SegmentID
    var segments: [(id: SegmentID, location: SegmentLocation)]

    var storedSize: Int { segments.reduce(0) { $0 + $1.location.storedSize } }

    /// Each pack once: of several indexes that name one, after a prune that was stopped, all that any of them
    /// knows of it.
    static func merged(_ packs: [PackContents]) -> [PackContents] {
        var (merged, places) = ([PackContents](), [SegmentID: Int]())
        for pack in packs {
            guard let place = places[pack.name] else {
                places[pack.name] = merged.count
                merged.append(pack)
                continue
            }
            if merged[place].segments.count < pack.segments.count {
                let known = merged[place]
                merged[place] = pack
                for (number, segment) in known.segments.enumerated() where segment.id != .none {
                    merged[place].segments[number] = segment
                }
            } else {
                for (number, segment) in pack.segments.enumerated() where segment.id != .none {
                    merged[place].segments[number] = segment
                }
            }
        }
        return merged
    }
}

/// An index object: what is in some packs.
///
///         magic 4 bytes "RBI1" · compressed by zstd: size 4 bytes · packs 4 bytes, each: name 32, segments
///     4, each: id 32 · kind 1 · form 1 · stored size 4 · size 4 · for the relative form the base's id 32
///
/// An id of zeros stands for bytes that are not needed any more.
enum PackIndexCodec {
    private static let magic = Data("RBI1".utf8)
    private static let largest = 1 << 30

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
        // An index without packs is not smaller compressed; a frame is a frame all the same.
        return Data(header.bytes) + (try ZstdCodec.compress(bytes, level: 3) ?? bytes)
    }

    /// - Throws: ``EntryCodec/Damaged``.
    static func decode(_ data: Data) throws -> [PackContents] {
        guard data.count >= 8, data.prefix(4) == magic else { throw EntryCodec.Damaged() }
        let size = data.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
        }
        let body = Data(data.dropFirst(8))
        guard size <= largest, let bytes = try Self.unpacked(body, size) else { throw EntryCodec.Damaged() }
        return try EntryCodec.reading(bytes) { reader throws(BinaryReader.Short) in
            var packs: [PackContents] = []
            for _ in 0..<(try reader.count(ofAtLeast: 36)) {
                let name = SegmentID(reading: try reader.take(SegmentID.size))
                var segments: [(SegmentID, SegmentLocation)] = []
                var offset = 0
                for _ in 0..<(try reader.count(ofAtLeast: 42)) {
                    let id = SegmentID(reading: try reader.take(SegmentID.size))
                    guard let kind = SegmentKind(rawValue: try reader.read()),
                        let form = SegmentLocation.Form(rawValue: try reader.read())
                    else { throw BinaryReader.Short() }
                    let (stored, size) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
                    guard max(Int(stored), Int(size)) <= SegmentLocation.largestSize else {
                        throw BinaryReader.Short()
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
            guard reader.remaining == 0 else { throw BinaryReader.Short() }
            return packs
        }
    }

    private static func unpacked(_ body: Data, _ size: Int) throws -> Data? {
        if body.count == size { return body }
        return try ZstdCodec.decompress(body, size: size)
    }
}
