import Foundation
import Testing

@testable import RoostFiles

/// Tests of hexadecimal digits, which are part of the formats of all storages. The expected texts are
/// computed by the functions of the standard library.
struct HexadecimalTests {
    private let bytes = (0...255).map { UInt8($0) }

    @Test func `all bytes have two digits`() {
        let lower = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(Hexadecimal.text(bytes) == lower.joined())
        #expect(Hexadecimal.text(bytes) == bytes.map { String(format: "%02x", $0) }.joined())
        #expect(Hexadecimal.bytes(lower.joined()) == bytes)
        for text in ["0", "0g", "+1", "AB", "00 ", "é"] { #expect(Hexadecimal.bytes(text) == nil, "\(text)") }
        #expect(Hexadecimal.text([]) == "")
    }

    @Test(arguments: [0, 1, 15, 16, 0xFFFF, 0x1_0000, .max] as [UInt32])
    func `a number has zeros in front`(number: UInt32) {
        let text = Hexadecimal.text(number, count: 8)
        #expect(text == String(format: "%08x", number))
        // A number with more digits is not cut.
        #expect(Hexadecimal.text(number, count: 1) == String(number, radix: 16))
        let digits = String(UInt64(number) << 32, radix: 16)
        let padded = String(repeating: "0", count: 16 - digits.count) + digits
        #expect(Hexadecimal.text(UInt64(number) << 32, count: 16) == padded)
    }
}
