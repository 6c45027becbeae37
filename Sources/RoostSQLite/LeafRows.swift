import Foundation
import RoostFiles

/// Finds the numbers of the table rows that the pages of a database file contain.
///
/// The pages are read from the file, and not through the trees of the tables, so that the numbers can be
/// found although some pages are lost, without trying all numbers up to the highest one
/// (https://sqlite.org/fileformat.html). The pages do not show to which table their rows belong, so the
/// result also has the rows of other tables.
///
/// Only copies of a database may be read in this way: closing any descriptor of a file releases the locks
/// that SQLite holds on it.
struct LeafRows {
    /// The first byte of a page with rows of a table.
    private static let leafType: UInt8 = 0x0D
    /// The sizes of the header of a database, of that of a page with rows, and of the headers in a
    /// write-ahead log, in bytes.
    private static let headerSize = 100
    private static let pageHeaderSize = 8
    private static let logHeaderSize = 32
    private static let frameHeaderSize = 24
    /// The intended number of bytes that are read at once.
    private static let blockSize = 4 << 20
    /// A varint has at most nine bytes, of which the last one contributes eight bits.
    private static let maximumVarintSize = 9

    /// The numbers that were found, unsorted and with repetitions.
    private var rows: [UInt32] = []
    private let isCancelled: () -> Bool

    private init(isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }

    /// Returns the numbers of all rows in a database and its write-ahead log, in ascending order. Numbers
    /// that no entry can have are omitted.
    ///
    /// - Throws: `FileError`; `CancellationError`.
    static func numbers(inCopy url: URL, isCancelled: @escaping () -> Bool) throws -> [UInt32] {
        var found = LeafRows(isCancelled: isCancelled)
        let database = try FileDescriptor(url.path, O_RDONLY)
        let head = try database.read(at: 0, count: headerSize)
        if head.count == headerSize {
            // The page size 65,536 is written as 1.
            let size = Int(head[16]) << 8 | Int(head[17])
            try found.scan(database, from: 0, pageSize: size == 1 ? 1 << 16 : size, skipping: 0)
        }
        let log = URL(fileURLWithPath: url.path + "-wal")
        if FileManager.default.fileExists(atPath: log.path) {
            let file = try FileDescriptor(log.path, O_RDONLY)
            let head = try file.read(at: 0, count: logHeaderSize)
            if head.count == logHeaderSize {
                let size = head[8..<12].reduce(0) { $0 << 8 | Int($1) }
                try found.scan(file, from: logHeaderSize, pageSize: size, skipping: frameHeaderSize)
            }
        }
        var sorted: [UInt32] = []
        for row in found.rows.sorted() where row != sorted.last { sorted.append(row) }
        return sorted
    }

    /// Reads the pages of a file.
    ///
    /// - Parameters:
    ///   - start: The offset of the first page or, in a log, of its frame.
    ///   - skipped: The number of bytes before each page.
    private mutating func scan(
        _ file: FileDescriptor, from start: Int, pageSize: Int, skipping skipped: Int
    ) throws {
        guard (512...1 << 16).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return }
        let (size, stride) = (try file.size(), skipped + pageSize)
        let count = max(1, Self.blockSize / stride)
        var offset = start
        while offset < size {
            if isCancelled() { throw CancellationError() }
            let block = try file.read(at: offset, count: min(count * stride, size - offset))
            guard !block.isEmpty else { return }
            block.withUnsafeBytes { bytes in
                // The last page of a truncated file can be incomplete.
                for first in Swift.stride(from: 0, to: bytes.count, by: stride) {
                    let page = bytes[min(bytes.count, first + skipped)..<min(bytes.count, first + stride)]
                    let isFirst = offset == 0 && first == 0
                    add(UnsafeRawBufferPointer(rebasing: page), at: isFirst ? Self.headerSize : 0)
                }
            }
            offset += block.count
        }
    }

    /// Adds the numbers of the rows in a page.
    ///
    /// - Parameter start: The offset of the header in the page.
    private mutating func add(_ page: UnsafeRawBufferPointer, at start: Int) {
        guard page.count >= start + Self.pageHeaderSize, page[start] == Self.leafType else { return }
        let cells = Int(page[start + 3]) << 8 | Int(page[start + 4])
        for number in 0..<cells {
            let pointer = start + Self.pageHeaderSize + 2 * number
            guard pointer + 2 <= page.count else { return }
            // A cell begins with the size of the row and its number.
            var offset = Int(page[pointer]) << 8 | Int(page[pointer + 1])
            guard Self.varint(page, &offset) != nil, let row = Self.varint(page, &offset),
                let row = UInt32(exactly: row)
            else { continue }
            rows.append(row)
        }
    }

    /// Reads a number of variable length, whose most significant bits come first.
    private static func varint(_ page: UnsafeRawBufferPointer, _ offset: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 1...maximumVarintSize {
            guard offset < page.count else { return nil }
            let byte = page[offset]
            offset += 1
            if index == maximumVarintSize { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return value }
        }
        return nil
    }
}
