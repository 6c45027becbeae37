package import Foundation
import RoostModel
package import RoostVectors

/// Reads a matrix of floating-point numbers of 16, 32 or 64 bits or of integers from a NumPy file (`.npy`,
/// versions 1 to 3), in which one row or one column follows the other.
package struct NumPyMatrix {
    private static let magic = Data([0x93]) + Data("NUMPY".utf8)

    /// The numbers.
    package let matrix: Matrix

    /// Returns whether data has the form of a NumPy file.
    package static func isPresent(in data: Data) -> Bool { data.starts(with: magic) }

    /// Reads a file.
    ///
    /// - Parameter name: The name of the file for error messages.
    /// - Throws: ``RoostError`` with `.badInput` if the file is not a matrix of finite numbers.
    init(_ data: Data, name: String) throws {
        func failure(_ fault: String) -> RoostError {
            RoostError(.badInput, "cannot import \(name): \(fault); nothing was imported")
        }
        let isLong = data.count > 6 && data[data.startIndex + 6] > 1
        let start = isLong ? 12 : 10
        guard Self.isPresent(in: data), data.count >= start else { throw failure("it is not a NumPy file") }
        let length = data.dropFirst(8).prefix(start - 8).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= data.count - start else { throw failure("its header is truncated") }
        let header = Header(String(decoding: data.dropFirst(start).prefix(length), as: UTF8.self))
        guard let format = header.type.flatMap(NumPyNumber.init) else {
            let type = header.type.map { "the type \($0)" } ?? "another type"
            throw failure("its values have \(type); they must be numbers of 1 to 8 bytes")
        }
        guard let (rows, columns) = header.shape else {
            let shape = header.shapeText.map { "the shape \($0)" } ?? "no shape"
            throw failure("it has \(shape); it must be a matrix with one row for each vector")
        }
        let body = data.dropFirst(start + length)
        guard body.count == rows * columns * format.size else {
            throw failure("its size does not match its shape (\(rows), \(columns))")
        }
        // The header may state any number of rows without columns, so no row is allocated separately.
        matrix = Matrix(rows: rows, columns: columns) { numbers in
            body.withUnsafeBytes { raw in
                for index in 0..<(rows * columns) {
                    // In column order, the numbers of a row are as far apart as a column is long.
                    let place = header.isInColumnOrder ? index % columns * rows + index / columns : index
                    numbers[index] = format.number(in: raw, at: place * format.size)
                }
            }
        }
        guard matrix.elements.allSatisfy(\.isFinite) else {
            throw failure("it contains values that are not numbers")
        }
    }

    /// The description of the numbers at the beginning of a file.
    private struct Header {
        /// The type of the numbers; `nil` for records of several values.
        var type: String?
        /// The numbers of rows and columns; `nil` if the array is not a matrix.
        var shape: (rows: Int, columns: Int)?
        /// The shape as the file states it.
        var shapeText: String?
        /// Whether one column follows the other, as arrays of Fortran and transposed arrays have them.
        var isInColumnOrder: Bool

        init(_ text: String) {
            let descriptor = text.firstMatch(of: /'descr': *'(?<type>[<>|=]?[A-Za-z][0-9]{0,9})'/)
            type = descriptor.map { String($0.type) }
            let form = text.firstMatch(of: /'shape': *(?<shape>\([0-9, ]{0,100}\))/)
            shapeText = form.map { String($0.shape) }
            let sizes = shapeText?.wholeMatch(of: /\((?<rows>[0-9]{1,12}), *(?<columns>[0-9]{1,6}),?\)/)
            if let sizes, let rows = Int(sizes.rows), let columns = Int(sizes.columns) {
                shape = (rows, columns)
            }
            isInColumnOrder = text.contains(/'fortran_order': *True/)
        }
    }
}
