import Foundation
import RoostFiles
import RoostModel

/// The rows that a part of a commit inserts.
struct PendingRows {
    var entries = RowBuffer(.entries)
    var vectors = RowBuffer(.vectors)
    var passages = RowBuffer(.passages)
    var attributes = RowBuffer(.attributes)
    var removals = RowBuffer(.removals)
    var sources = RowBuffer(.sources)
    var clusters = RowBuffer(.clusters)
    var assignments = RowBuffer(.assignments)

    var filled: [RowBuffer] {
        [entries, vectors, passages, attributes, removals, sources, clusters, assignments]
            .filter { !$0.isEmpty }
    }

    var size: Int { filled.reduce(0) { $0 + $1.size } }
}

/// Rows that will be inserted into a table, in binary format.
///
/// Values must be appended in the order of the table's columns.
struct RowBuffer {
    let table: Table
    private(set) var count = 0
    /// The values: for each the length as a 32-bit integer, or -1 for NULL, and the bytes.
    private var data: [UInt8] = []
    /// The offset in `data` of each row, and at the end that of the next row.
    private var offsets = [0]
    private var fields = 0
    /// The offset of the first value that the next checksum covers.
    private var unsealed = 0
    private var checksum: UInt32 = 0

    /// The size in bytes of the rows that one statement inserts, unless a single row is larger.
    private static let statementSize = 8 << 20
    /// The maximum number of rows that one statement inserts as a list of values. A statement has at most 65,535
    /// parameters, and a list of values takes the server 1.3 times as long as arrays of thousands of rows.
    private static let maximumValues = 256

    init(_ table: Table) { self.table = table }

    var isEmpty: Bool { count == 0 }

    var size: Int { data.count }

    // MARK: Values

    mutating func append<each Value: ColumnValue>(_ values: repeat each Value) {
        for value in repeat each values {
            value.write(to: &data)
            finishField()
        }
    }

    mutating func append(vector: [Float]?) {
        guard let vector else { return append([UInt8]?.none) }
        data.append(bigEndian: Int32(4 + 4 * vector.count))
        data.append(vector: vector)
        finishField()
    }

    /// Appends the checksum of the values since the beginning of the row or, if the row already has a
    /// checksum, of these values after that checksum.
    mutating func seal() {
        checksum = data.withUnsafeBytes {
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[unsealed...]), after: checksum)
        }
        append(Int64(checksum))
        unsealed = data.count
    }

    private mutating func finishField() {
        fields += 1
        guard fields == table.columns.count else { return }
        (fields, checksum) = (0, 0)
        count += 1
        offsets.append(data.count)
        unsealed = data.count
    }

    // MARK: Statements

    /// Returns statements that insert the rows, as a list of values or with one array per column.
    ///
    /// Citus runs an insertion of values in one phase on the node of the store. It runs an insertion from arrays
    /// with a two-phase commit, which it can acknowledge a minute before the rows are visible.
    func insertions(_ features: DatabaseFeatures) -> [Statement] {
        precondition(fields == 0, "a row is incomplete")
        let usesValues = features.isDistributed || count <= Self.maximumValues
        let maximumCount = usesValues ? Self.maximumValues : count
        let names = table.columns.map(\.name).joined(separator: ", ")
        var statements: [Statement] = []
        var first = 0
        while first < count {
            var last = first + 1
            while last < count, last - first < maximumCount,
                offsets[last + 1] - offsets[first] <= Self.statementSize
            { last += 1 }
            let insertion = "INSERT INTO roost.\(table.name) (\(names))"
            statements.append(
                usesValues
                    ? values(first..<last, insertion) : arrays(first..<last, insertion, features.vectorType))
            first = last
        }
        return statements
    }

    private func values(_ rows: Range<Int>, _ insertion: String) -> Statement {
        let width = table.columns.count
        let lists = rows.indices.map { row in
            let first = (row - rows.lowerBound) * width + 1
            return "(" + (first..<first + width).map { "$\($0)" }.joined(separator: ", ") + ")"
        }
        var parameters: [Parameter] = []
        data.withUnsafeBytes { data in
            var offset = offsets[rows.lowerBound]
            while offset < offsets[rows.upperBound] {
                let length = Int(data.bigEndian(at: offset, as: Int32.self))
                let end = offset + 4 + max(0, length)
                parameters.append(Parameter(bytes: length < 0 ? nil : Array(data[offset + 4..<end])))
                offset = end
            }
        }
        // The text depends on the number of rows.
        return Statement(
            "\(insertion) VALUES \(lists.joined(separator: ", "))", parameters, isKept: rows.count == 1)
    }

    private func arrays(_ rows: Range<Int>, _ insertion: String, _ vectorType: UInt32) -> Statement {
        let arrays = table.columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type.rawValue)[]" }
        var columns = table.columns.map { _ in (bytes: [UInt8](), hasNull: false) }
        data.withUnsafeBytes { data in
            var offset = offsets[rows.lowerBound]
            for _ in rows {
                for column in columns.indices {
                    let length = data.bigEndian(at: offset, as: Int32.self)
                    let end = offset + 4 + max(0, Int(length))
                    columns[column].bytes.append(contentsOf: data[offset..<end])
                    if length < 0 { columns[column].hasNull = true }
                    offset = end
                }
            }
        }
        let parameters = zip(columns, table.columns).map { column, definition in
            let type = definition.type == .vector ? vectorType : definition.type.oid
            let header = Parameter.arrayHeader(count: rows.count, hasNull: column.hasNull, type: type)
            return Parameter(bytes: header + column.bytes)
        }
        return Statement(
            "\(insertion) SELECT * FROM unnest(\(arrays.joined(separator: ", ")))", parameters)
    }
}
