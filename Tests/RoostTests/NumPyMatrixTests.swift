import Foundation
import Testing

@testable import Roost

@Suite struct NumPyMatrixTests {
    /// Returns a NumPy file of version 1 with numbers of the type `<f4`, whose header can state another one.
    private func file(
        shape: String, type: String = "'<f4'", order: String = "False", _ numbers: [Float]
    ) -> Data {
        let header = Data("{'descr': \(type), 'fortran_order': \(order), 'shape': \(shape), }\n".utf8)
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

    @Test func `the columns of a file in column order become rows`() throws {
        let data = file(shape: "(2, 3)", order: "True", [1, 4, 2, 5, 3, 6])
        let matrix = try NumPyMatrix(data, name: "a").matrix
        #expect((matrix.rows, matrix.columns) == (2, 3))
        #expect(matrix.row(0) == [1, 2, 3] && matrix.row(1) == [4, 5, 6])
        // A part of other data has other indexes.
        let part = (Data([0, 0]) + data).dropFirst(2)
        #expect(try NumPyMatrix(part, name: "a").matrix == matrix)
    }

    @Test(arguments: [
        ("'<f16'", "(2, 3)", "its values have the type <f16"),
        ("'|f1'", "(2, 3)", "its values have the type |f1"),
        ("'|b1'", "(2, 3)", "its values have the type |b1"),
        ("'<c8'", "(2, 3)", "its values have the type <c8"),
        ("[('a', '<f4')]", "(2, 3)", "its values have another type"),
        ("'<f4'", "(6,)", "it has the shape (6,)"), ("'<f4'", "()", "it has the shape ()"),
        ("'<f4'", "(1, 2, 3)", "it has the shape (1, 2, 3)"), ("'<f4'", "x", "it has no shape"),
    ])
    func `a type or shape that cannot be read is named`(type: String, shape: String, fault: String) throws {
        let error = #expect(throws: RoostError.self) {
            try NumPyMatrix(file(shape: shape, type: type, [1, 2, 3, 4, 5, 6]), name: "n3.npy")
        }
        #expect(error?.message.hasPrefix("cannot import n3.npy: \(fault)") == true, "\(error as Any)")
    }

    @Test(
        arguments: [
            ("<f2", "00 3c 00 c0 01 00 ff 7b", [1, -2, 0x1p-24, 65504]),
            (">f2", "3c 00 c0 00 00 01 7b ff", [1, -2, 0x1p-24, 65504]),
            (">f4", "3f 80 00 00 c0 00 00 00", [1, -2]), (">f8", "3f f0 00 00 00 00 00 00", [1]),
            ("|i1", "01 ff 80", [1, -1, -128]), ("|u1", "01 ff", [1, 255]),
            ("<i2", "02 00 fe ff", [2, -2]), (">u2", "00 02 ff fe", [2, 65534]),
            ("<i4", "03 00 00 00", [3]), (">i4", "ff ff ff fd", [-3]), ("<u4", "00 00 00 80", [0x1p31]),
            ("<i8", "ff ff ff ff ff ff ff ff", [-1]), (">u8", "80 00 00 00 00 00 00 00", [0x1p63]),
        ] as [(String, String, [Float])])
    func `numbers of each type and order of bytes are read`(
        type: String, bytes: String, numbers: [Float]
    ) throws {
        let body = Data(bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) })
        let data = file(shape: "(1, \(numbers.count))", type: "'\(type)'", []) + body
        #expect(try NumPyMatrix(data, name: "a").matrix.row(0) == numbers)
    }

    @Test(arguments: ["00 7c", "00 fe"])
    func `infinite and invalid numbers of 16 bits are refused`(bytes: String) {
        let body = Data(bytes.split(separator: " ").compactMap { UInt8($0, radix: 16) })
        let data = file(shape: "(1, 1)", type: "'<f2'", []) + body
        let error = #expect(throws: RoostError.self) { try NumPyMatrix(data, name: "a") }
        #expect(error?.message.contains("values that are not numbers") == true)
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
