import ArgumentParser
import Foundation
import Roost

/// Matrices in the NPY format of NumPy
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
enum NumPy {
    /// Reads a matrix of Float16 or Float32 numbers from a file.
    static func matrix(_ path: String) throws -> Matrix {
        let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        let length = Int(data[8]) + Int(data[9]) << 8
        let header = String(decoding: data[10..<10 + length], as: UTF8.self)
        guard let shape = header.firstMatch(of: /\((\d+), (\d+)\)/), let rows = Int(shape.1),
            let columns = Int(shape.2)
        else { throw ValidationError("\(path) is not a matrix in the NPY format") }
        let isHalf = header.contains("<f2")
        let elements = data.withUnsafeBytes { bytes in
            (0..<rows * columns).map { index in
                isHalf
                    ? Float(bytes.loadUnaligned(fromByteOffset: 10 + length + 2 * index, as: Float16.self))
                    : bytes.loadUnaligned(fromByteOffset: 10 + length + 4 * index, as: Float.self)
            }
        }
        return Matrix(rows: rows, columns: columns, elements: elements)
    }

    /// Returns the contents of an NPY file with a matrix of Float16 numbers.
    static func data(_ numbers: [Float16], columns: Int) -> Data {
        var header =
            "{'descr': '<f2', 'fortran_order': False, 'shape': (\(numbers.count / columns), \(columns)), }"
        header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
        let length = header.utf8.count
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0, UInt8(length & 255), UInt8(length >> 8)])
        data += Data(header.utf8)
        numbers.withUnsafeBytes { data += Data($0) }
        return data
    }
}
