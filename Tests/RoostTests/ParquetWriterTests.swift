import Foundation
import Testing

@testable import Roost

@Suite struct ParquetWriterTests {
    private func file(_ columns: [ParquetColumn], _ rows: [[ParquetColumn.Value]]) throws -> Data {
        var data = Data()
        var writer = try ParquetWriter(columns, maximumRows: 100) { data += $0 }
        for row in rows { try writer.add(row) }
        try writer.finish()
        return data
    }

    @Test func `A file has its magic number at both ends and the length of its footer`() throws {
        let data = try file([ParquetColumn("a", .text)], [])
        #expect(data.prefix(4) == Data("PAR1".utf8) && data.suffix(4) == Data("PAR1".utf8))
        let length = data.dropLast(4).suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        // Without rows, the file has only the footer between the two numbers.
        #expect(length == data.count - 12)
        // The version is 1: field 1 of type i32, with the zigzag number 2.
        #expect(Array(data.dropFirst(4).prefix(2)) == [0x15, 2])
    }

    @Test func `Equal levels are runs, and missing texts have no value`() throws {
        let rows: [[ParquetColumn.Value]] = Array(repeating: [.text(nil)], count: 70) + [[.text("é")]]
        let data = try file([ParquetColumn("a", .text)], rows)
        // The size of the levels, 70 times 0 (140 as a varint), once 1, and the text after its length.
        let page = Data([5, 0, 0, 0, 0x8C, 1, 0, 2, 1, 2, 0, 0, 0, 0xC3, 0xA9])
        #expect(data.range(of: page) != nil)
    }

    @Test func `An empty list has levels, but no value`() throws {
        let rows: [[ParquetColumn.Value]] = [[.numbers([])], [.numbers([1, 2])]]
        let data = try file([ParquetColumn("v", .numbers)], rows)
        let repetitions: [UInt8] = [4, 0, 0, 0, 4, 0, 2, 1]
        let definitions: [UInt8] = [4, 0, 0, 0, 2, 0, 4, 1]
        let values: [UInt8] = [0, 0, 0x80, 0x3F, 0, 0, 0, 0x40]
        #expect(data.range(of: Data(repetitions + definitions + values)) != nil)
    }
}
