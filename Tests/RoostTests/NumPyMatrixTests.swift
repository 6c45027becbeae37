import Foundation
import Testing

@testable import Roost

@Suite struct NumPyMatrixTests {
    /// Returns a NumPy file of version 1 with numbers of the type `<f4`.
    private func file(shape: String, _ numbers: [Float]) -> Data {
        let header = Data("{'descr': '<f4', 'fortran_order': False, 'shape': \(shape), }\n".utf8)
        var data = Data([0x93]) + Data("NUMPY".utf8) + Data([1, 0])
        data += Data([UInt8(header.count & 0xFF), UInt8(header.count >> 8)]) + header
        for number in numbers { withUnsafeBytes(of: number.bitPattern.littleEndian) { data += Data($0) } }
        return data
    }

    @Test func `the rows of a file are read in their order`() throws {
        let matrix = try NumPyMatrix(file(shape: "(2, 3)", [1, 2, 3, 4, 5, 6]), name: "a").matrix
        #expect((matrix.rows, matrix.columns) == (2, 3))
        #expect(matrix.row(1) == [4, 5, 6])
    }

    @Test func `a huge number of rows without columns takes no memory`() throws {
        let matrix = try NumPyMatrix(file(shape: "(999999999999, 0)", []), name: "a").matrix
        #expect(matrix.rows == 999_999_999_999)
    }

    @Test(arguments: ["(3, 3)", "(999999999999, 999999)"])
    func `a shape that does not match the size of the file is refused`(shape: String) throws {
        let data = file(shape: shape, [1, 2, 3, 4, 5, 6])
        #expect(throws: RoostError.self) { try NumPyMatrix(data, name: "a") }
    }
}
