import Testing

@testable import RoostText

/// Tests of the hash function. The expected values are the test vectors of its authors.
struct FNV1aTests {
    @Test(
        arguments: [
            ("", 0xCBF2_9CE4_8422_2325, 0x811C_9DC5), ("a", 0xAF63_DC4C_8601_EC8C, 0xE40C_292C),
            ("foobar", 0x8594_4171_F739_67E8, 0xBF9C_F968),
        ] as [(String, UInt64, UInt32)])
    func `hashes are those of the specification`(text: String, expected: UInt64, short: UInt32) {
        #expect(FNV1a.hash(of: text.utf8) == expected)
        #expect(FNV1a.hash32(of: text.utf8) == short)
    }

    @Test func `a hash can be computed byte by byte and from another start`() {
        let bytes = (0...255).map { UInt8($0) }
        var hash = FNV1a.offsetBasis
        for (index, byte) in bytes.enumerated() {
            hash = FNV1a.appending(byte, to: hash)
            #expect(hash == FNV1a.hash(of: bytes[...index]))
        }
        #expect(FNV1a.hash(of: bytes[9...], from: FNV1a.hash(of: bytes[..<9])) == hash)
        // The features of the lexical model begin with the number of their kind.
        var expected: UInt64 = 0xCBF2_9CE4_8422_2325 ^ 3
        for byte in bytes { expected = (expected ^ UInt64(byte)) &* 0x100_0000_01B3 }
        #expect(FNV1a.hash(of: bytes, from: FNV1a.offsetBasis ^ 3) == expected)
    }
}
