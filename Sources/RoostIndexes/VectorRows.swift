public import RoostFiles
public import RoostVectors

/// Vectors to be searched: a matrix in memory, or a section of a mapped file.
///
/// Unchecked because the compiler cannot see that a mapped file's bytes are never written and live as long as
/// the file, which is kept with them.
public struct VectorRows: @unchecked Sendable {
    private enum Source {
        case matrix(Matrix)
        case mapped(SectionFile, section: String, UnsafePointer<Float>)
    }

    private let source: Source
    /// Where the rows are compared with their checksums as they are read.
    private let pieces: CheckedPieces?
    public let count: Int
    public let dimension: Int

    public init(_ matrix: Matrix) {
        source = .matrix(matrix)
        pieces = nil
        count = matrix.rows
        dimension = matrix.columns
    }

    /// A section of `count * dimension` Float32, row-major. Searches compare it with its checksums: where
    /// they read, if it was written in pieces, otherwise as a whole.
    ///
    /// - Throws: ``SectionFile/Unusable`` where it is not so long.
    public init(_ file: SectionFile, section: String, count: Int, dimension: Int) throws {
        let numbers = try file.section(section, of: Float.self, count: count * dimension)
        self.count = count
        self.dimension = dimension
        if let base = numbers.baseAddress, !numbers.isEmpty {
            source = .mapped(file, section: section, base)
            pieces = try file.pieces(of: section)
        } else {
            source = .matrix(Matrix(rows: count, columns: dimension))
            pieces = nil
        }
    }

    /// Compares all rows with their checksums, on all cores, at the first call.
    ///
    /// - Throws: ``SectionFile/Unusable``.
    public func verify() throws {
        if case .mapped(let file, let section, _) = source { try file.verify(section) }
    }

    /// Compares what can only be compared as a whole with its checksums; ``isWhole(_:)`` tells of the others.
    ///
    /// - Throws: ``SectionFile/Unusable``.
    func verifyUnlessPieced() throws {
        if pieces == nil { try verify() }
    }

    /// Whether a row is as it was written, where it was written in pieces.
    func isWhole(_ row: Int) -> Bool {
        let stride = dimension * MemoryLayout<Float>.stride
        return pieces?.areWhole(row * stride..<(row + 1) * stride) ?? true
    }

    /// That the rows are not as they were written.
    var unusable: SectionFile.Unusable {
        if case .mapped(let file, _, _) = source { return file.unusable }
        return SectionFile.Unusable(description: "the vectors are not as they were")
    }

    /// Calls `body` with the first row; the others follow.
    func withUnsafePointer<Result>(_ body: (UnsafePointer<Float>) throws -> Result) rethrows -> Result {
        switch source {
        case .mapped(let file, _, let base):
            return try withExtendedLifetime(file) { try body(base) }
        case .matrix(let matrix):
            return try matrix.elements.withUnsafeBufferPointer { elements in
                var nothing: Float = 0
                return try elements.baseAddress.map(body) ?? Swift.withUnsafePointer(to: &nothing, body)
            }
        }
    }

    /// Calls `body` with one row.
    func withRow<Result>(_ row: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows -> Result
    {
        precondition(row >= 0 && row < count, "row \(row) of \(count)")
        return try withUnsafePointer {
            try body(UnsafeBufferPointer(start: $0 + row * dimension, count: dimension))
        }
    }

    /// A copy of the rows of the given numbers, in that order.
    public func selecting(_ rows: some Collection<Int>) -> Matrix {
        var elements: [Float] = []
        elements.reserveCapacity(rows.count * dimension)
        withUnsafePointer { base in
            for row in rows {
                precondition(row >= 0 && row < count, "row \(row) of \(count)")
                elements += UnsafeBufferPointer(start: base + row * dimension, count: dimension)
            }
        }
        return Matrix(rows: rows.count, columns: dimension, elements: elements)
    }
}
