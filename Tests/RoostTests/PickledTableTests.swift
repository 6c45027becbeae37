import Foundation
import Testing

@testable import Roost

/// Tests of ``PickledTable``.
@Suite struct PickledTableTests {
    private static func text(_ text: String) -> [UInt8] { [0x8C, UInt8(text.utf8.count)] + Array(text.utf8) }

    /// Returns a file with a table of one number, and other instructions after the beginning.
    private static func file(_ other: [UInt8] = [], after: [UInt8] = []) -> Data {
        let number = text("first") + [UInt8(ascii: "K"), 7]
        let table = text("table") + Array("}(".utf8) + number + Array("u".utf8)
        return Data(
            [0x80, 4, UInt8(ascii: "}")] + other + Array("(".utf8) + table + Array("u".utf8) + after + [0x2E])
    }

    @Test func `numbers of an inner table are found by their names`() {
        #expect(PickledTable(Self.file())?.numbers(in: "table") == ["first": 7])
        #expect(PickledTable(Self.file())?.numbers(in: "other") == nil)
    }

    @Test func `remembered values are repeated by their numbers`() {
        let name = Self.text("k") + [0x94, 0x30]
        #expect(PickledTable(Self.file(name)) == nil, "the instruction POP is not supported")
        // {"k": "v"} with the value from the memory, whose first value is the key.
        let file = Data([0x80, 4] + Array("}(".utf8) + Self.text("k") + [0x94] + Array("h\u{0}u.".utf8))
        #expect(PickledTable(file) != nil)
        let unknown = Data([0x80, 4] + Array("}(".utf8) + Self.text("k") + [0x94] + Array("h\u{1}u.".utf8))
        #expect(PickledTable(unknown) == nil)
        let skipped = Data([0x80, 4] + Array("}q\u{5}.".utf8))
        #expect(PickledTable(skipped) == nil)
    }

    @Test(arguments: [
        [0x94],  // remembers the same value again
        [UInt8(ascii: "N"), 0x94],  // creates a value and remembers it
        [UInt8(ascii: "K"), 1],
        [UInt8(ascii: "}")],
    ])
    func `a file that needs far more memory than its size is refused`(_ instruction: [UInt8]) {
        let count = (1 << 20) + 1
        #expect(PickledTable(Self.file(Array(repeatElement(instruction, count: count).joined()))) == nil)
    }

    @Test func `a large table with short names is read`() throws {
        let count = 300_000
        var bytes: [UInt8] = [0x80, 3] + Array("}(".utf8) + Self.text("table") + Array("}(".utf8)
        for number in 0..<count {
            bytes += Self.text(String(number, radix: 36)) + [UInt8(ascii: "J")]
            withUnsafeBytes(of: Int32(number).littleEndian) { bytes += $0 }
        }
        bytes += Array("uu.".utf8)
        #expect(try #require(PickledTable(Data(bytes))?.numbers(in: "table")).count == count)
    }
}
