import Foundation
import RoostFiles

/// The record of an original file, with the ids of the segments that contain its parts.
struct OriginalRecord: Sendable, Hashable {
    /// The SHA-256 digest of the document.
    var digest: SegmentID
    /// The size of the document in bytes.
    var size: Int
    var parts: [SegmentID]

    /// The size, in bytes, of every part except the last. If text is appended to a document, its unchanged
    /// parts are shared with earlier versions.
    static let maximumPartSize = 4 << 20
}

/// Encodes and decodes lists of original files. The record of each document: digest 32 bytes · size 8 ·
/// number of parts 4 · id of each part 32.
enum OriginalListCodec {
    static func encode(_ records: [OriginalRecord]) -> Data {
        var writer = BinaryWriter()
        for record in records {
            writer.write(raw: record.digest.bytes)
            writer.write(UInt64(record.size))
            writer.write(UInt32(record.parts.count))
            for part in record.parts { writer.write(raw: part.bytes) }
        }
        return Data(writer.bytes)
    }

    /// Decodes a list of original files.
    ///
    /// - Throws: ``EntryCodec/Damaged``, also for a size above 1 TiB.
    static func decode(_ data: Data) throws -> [OriginalRecord] {
        try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [OriginalRecord] = []
            while reader.remaining > 0 {
                let digest = SegmentID(reading: try reader.take(SegmentID.size))
                let size = try reader.read(UInt64.self)
                guard size <= maximumSize else { throw BinaryReader.InvalidData() }
                var parts: [SegmentID] = []
                for _ in 0..<(try reader.count(ofAtLeast: SegmentID.size)) {
                    parts.append(SegmentID(reading: try reader.take(SegmentID.size)))
                }
                guard UInt64(parts.count) == max(1, (size + partSize - 1) / partSize) else {
                    throw BinaryReader.InvalidData()
                }
                records.append(OriginalRecord(digest: digest, size: Int(size), parts: parts))
            }
            return records
        }
    }

    private static let partSize = UInt64(OriginalRecord.maximumPartSize)
    /// The maximum size of a document in bytes. A list that contains a larger size is corrupt.
    private static let maximumSize: UInt64 = 1 << 40
}
