import Foundation
import GRDB
import RoostFiles
import RoostModel
import RoostText

enum Column {
    static func bytes(_ id: UUID) -> Data { withUnsafeBytes(of: id.uuid) { Data($0) } }

    static func bytes(_ text: String) -> Data { Data(text.utf8) }

    static func bytes(_ vector: [Float]) -> Data {
        vector.withUnsafeBytes { Data($0) }
    }

    static func uuid(_ data: some ContiguousBytes) throws -> UUID {
        try data.withUnsafeBytes { bytes in
            guard bytes.count == 16 else { throw damaged("an id of \(bytes.count) bytes instead of 16") }
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }

    static func row(_ number: Int64) throws -> UInt32 {
        guard let row = UInt32(exactly: number) else {
            throw damaged("an entry with the invalid row number \(number)")
        }
        return row
    }

    static func text(_ data: some ContiguousBytes) throws -> String {
        guard let text = data.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw damaged("a text that is not valid UTF-8")
        }
        return text
    }

    static func vector(_ bytes: UnsafeRawBufferPointer) throws -> [Float] {
        var vector: [Float] = []
        try append(bytes, to: &vector)
        return vector
    }

    static func append(_ bytes: UnsafeRawBufferPointer, to vector: inout [Float]) throws {
        guard bytes.count % 4 == 0 else {
            throw damaged("a vector of \(bytes.count) bytes, which is not a multiple of 4")
        }
        let start = vector.count
        vector.append(contentsOf: repeatElement(0, count: bytes.count / 4))
        vector.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[(4 * start)...]).copyMemory(from: bytes)
        }
    }

    static func json(_ value: MetadataValue) -> Data {
        var text: [UInt8] = []
        text.append(metadata: value)
        return Data(text)
    }

    static func json(_ value: some Encodable) throws -> Data { try JSONEncoder.canonical.encode(value) }

    /// Returns the metadata of an entry. `JSONDecoder` takes several times as long, which is noticeable for
    /// searches that read a hundred entries.
    static func metadata(_ data: some ContiguousBytes) throws -> [String: MetadataValue] {
        let value = try read(data, "metadata that is not valid JSON") { try MetadataValue(&$0, depth: 0) }
        guard case .object(let metadata) = value else { throw damaged("metadata that is not a JSON object") }
        return metadata
    }

    static func strings(_ data: some ContiguousBytes) throws -> [String] {
        try read(data, "a value that is not a JSON array of strings") { try $0.strings() }
    }

    private static func read<Value>(
        _ data: some ContiguousBytes, _ damage: String, _ value: (inout JSONReader) throws -> Value
    ) throws -> Value {
        try data.withUnsafeBytes { bytes in
            do {
                var reader = JSONReader(bytes)
                let value = try value(&reader)
                try reader.expectEnd()
                return value
            } catch is JSONError {
                throw damaged(damage)
            }
        }
    }

    static func value<T: Decodable>(_ type: T.Type, _ data: Data) throws -> T {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw damaged("a value that is not a valid \(type)")
        }
    }

    /// - Parameter object: The object and its damage, for example "an entry whose checksum does not match".
    static func damaged(_ object: String) -> StorageError {
        StorageError(.damaged, "the database is damaged: it contains \(object)", remedy: .inspectStore)
    }
}

/// The checksums of rows: CRC-32C over the columns, computed by the SQL function `roost_crc`.
///
/// A repair reads the rows of damaged pages, and keeps those whose checksums match. In tables whose rows are
/// found by the row number of an entry, the checksum also covers the entry's id.
enum Checksum {
    struct Table {
        let name: String
        let columns: String
        let coversID: Bool

        init(_ name: String, _ columns: String, coversID: Bool = false) {
            self.name = name
            self.columns = columns
            self.coversID = coversID
        }

        func value(of alias: String, id: String? = nil) -> String {
            var names = columns.split(separator: ", ").map { "\(alias).\($0)" }
            if coversID { names.append(id ?? "(SELECT id FROM entries o WHERE o.row = \(alias).row)") }
            return "roost_crc(\(names.joined(separator: ", ")))"
        }

        func matches(_ alias: String, id: String? = nil) -> String {
            "(\(alias).checksum IS \(value(of: alias, id: id)))"
        }
    }

    static let entries = Table(
        "entries",
        "row, id, content, source, key, metadata, tags, structure, created, updated, digest, revision, "
            + "ordinal, passages, dimension")
    static let vectors = Table("vectors", "row, embedding", coversID: true)
    static let passages = Table("passages", "row, ordinal, start, end, tokens, vector", coversID: true)
    static let locations = Table("locations", "row, line, last_line, page, headings", coversID: true)
    static let tombstones = Table("tombstones", "id, revision, ordinal, removed")
    static let sources = Table("sources", "id, fingerprint, ingested")
    static let clusters = Table("clusters", "id, record, centroid")
    static let assignments = Table(
        "assignments", "row, cluster, outlier, run, similarity, confidence", coversID: true)

    static let tables = [
        assignments, clusters, entries, locations, passages, sources, tombstones, vectors,
    ]

    static func check(_ row: ResultRow, _ index: Int, _ object: @autoclosure () -> String) throws {
        guard try row.value(index) as Bool? == true else {
            throw Column.damaged("\(object()) whose checksum does not match")
        }
    }
}
