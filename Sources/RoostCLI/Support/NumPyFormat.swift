import Foundation

/// Arrays in the NPY format, version 1.0: a header, and the elements row by row
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
enum NumPyFormat {
    static func header(rows: Int, columns: Int) -> Data {
        var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(rows), \(columns)), }"
        // The format requires that the data start at a multiple of 64 bytes and that the header end with a
        // line feed. Ten bytes (magic number, version, header length) precede the header.
        while (10 + header.utf8.count + 1) % 64 != 0 { header += " " }
        header += "\n"
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0])
        withUnsafeBytes(of: UInt16(header.utf8.count).littleEndian) { data += Data($0) }
        return data + Data(header.utf8)
    }

    static func bytes(of elements: [Float]) -> Data {
        elements.map { $0.bitPattern.littleEndian }.withUnsafeBytes { Data($0) }
    }
}
