import Foundation
import RoostFiles
import RoostModel

/// What was committed after a generation: one line a commit, appended and synchronised at its commit point.
///
///     {"revision":8,"length":57,"sha256":"…","record":{"batch":{…},"date":1760000000000}}
///
/// `length` and `sha256` are of the bytes of `record`. A line that does not fit is a commit that was not
/// finished: it was never acknowledged.
enum Journal {
    struct Record: Codable, Sendable {
        var batch: WriteBatch?
        /// A new history begins.
        var epoch: UUID?
        /// Milliseconds since 1970: what dates the removals.
        var date: Int64
    }

    private struct Head: Decodable {
        var revision: Revision
        var length: Int
        var sha256: String
    }

    private static let separator = Data(",\"record\":".utf8)

    static func line(_ record: Record, revision: Revision) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = try encoder.encode(record)
        let head =
            "{\"revision\":\(revision),\"length\":\(body.count),\"sha256\":\"\(Checksum.hexadecimal(body))\""
        return Data(head.utf8) + separator + body + Data("}\n".utf8)
    }

    /// The records of whole lines, and how many bytes they take; what follows is an unfinished line.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where a line that is followed by others does not fit.
    static func read(_ data: Data, path: String) throws -> (records: [(Revision, Record)], length: Int) {
        var records: [(Revision, Record)] = []
        var start = data.startIndex
        while let end = data[start...].firstIndex(of: UInt8(ascii: "\n")) {
            guard let record = parse(data[start..<end]) else {
                guard data[(end + 1)...].firstIndex(of: UInt8(ascii: "\n")) == nil else {
                    throw StorageError(
                        .damaged, "\(path) is damaged \(start - data.startIndex) bytes from its beginning")
                }
                break
            }
            records.append(record)
            start = end + 1
        }
        return (records, start - data.startIndex)
    }

    private static func parse(_ line: Data) -> (Revision, Record)? {
        guard let found = line.range(of: separator), line.last == UInt8(ascii: "}"),
            let head = try? JSONDecoder().decode(Head.self, from: line[..<found.lowerBound] + Data("}".utf8))
        else { return nil }
        let body = line[found.upperBound..<line.endIndex - 1]
        guard body.count == head.length, Checksum.hexadecimal(body) == head.sha256,
            let record = try? JSONDecoder().decode(Record.self, from: body)
        else { return nil }
        return (head.revision, record)
    }
}
