import Foundation

/// A column of a Parquet file, with the values of the row group that is not written yet.
///
/// The source is the Apache Parquet format specification (https://parquet.apache.org/docs/file-format/).
package struct ParquetColumn {
    /// The type of a column. Lists have the standard structure of three levels and are never null.
    package enum Kind: Sendable {
        /// UTF-8 text, or null.
        case text
        /// A time in UTC with microseconds, or null.
        case time
        /// A list of UTF-8 texts.
        case texts
        /// A list of 32-bit floating-point numbers.
        case numbers
    }

    /// The value of a column in a row.
    package enum Value: Sendable {
        case text(String?)
        /// Microseconds since 1970-01-01T00:00:00Z.
        case time(Int64?)
        case texts([String])
        case numbers([Float])
    }

    /// Successive equal levels, each of which is 0 or 1, in the RLE encoding of the format.
    private struct Levels {
        private var runs = Data()
        private var (level, length): (UInt8, UInt64) = (0, 0)

        mutating func add(_ next: UInt8, count: Int = 1) {
            if next != level { finishRun() }
            (level, length) = (next, length + UInt64(count))
        }

        private mutating func finishRun() {
            guard length > 0 else { return }
            runs += ThriftStruct.varint(length << 1)
            runs.append(level)
            length = 0
        }

        /// The runs, after their size in bytes.
        var data: Data {
            var copy = self
            copy.finishRun()
            return ParquetColumn.bytes(of: UInt32(copy.runs.count)) + copy.runs
        }
    }

    /// The name of the column.
    package let name: String
    /// The type of the column.
    package let kind: Kind
    private var (definitions, repetitions) = (Levels(), Levels())
    private var (values, count) = (Data(), 0)

    /// Creates an empty column.
    package init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    /// The size of the values in bytes.
    var size: Int { values.count }

    /// The physical type of the values: `INT64`, `FLOAT` or `BYTE_ARRAY`.
    private var type: Int {
        switch kind {
        case .time: 2
        case .numbers: 4
        case .text, .texts: 6
        }
    }

    private var isList: Bool {
        switch kind {
        case .texts, .numbers: true
        case .text, .time: false
        }
    }

    fileprivate static func bytes(of number: some FixedWidthInteger) -> Data {
        withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    // MARK: Values

    /// Adds the value of the next row.
    ///
    /// - Precondition: The value has the type of the column.
    mutating func add(_ value: Value) {
        switch (kind, value) {
        case (.text, .text(let text)): addScalar(text.map(Self.plain))
        case (.time, .time(let time)): addScalar(time.map { Self.bytes(of: $0) })
        case (.texts, .texts(let texts)):
            addList(of: texts.count, texts.reduce(into: Data()) { $0 += Self.plain($1) })
        case (.numbers, .numbers(let numbers)):
            addList(of: numbers.count, numbers.map(\.bitPattern.littleEndian).withUnsafeBytes { Data($0) })
        default: preconditionFailure("the value does not have the type of the column \(name)")
        }
    }

    private static func plain(_ text: String) -> Data {
        bytes(of: UInt32(text.utf8.count)) + Data(text.utf8)
    }

    private mutating func addScalar(_ bytes: Data?) {
        definitions.add(bytes == nil ? 0 : 1)
        if let bytes { values += bytes }
        count += 1
    }

    private mutating func addList(of length: Int, _ bytes: Data) {
        // An empty list has levels, but no value.
        definitions.add(length == 0 ? 0 : 1, count: max(1, length))
        repetitions.add(0)
        if length > 1 { repetitions.add(1, count: length - 1) }
        values += bytes
        count += max(1, length)
    }

    /// Returns the data page of the values with its metadata, and removes the values.
    ///
    /// - Parameter offset: The offset of the page in the file.
    mutating func finishPage(at offset: Int) -> (page: Data, metadata: ThriftStruct) {
        let body = (isList ? repetitions.data : Data()) + definitions.data + values
        // DataPageHeader: num_values, and the encodings of the values and of both levels. PLAIN is 0, and
        // RLE is 3.
        var dataHeader = ThriftStruct()
        dataHeader.add(1, int32: count)
        for (id, encoding) in [(2, 0), (3, 3), (4, 3)] { dataHeader.add(id, int32: encoding) }
        // PageHeader: type (0, a data page), uncompressed_page_size, compressed_page_size, data_page_header.
        var header = ThriftStruct()
        header.add(1, int32: 0)
        header.add(2, int32: body.count)
        header.add(3, int32: body.count)
        header.add(5, structure: dataHeader)
        let page = header.data + body
        // ColumnMetaData: type, encodings, path_in_schema, codec (0, none), num_values, both sizes, and
        // data_page_offset.
        var metadata = ThriftStruct()
        metadata.add(1, int32: type)
        metadata.add(2, int32s: [0, 3])
        metadata.add(3, texts: isList ? [name, "list", "element"] : [name])
        metadata.add(4, int32: 0)
        metadata.add(5, int64: count)
        metadata.add(6, int64: page.count)
        metadata.add(7, int64: page.count)
        metadata.add(9, int64: offset)
        // ColumnChunk: file_offset, which is not used any more, and meta_data.
        var chunk = ThriftStruct()
        chunk.add(2, int64: 0)
        chunk.add(3, structure: metadata)
        self = ParquetColumn(name, kind)
        return (page, chunk)
    }

    // MARK: Schema

    /// The elements of the schema: one for a scalar, and three for a list.
    ///
    /// SchemaElement: type (1), repetition_type (3: 0 is required, 1 optional, 2 repeated), name (4),
    /// num_children (5), converted_type (6, for older readers) and logicalType (10).
    var schema: [ThriftStruct] {
        guard isList else { return [leaf(name, repetition: 1)] }
        var (outer, logical) = (ThriftStruct(), ThriftStruct())
        logical.add(3, structure: ThriftStruct())
        outer.add(3, int32: 0)
        outer.add(4, text: name)
        outer.add(5, int32: 1)
        outer.add(6, int32: 3)
        outer.add(10, structure: logical)
        var inner = ThriftStruct()
        inner.add(3, int32: 2)
        inner.add(4, text: "list")
        inner.add(5, int32: 1)
        return [outer, inner, leaf("element", repetition: 0)]
    }

    private func leaf(_ name: String, repetition: Int) -> ThriftStruct {
        var (element, logical) = (ThriftStruct(), ThriftStruct())
        element.add(1, int32: type)
        element.add(3, int32: repetition)
        element.add(4, text: name)
        switch kind {
        case .text, .texts:
            element.add(6, int32: 0)
            logical.add(1, structure: ThriftStruct())
        case .time:
            var (time, unit) = (ThriftStruct(), ThriftStruct())
            unit.add(2, structure: ThriftStruct())
            time.add(1, isTrue: true)
            time.add(2, structure: unit)
            element.add(6, int32: 10)
            logical.add(8, structure: time)
        case .numbers: return element
        }
        element.add(10, structure: logical)
        return element
    }
}
