/// A dense matrix of Float32, row-major: element (i, j) lies at `i * columns + j`.
///
/// A value with copy-on-write storage. Rows of embeddings are kept at unit length by those who make them; the
/// matrix itself promises nothing about its numbers.
public struct Matrix: Sendable, Hashable {
    public let rows: Int
    public let columns: Int
    /// `rows * columns` numbers.
    public private(set) var elements: [Float]

    /// A matrix of the given numbers.
    ///
    /// - Precondition: `elements.count == rows * columns`.
    public init(rows: Int, columns: Int, elements: [Float]) {
        precondition(
            rows >= 0 && columns >= 0 && elements.count == rows * columns, "shape and numbers differ")
        self.rows = rows
        self.columns = columns
        self.elements = elements
    }

    /// A matrix of zeros.
    public init(rows: Int, columns: Int) {
        self.init(rows: rows, columns: columns, elements: [Float](repeating: 0, count: rows * columns))
    }

    /// A matrix with the given rows.
    ///
    /// - Precondition: every row has `columns` numbers.
    public init(_ rows: [[Float]], columns: Int) {
        var elements: [Float] = []
        elements.reserveCapacity(rows.count * columns)
        for row in rows {
            precondition(row.count == columns, "a row has \(row.count) numbers, not \(columns)")
            elements.append(contentsOf: row)
        }
        self.init(rows: rows.count, columns: columns, elements: elements)
    }

    /// A matrix whose storage `initialize` fills; every number must be written.
    package init(rows: Int, columns: Int, filledBy initialize: (UnsafeMutablePointer<Float>) throws -> Void)
        rethrows
    {
        self.rows = rows
        self.columns = columns
        self.elements = try [Float](unsafeUninitializedCapacity: rows * columns) { buffer, count in
            if let base = buffer.baseAddress { try initialize(base) }
            count = rows * columns
        }
    }

    public subscript(row: Int, column: Int) -> Float {
        get { elements[row * columns + column] }
        set { elements[row * columns + column] = newValue }
    }

    /// A copy of one row.
    public func row(_ index: Int) -> [Float] {
        precondition(index >= 0 && index < rows, "row \(index) of \(rows)")
        return Array(elements[index * columns..<(index + 1) * columns])
    }

    /// Calls `body` with one row, without copying it.
    public func withRow<Result>(
        _ index: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) rethrows -> Result {
        precondition(index >= 0 && index < rows, "row \(index) of \(rows)")
        return try elements.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[index * columns..<(index + 1) * columns]))
        }
    }

    /// The rows of the given numbers, in that order.
    public func selecting(_ indices: some Collection<Int>) -> Matrix {
        var selected: [Float] = []
        selected.reserveCapacity(indices.count * columns)
        for index in indices {
            precondition(index >= 0 && index < rows, "row \(index) of \(rows)")
            selected.append(contentsOf: elements[index * columns..<(index + 1) * columns])
        }
        return Matrix(rows: indices.count, columns: columns, elements: selected)
    }

    /// Calls `body` with all numbers, to be changed in place.
    package mutating func withUnsafeMutableElements<Result>(
        _ body: (inout UnsafeMutableBufferPointer<Float>) throws -> Result
    ) rethrows -> Result {
        try elements.withUnsafeMutableBufferPointer(body)
    }

    /// Scales every row to unit length; a row of zeros stays as it is.
    ///
    /// - Complexity: O(rows · columns).
    public mutating func normalizeRows() {
        let columns = columns
        for row in 0..<rows {
            elements.withUnsafeMutableBufferPointer {
                normalize(UnsafeMutableBufferPointer(rebasing: $0[row * columns..<(row + 1) * columns]))
            }
        }
    }
}
