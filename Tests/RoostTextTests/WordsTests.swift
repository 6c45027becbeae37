import Testing

@testable import RoostText

@Suite struct WordsTests {
    /// Returns the words according to the definition, scalar by scalar.
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
