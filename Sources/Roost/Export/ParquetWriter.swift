package import Foundation

/// Writes a table as a Parquet file of version 1: uncompressed, with the encoding `PLAIN`, and with one data
/// page per column and row group.
///
/// The source is the Apache Parquet format specification (https://parquet.apache.org/docs/file-format/); the
/// numbers of fields are those of its file `parquet.thrift`. The writer keeps the rows of one row group and
/// passes on each group when it is complete.
package struct ParquetWriter {
    private static let magic = Data("PAR1".utf8)

    private var columns: [ParquetColumn]
    private let maximumRows: Int
    private let maximumSize: Int
    private let write: (Data) throws -> Void
    private var (offset, rows) = (0, 0)
    private var groups: [ThriftStruct] = []
    /// The number of rows that were added.
    package private(set) var count = 0

    /// Creates a writer, and writes the beginning of the file.
    ///
    /// - Parameters:
    ///   - columns: The columns, without values.
    ///   - maximumRows: The number of rows after which a row group ends.
    ///   - maximumSize: The size of the values in bytes after which a row group ends.
    ///   - write: Receives the bytes of the file in order.
    package init(
        _ columns: [ParquetColumn], maximumRows: Int = 10_000, maximumSize: Int = 64 << 20,
        write: @escaping (Data) throws -> Void
    ) throws {
        (self.columns, self.maximumRows, self.maximumSize) = (columns, maximumRows, maximumSize)
        self.write = write
        try append(Self.magic)
    }

    private mutating func append(_ data: Data) throws {
        try write(data)
        offset += data.count
    }

    /// Adds a row.
    ///
    /// - Precondition: There is one value per column, of the type of the column.
    package mutating func add(_ row: [ParquetColumn.Value]) throws {
        precondition(row.count == columns.count, "a row has one value per column")
        for index in columns.indices { columns[index].add(row[index]) }
        (rows, count) = (rows + 1, count + 1)
        let size = columns.reduce(0) { $0 + $1.size }
        if rows >= maximumRows || size >= maximumSize { try finishGroup() }
    }

    private mutating func finishGroup() throws {
        guard rows > 0 else { return }
        let start = offset
        var chunks: [ThriftStruct] = []
        for index in columns.indices {
            let (page, chunk) = columns[index].finishPage(at: offset)
            try append(page)
            chunks.append(chunk)
        }
        // RowGroup: columns, total_byte_size, num_rows.
        var group = ThriftStruct()
        group.add(1, structures: chunks)
        group.add(2, int64: offset - start)
        group.add(3, int64: rows)
        groups.append(group)
        rows = 0
    }

    /// Writes the last row group and the footer.
    package mutating func finish() throws {
        try finishGroup()
        // The root of the schema has a name and the number of its children.
        var root = ThriftStruct()
        root.add(4, text: "schema")
        root.add(5, int32: columns.count)
        // FileMetaData: version, schema, num_rows, row_groups, created_by.
        var footer = ThriftStruct()
        footer.add(1, int32: 1)
        footer.add(2, structures: [root] + columns.flatMap(\.schema))
        footer.add(3, int64: count)
        footer.add(4, structures: groups)
        footer.add(6, text: "Roost")
        let data = footer.data
        try append(data)
        try append(withUnsafeBytes(of: UInt32(data.count).littleEndian) { Data($0) } + Self.magic)
    }
}
