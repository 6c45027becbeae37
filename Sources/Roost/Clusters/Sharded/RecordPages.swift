import Foundation
import RoostFiles
import RoostModel

/// Rows of a fixed size in numbered work records.
struct RecordPages: Sendable {
    let records: any WorkRecords
    /// The beginning of the names of the records; their numbers from 0 follow.
    let name: String
    /// The size of a row in bytes.
    let rowSize: Int

    /// The maximum size of a page in bytes, unless a single row is larger.
    private static let pageSize = 8 << 20

    /// The number of rows of a page.
    private var rowsPerPage: Int { max(1, Self.pageSize / rowSize) }

    /// Describes the pages of a finished sequence of rows.
    struct Summary: Sendable, Hashable, Codable {
        var rows = 0
        var pages = 0
        /// The CRC-32C of all pages, in their order. It reveals pages of another sequence of rows.
        var checksum: UInt32 = 0
    }

    /// Writes rows in their order. At most one page is in memory.
    struct Writer {
        private let pages: RecordPages
        private var summary = Summary()
        private var buffer = BinaryWriter()
        private var buffered = 0

        init(_ pages: RecordPages) { self.pages = pages }

        /// Appends a row.
        ///
        /// - Parameter encode: Writes the bytes of the row.
        /// - Throws: `StorageError`; `CancellationError`.
        mutating func append(_ encode: (inout BinaryWriter) -> Void) async throws {
            encode(&buffer)
            buffered += 1
            if buffered == pages.rowsPerPage { try await flush() }
        }

        /// Writes the last page.
        mutating func finish() async throws -> Summary {
            if buffered > 0 { try await flush() }
            return summary
        }

        private mutating func flush() async throws {
            precondition(buffer.bytes.count == buffered * pages.rowSize, "all rows must have the same size")
            try await pages.records.write(Data(buffer.bytes), as: pages.name(of: summary.pages))
            summary.checksum = buffer.bytes.withUnsafeBytes {
                CRC32C.checksum($0, after: summary.checksum)
            }
            summary.rows += buffered
            summary.pages += 1
            (buffer, buffered) = (BinaryWriter(), 0)
        }
    }

    private func name(of page: Int) -> String { "\(name).\(page)" }

    /// Reads the rows in their order.
    ///
    /// - Parameters:
    ///   - summary: The result of writing them.
    ///   - decode: Reads the bytes of one row.
    /// - Throws: `StorageError` with `.damaged` if a page is missing or belongs to other rows.
    func read(_ summary: Summary, _ decode: (inout BinaryReader) throws -> Void) async throws {
        var (rows, checksum) = (0, UInt32(0))
        for page in 0..<summary.pages {
            guard let data = try await records.read(name(of: page)), data.count.isMultiple(of: rowSize) else {
                throw damage
            }
            try data.withUnsafeBytes { bytes in
                checksum = CRC32C.checksum(bytes, after: checksum)
                var reader = BinaryReader(bytes)
                while reader.remaining > 0 {
                    do { try decode(&reader) } catch is BinaryReader.InvalidData { throw damage }
                    rows += 1
                }
            }
        }
        guard rows == summary.rows, checksum == summary.checksum else { throw damage }
    }

    private var damage: StorageError {
        StorageError(
            .damaged, "the work records \(name) are incomplete or belong to different runs of a worker")
    }
}
