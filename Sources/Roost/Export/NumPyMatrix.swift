package import Foundation
import RoostModel
package import RoostVectors

/// Reads a matrix of 32-bit or 64-bit floating-point numbers from a NumPy file (`.npy`, versions 1 to 3).
package struct NumPyMatrix {
    private static let magic = Data([0x93]) + Data("NUMPY".utf8)

    /// The numbers.
    package let matrix: Matrix

    /// Returns whether data has the form of a NumPy file.
    package static func isPresent(in data: Data) -> Bool { data.starts(with: magic) }

    /// Reads a file.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if the file is not a matrix of finite numbers, in which one
    ///   row follows the other.
    init(_ data: Data, name: String) throws {
        func failure(_ fault: String) -> RoostError {
            RoostError(.badInput, "cannot import \(name): \(fault); nothing was imported")
        }
        let bytes = Array(data)
        let isLong = bytes.count > 6 && bytes[6] > 1
        let start = isLong ? 12 : 10
        guard Self.isPresent(in: data), bytes.count >= start else { throw failure("it is not a NumPy file") }
        let length = bytes[8..<start].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - start else { throw failure("its header is truncated") }
        let header = String(decoding: bytes[start..<(start + length)], as: UTF8.self)
        guard let type = header.firstMatch(of: /'descr': *'<f(?<size>[48])'/),
            let shape = header.firstMatch(of: /'shape': *\((?<rows>[0-9]{1,12}), *(?<columns>[0-9]{1,6})\)/),
            header.contains(/'fortran_order': *False/), let size = Int(type.size),
            let count = Int(shape.rows), let columns = Int(shape.columns)
        else { throw failure("it is not a matrix of numbers of the types <f4 or <f8") }
        let body = bytes[(start + length)...]
        guard body.count == count * columns * size else {
            throw failure("its size does not match its shape (\(count), \(columns))")
        }
        let values: [Float] = body.withUnsafeBytes { raw in
            (0..<(count * columns)).map { index in
                size == 4
                    ? Float(
                        bitPattern: UInt32(
                            littleEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
                    : Float(
                        Double(
                            bitPattern: UInt64(
                                littleEndian: raw.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))))
            }
        }
        guard values.allSatisfy(\.isFinite) else { throw failure("it contains values that are not numbers") }
        // The header may state any number of rows without columns, so no row is allocated separately.
        matrix = Matrix(rows: count, columns: columns, elements: values)
    }
}
