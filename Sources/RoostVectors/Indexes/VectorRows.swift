package import RoostFiles

/// The vectors that an index searches: a matrix in memory, or a section of a mapped file.
///
/// `Sendable` is unchecked because the compiler cannot see that the bytes of a mapped file are never written
/// and that the file object, which is stored next to the pointer, keeps them alive.
package struct VectorRows: @unchecked Sendable {
    private enum Source {
        case matrix(Matrix)
        case mapped(SectionFile, section: String, UnsafePointer<Float>)
    }

    private let source: Source
    /// The checksums of the section; `nil` for a matrix.
    private let pages: CheckedPages?
    package let count: Int
    package let dimension: Int

    package init(_ matrix: Matrix) {
        source = .matrix(matrix)
        pages = nil
        count = matrix.rows
        dimension = matrix.columns
    }

    /// Creates rows over a section of `count * dimension` Float32 numbers, row-major.
    ///
    /// Searches verify the checksums of the pages that they read.
    ///
    /// - Throws: `SectionFile/Unusable` if the section is missing or has a different length.
    package init(_ file: SectionFile, section: String, count: Int, dimension: Int) throws {
        let (size, isTooLarge) = count.multipliedReportingOverflow(by: dimension)
        guard count >= 0, dimension >= 0, !isTooLarge else {
            throw SectionFile.Unusable(description: "the section '\(section)' has an impossible size")
        }
        let numbers = try file.section(section, of: Float.self, count: size)
        (self.count, self.dimension) = (count, dimension)
        if let base = numbers.baseAddress, !numbers.isEmpty {
            source = .mapped(file, section: section, base)
            pages = try file.pages(of: section)
        } else {
            source = .matrix(Matrix(rows: count, columns: dimension))
            pages = nil
        }
    }

    /// Verifies the checksums of all rows. The first call reads the whole section, on all cores.
    package func verify() throws {
        if case .mapped(let file, let section, _) = source { try file.verify(section) }
    }

    /// Returns whether the checksums match for the pages that contain a row of a mapped file.
    func isIntact(_ row: Int) -> Bool {
        let stride = dimension * MemoryLayout<Float>.stride
        return pages?.areIntact(row * stride..<(row + 1) * stride) ?? true
    }

    var checksumMismatch: SectionFile.Unusable {
        if case .mapped(let file, _, _) = source { return file.checksumMismatch }
        return SectionFile.Unusable(description: "the vectors in memory are corrupt")
    }

    /// Calls `body` with a pointer to the first row. The other rows follow it in memory.
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

    package func withRow<Result>(_ row: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result) rethrows
        -> Result
    {
        precondition(row >= 0 && row < count, "row \(row) is out of range 0..<\(count)")
        return try withUnsafePointer {
            try body(UnsafeBufferPointer(start: $0 + row * dimension, count: dimension))
        }
    }

    /// Calls `body` with the components of one row whose checksums match.
    package func withVerifiedRow<Result>(
        _ row: Int, _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) throws -> Result {
        guard isIntact(row) else { throw checksumMismatch }
        return try withRow(row, body)
    }

    package func selecting(_ rows: some Collection<Int>) -> Matrix {
        var elements: [Float] = []
        elements.reserveCapacity(rows.count * dimension)
        withUnsafePointer { base in
            for row in rows {
                precondition(row >= 0 && row < count, "row \(row) is out of range 0..<\(count)")
                elements += UnsafeBufferPointer(start: base + row * dimension, count: dimension)
            }
        }
        return Matrix(rows: rows.count, columns: dimension, elements: elements)
    }
}
