import Crypto
import Foundation
import RoostFiles
import RoostModel

/// The pieces of a source document.
struct OriginalRecord: Sendable, Hashable {
    /// The document's SHA-256.
    var digest: SegmentID
    var size: Int
    var pieces: [SegmentID]

    /// No piece has more bytes, so that a document that only grows shares what it was with what it is.
    static let pieceSize = 4 << 20
}

/// Records of documents as bytes: digest 32 · size 8 · number of pieces 4 · their ids 32 each.
enum OriginalListCodec {
    static func encode(_ records: [OriginalRecord]) -> Data {
        var writer = BinaryWriter()
        for record in records {
            writer.write(raw: record.digest.bytes)
            writer.write(UInt64(record.size))
            writer.write(UInt32(record.pieces.count))
            for piece in record.pieces { writer.write(raw: piece.bytes) }
        }
        return Data(writer.bytes)
    }

    static func decode(_ data: Data) throws -> [OriginalRecord] {
        var isSound = true
        let records = try EntryCodec.reading(data) { reader throws(BinaryReader.Short) in
            var records: [OriginalRecord] = []
            while reader.remaining > 0 {
                let digest = SegmentID(reading: try reader.take(SegmentID.size))
                let size = try reader.read(UInt64.self)
                var pieces: [SegmentID] = []
                for _ in 0..<(try reader.count(ofAtLeast: SegmentID.size)) {
                    pieces.append(SegmentID(reading: try reader.take(SegmentID.size)))
                }
                let expected = max(1, (size + pieceSize - 1) / pieceSize)
                isSound = isSound && size <= largest && UInt64(pieces.count) == expected
                records.append(
                    OriginalRecord(digest: digest, size: Int(clamping: size), pieces: pieces))
            }
            return records
        }
        guard isSound else { throw EntryCodec.Damaged() }
        return records
    }

    private static let pieceSize = UInt64(OriginalRecord.pieceSize)
    private static let largest: UInt64 = 1 << 40
}

/// Cuts sources, in the order of their ids, at boundaries that depend on an id only.
enum SourceRuns {
    private static let spacing: UInt64 = 256
    private static let most = 1024

    struct Run {
        var sources: [Source]
        /// Where it was cut.
        var bound: UInt64
    }

    static func cut(_ sources: [Source]) -> [Run] {
        let sorted = sources.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        var (runs, run) = ([Run](), [Source]())
        for source in sorted {
            run.append(source)
            let mark = SegmentID(SHA256.hash(data: Data(source.id.utf8))).lowBits
            guard mark % spacing == 0 || run.count >= most else { continue }
            runs.append(Run(sources: run, bound: mark))
            run = []
        }
        if !run.isEmpty { runs.append(Run(sources: run, bound: 0)) }
        return runs
    }
}
