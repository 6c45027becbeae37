/// A dense row-major matrix of Float32.
///
/// A value type with copy-on-write storage. The matrix does not constrain its numbers: code that stores
/// embeddings in rows is responsible for their unit length.
public struct Matrix: Sendable, Hashable {
    /// The number of rows.
    public let rows: Int
    /// The number of columns.
    public let columns: Int
    /// The `rows * columns` numbers; element (i, j) has the index `i * columns + j`.
    public private(set) var elements: [Float]

    /// Creates a matrix of the given numbers.
    ///
    /// - Precondition: `elements.count == rows * columns`.
    public init(rows: Int, columns: Int, elements: [Float]) {
        precondition(
            rows >= 0 && columns >= 0 && elements.count == rows * columns,
            "a matrix of \(rows) by \(columns) cannot have \(elements.count) elements")
        (self.rows, self.columns, self.elements) = (rows, columns, elements)
    }

    /// Creates a matrix of zeros.
    ///
    /// - Precondition: The numbers of rows and columns are not negative, and their product does not overflow.
    public init(rows: Int, columns: Int) {
        self.init(rows: rows, columns: columns, elements: [Float](repeating: 0, count: rows * columns))
    }

    /// Creates a matrix from its rows.
    ///
    /// - Precondition: Every row has `columns` numbers.
    public init(_ rows: [[Float]], columns: Int) {
        var elements: [Float] = []
        elements.reserveCapacity(rows.count * columns)
        for row in rows {
            precondition(row.count == columns, "every row must have \(columns) numbers, not \(row.count)")
            elements.append(contentsOf: row)
        }
        self.init(rows: rows.count, columns: columns, elements: elements)
    }

    /// The element in the given row and column, both from 0.
    ///
    /// - Precondition: `0 <= row < rows` and `0 <= column < columns`. A column that is out of range can
    ///   access an element of another row.
    public subscript(row: Int, column: Int) -> Float {
        get { elements[row * columns + column] }
        set { elements[row * columns + column] = newValue }
    }

    /// Returns a copy of one row.
    ///
    /// - Precondition: `0 <= index < rows`.
    public func row(_ index: Int) -> [Float] {
        precondition(index >= 0 && index < rows, "row \(index) is out of range 0..<\(rows)")
        return Array(elements[index * columns..<(index + 1) * columns])
    }

    /// Calls `body` with the numbers of one row, without copying them.
    ///
    /// - Precondition: `0 <= index < rows`.
    public func withRow<Result>(
        _ index: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) rethrows -> Result {
        precondition(index >= 0 && index < rows, "row \(index) is out of range 0..<\(rows)")
        return try elements.withUnsafeBufferPointer {
            try body(UnsafeBufferPointer(rebasing: $0[index * columns..<(index + 1) * columns]))
        }
    }

    /// Returns the matrix of the rows with the given indices, in that order.
    ///
    /// - Precondition: Every index is in `0..<rows`.
    public func selecting(_ indices: some Collection<Int>) -> Matrix {
        var selected: [Float] = []
        selected.reserveCapacity(indices.count * columns)
        for index in indices {
            precondition(index >= 0 && index < rows, "row \(index) is out of range 0..<\(rows)")
            selected.append(contentsOf: elements[index * columns..<(index + 1) * columns])
        }
        return Matrix(rows: indices.count, columns: columns, elements: selected)
    }

    /// Returns the inner products of some rows with some rows of another matrix, or with all of them:
    /// for each row, one product per other row.
    ///
    /// - Complexity: O(rows · others · columns), on the calling thread.
    package func products(of part: Range<Int>, with other: Matrix, _ others: Range<Int>? = nil) -> [Float] {
        let others = others ?? 0..<other.rows
        precondition(part.upperBound <= rows && others.upperBound <= other.rows && columns == other.columns)
        var products = [Float](repeating: 0, count: part.count * others.count)
        products.withUnsafeMutableBufferPointer { products in
            elements.withUnsafeBufferPointer { first in
                other.elements.withUnsafeBufferPointer { second in
                    guard let products = products.baseAddress, let first = first.baseAddress,
                        let second = second.baseAddress
                    else { return }
                    BLAS.gemm(
                        .init(first + part.lowerBound * columns, stride: columns),
                        .init(second + others.lowerBound * columns, stride: columns, transposed: true),
                        into: products, stride: others.count, m: part.count, n: others.count, k: columns)
                }
            }
        }
        return products
    }

    /// Calls `body` with all numbers, which it may change in place.
    package mutating func withUnsafeMutableElements<Result>(
        _ body: (inout UnsafeMutableBufferPointer<Float>) throws -> Result
    ) rethrows -> Result {
        try elements.withUnsafeMutableBufferPointer(body)
    }

    /// Scales every row to unit length. A row of zeros is left unchanged.
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
