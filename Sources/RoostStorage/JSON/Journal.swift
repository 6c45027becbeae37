import Foundation
import RoostFiles
import RoostModel
import RoostText

/// The format of the journal. The journal contains one line for each commit since the generation was written.
/// Appending and synchronizing the line is the commit point.
///
///     {"revision":8,"length":57,"sha256":"…","record":{"batch":{…},"date":1760000000000}}
///
/// `length` is the number of bytes of `record`. `sha256` is the checksum of the digits of the revision, a
/// space and these bytes. An incomplete last line belongs to a commit that was not completed and therefore
/// never acknowledged.
enum Journal {
    struct Record: Encodable, Sendable {
        var batch: WriteBatch?
        var epoch: UUID?
        /// The time of the commit in milliseconds since 1970, which is also recorded as the date of its
        /// removals.
        var date: Int64
    }

    private static let separator = Array(",\"record\":".utf8)

    // MARK: Writing

    static func line(_ record: Record, revision: Revision) throws -> Data {
        sealed(try JSONTextEncoder().text(of: record), revision: revision)
    }

    static func sealed(_ body: [UInt8], revision: Revision) -> Data {
        let head =
            "{\"revision\":\(revision),\"length\":\(body.count),\"sha256\":\"\(checksum(body, revision))\""
        var line = Data(capacity: body.count + head.utf8.count + 16)
        line += head.utf8
        line += separator
        line += body
        line += "}\n".utf8
        return line
    }

    /// Returns the line for a record, after checking that the line can be read back as the same record. A
    /// line that cannot be read would damage the store.
    static func checkedLine(_ record: Record, revision: Revision) throws -> Data {
        let line = try line(record, revision: revision)
        let found = line.withUnsafeBytes { read($0) }
        guard let only = found.records.first, only.revision == revision, found.length == line.count,
            try self.line(only.record, revision: revision) == line
        else {
            throw StorageError.invalid(
                "cannot write the batch: it contains a value that JSON cannot represent exactly")
        }
        return line
    }

    private static func checksum(_ body: some Sequence<UInt8>, _ revision: Revision) -> String {
        SHA256.hexadecimal(Array("\(revision) ".utf8) + body)
    }

    // MARK: Reading

    struct Contents {
        var records: [(revision: Revision, record: Record)] = []
        var length = 0
        var tail = 0
        /// The offset of the first damaged line that is complete; `nil` if all are intact.
        var damage: Int?
    }

    static func read(_ bytes: UnsafeRawBufferPointer) -> Contents {
        var contents = Contents()
        while contents.length < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[contents.length...])
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
                contents.tail = rest.count
                break
            }
            guard let record = parse(UnsafeRawBufferPointer(rebasing: rest[..<end])) else {
                contents.damage = contents.length
                break
            }
            contents.records.append(record)
            contents.length += end + 1
        }
        return contents
    }

    /// The maximum length in bytes of the part of a line before the record.
    private static let maximumHeadLength = 200

    private static func parse(_ line: UnsafeRawBufferPointer) -> (revision: Revision, record: Record)? {
        guard line.count > 2, line[line.count - 1] == UInt8(ascii: "}") else { return nil }
        // The only string in the head is the checksum, so the first match is the separator.
        guard let found = line.prefix(maximumHeadLength).firstRange(of: separator) else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: line[found.upperBound..<line.count - 1])
        let head = "{\"revision\":"
        guard line.starts(with: head.utf8) else { return nil }
        var revision: UInt64?
        var (length, checksum): (Int?, String?) = (nil, nil)
        do {
            let text = Array(line[..<found.lowerBound]) + Array("}".utf8)
            try text.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                try reader.object { reader, key in
                    switch key {
                    case "revision": revision = UInt64(exactly: try reader.integer())
                    case "length": length = try reader.integer()
                    case "sha256": checksum = try reader.string()
                    default: throw reader.error("unknown key")
                    }
                }
                try reader.expectEnd()
            }
            guard let number = revision, body.count == length else { return nil }
            let revision = Revision(rawValue: number)
            guard checksum == self.checksum(body, revision) else { return nil }
            return (revision, try record(body))
        } catch {
            return nil
        }
    }

    private static func record(_ bytes: UnsafeRawBufferPointer) throws -> Record {
        var reader = JSONReader(bytes)
        var record = Record(date: 0)
        try reader.object { reader, key in
            switch key {
            case "batch": record.batch = try batch(&reader, bytes)
            case "epoch":
                let text = try reader.string()
                guard let epoch = UUID(uuidString: text) else {
                    throw reader.error("the epoch is not a UUID")
                }
                record.epoch = epoch
            case "date": record.date = Int64(try reader.integer())
            default: try reader.skipValue()
            }
        }
        try reader.expectEnd()
        return record
    }

    private static func batch(_ reader: inout JSONReader, _ bytes: UnsafeRawBufferPointer) throws
        -> WriteBatch
    {
        var entries: [Entry] = []
        var rest = Data("{".utf8)
        try reader.object { reader, key in
            if key == "upserts" {
                try reader.array { entries.append(try EntryText.read(&$0)) }
            } else {
                if rest.count > 1 { rest += ",".utf8 }
                rest += try JSONEncoder().encode(key) + Data(":".utf8)
                rest += bytes[try reader.skipValue()]
            }
        }
        var batch = try JSONDecoder().decode(WriteBatch.self, from: rest + Data("}".utf8))
        batch.upserts = entries
        return batch
    }
}
