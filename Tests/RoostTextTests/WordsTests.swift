import Testing

@testable import RoostText

@Suite struct WordsTests {
    private func reference(_ text: String) -> [Range<Int>] {
        let scalars = Array(text.unicodeScalars)
        func isSeparateWord(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2FA1F: true
            default: false
            }
        }
        func isWord(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark:
                true
            default: false
            }
        }
        var ranges: [Range<Int>] = []
        var offset = 0
        var start: Int?
        for (index, scalar) in scalars.enumerated() {
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            let isInside = start != nil && (scalar == "'" || scalar == "\u{2019}")
            let belongs = isWord(scalar) || (isInside && isWord(next) && !isSeparateWord(next))
            if let begun = start, !belongs || isSeparateWord(scalar) {
                ranges.append(begun..<offset)
                start = nil
            }
            if belongs, start == nil { start = offset }
            offset += UTF8.width(scalar)
            if isSeparateWord(scalar), let begun = start {
                ranges.append(begun..<offset)
                start = nil
            }
        }
        if let start { ranges.append(start..<offset) }
        return ranges
    }

    @Test func `words match the definition`() {
        let pieces = [
            "a", "B", "7", "'", "\u{2019}", " ", "-", "_", "é", "e\u{301}", "я", "\u{94D}", "क", "知", "か",
            "가", "𝒳", "🙂", "\u{0}", "\u{FFFD}", "ﬁ", "\n", "\"", "\u{20000}",
        ]
        var state: UInt64 = 7
        for _ in 0..<3000 {
            var text = ""
            for _ in 0..<(Int(state >> 60) + 1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            #expect(Words(text).map(\.utf8Range) == reference(text), "in \(text.debugDescription)")
        }
        #expect(
            Words("Don\u{2019}t stop, O'Neill: 知识!").map(\.folded) == ["don't", "stop", "o'neill", "知", "识"])
    }
}

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

@Suite struct PartitioningIndexTests {
    @Test func `every boundary in collections of every small size is found`() {
        for count in 0..<40 {
            for boundary in 0...count {
                #expect((0..<count).partitioningIndex { $0 >= boundary } == boundary)
            }
        }
    }

    @Test func `the index of a slice is that of its collection`() {
        let slice = [1, 3, 3, 5, 9][1..<4]
        #expect(slice.partitioningIndex { $0 > 0 } == 1)
        #expect(slice.partitioningIndex { $0 > 3 } == 3)
        #expect(slice.partitioningIndex { $0 > 5 } == 4)
    }

    @Test func `the number of tests is logarithmic`() {
        var tests = 0
        let index = (0..<1_000_000).partitioningIndex { number in
            tests += 1
            return number >= 999_999
        }
        #expect(index == 999_999)
        #expect(tests <= 20)
    }
}
