import Testing

@testable import RoostText

@Suite struct TokenScannerTests {
    private func tokens(_ text: String) -> [(kind: Term.Kind, text: String, position: Int, isExtra: Bool)] {
        var (text, result) = (text, [(kind: Term.Kind, text: String, position: Int, isExtra: Bool)]())
        text.withUTF8 { utf8 in
            _ = TokenScanner.forEachToken(in: utf8) { token in
                result.append(
                    (
                        token.kind, String(decoding: utf8[token.range], as: UTF8.self), Int(token.position),
                        token.isOnlyForIndex
                    ))
                return true
            }
        }
        return result
    }

    private func texts(_ text: String, _ kind: Term.Kind) -> [String] {
        tokens(text).filter { $0.kind == kind }.map(\.text)
    }

    @Test(arguments: [
        ("git rebase --onto main", []), ("kubectl_get", ["kubectl_get"]), ("foo.bar()", ["foo.bar"]),
        ("C++ and C# code", ["C++", "C#"]), ("use std::vector here", ["std::vector"]),
        ("my__name and a#b", ["my__name"]), ("version 5.1.2.", ["5.1.2"]),
        ("anna@example.com", ["anna@example.com"]),
        ("an ordinary sentence. And another - with a dash", []), ("end.\nStart", []), ("a+b = c", []),
        ("... well", []), ("---", []), ("# Heading", []), ("x---y", []),
    ])
    func `identifiers are tokens with their punctuation`(text: String, expected: [String]) {
        #expect(tokens(text).filter { $0.kind == .verbatim && !$0.isExtra }.map(\.text) == expected)
    }

    @Test(arguments: [
        ("NSURLSession", ["NSURL", "Session"]), ("parseURLString", ["parse", "URL", "String"]),
        ("getUserID", ["get", "User", "ID"]), ("README", []), ("Paris", []), ("iPhone", ["Phone"]),
    ])
    func `texts are also indexed under the parts of words in camel case`(text: String, expected: [String]) {
        #expect(tokens(text).filter(\.isExtra).map(\.text) == expected)
        #expect(tokens(text).filter { !$0.isExtra }.map(\.text) == [text])
    }

    @Test func `lowered digits belong to words, and raised ones, as in notes, do not`() {
        #expect(texts("CO₂ and H₂O", .word) == ["CO₂", "and", "H₂O"])
        #expect(texts("80 m² of studies¹²", .word) == ["80", "m", "of", "studies"])
    }

    @Test func `an identifier has the position of its first word`() {
        let found = tokens("run kubectl_get --all now")
        #expect(found.filter { $0.kind == .word }.map(\.position) == [1, 2, 3, 4, 5])
        #expect(found.filter { $0.kind == .verbatim }.map(\.position) == [2])
    }

    @Test(arguments: [
        ("知识库", ["知识", "识库"]), ("猫", ["猫"]), ("コーヒー", ["コー", "ーヒ", "ヒー"]), ("東京へ", ["東京", "へ"]),
        ("食べる", ["食", "べる"]), ("고양이가", ["고양", "양이", "이가"]), ("ไทย", ["ไท", "ทย"]), ("ｶﾞｽ", ["ｶﾞｽ"]),
    ])
    func `scripts without spaces have pairs of characters`(text: String, expected: [String]) {
        #expect(tokens(text).filter { $0.kind == .gram && !$0.isExtra }.map(\.text) == expected)
    }

    @Test func `texts are also indexed under single Han characters`() {
        #expect(tokens("知识").filter(\.isExtra).map(\.text) == ["知", "识"])
    }

    @Test(arguments: [
        ("a 🙂 b", ["🙂"]), ("👩‍🚀 and 👍🏽", ["👩‍🚀", "👍🏽"]), ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]), ("€ → ∑", ["€", "→", "∑"]),
        ("★★★★", ["★"]), ("──┼──", []), ("a • b, c…", []), ("❤️!", ["❤️"]),
    ])
    func `symbols and emoji are words`(text: String, expected: [String]) {
        #expect(texts(text, .symbol) == expected)
    }

    @Test func `words agree with the word boundaries of Unicode in the standard library`() throws {
        let pieces = [
            "a", "B", "7", "'", "\u{2019}", " ", ",", "é", "e\u{301}", "я", "ё", "ع", "क",
            "ა",
            "\n", "\"", "!", "(", ")",
        ]
        var state: UInt64 = 11
        for _ in 0..<2000 {
            var text = ""
            for _ in 0..<(Int(state >> 60) + 1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            // An apostrophe between a letter and a digit is a boundary in Unicode, but "90's" is one word here.
            if text.contains(#/[0-9]['’]|['’][0-9]|[0-9],[0-9]/#) { continue }
            let expected = text.matches(of: #/\b[\w'’]+?\b/#).map { String($0.output) }
                .filter { $0.contains(#/[\p{L}\p{N}]/#) }
            let words = tokens(text).filter { $0.kind == .word && !$0.isExtra }.map(\.text)
            #expect(words == expected, "in \(text.debugDescription)")
        }
    }

    @Test func `any bytes are scanned in bounds`() {
        var state: UInt64 = 5
        for _ in 0..<3000 {
            var bytes: [UInt8] = []
            for _ in 0..<(Int(state >> 59) + 1) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(
                    [0x61, 0x2D, 0x5F, 0xE2, 0x80, 0x8D, 0xF0, 0x9F, 0xCC, 0xFF, 0x20, 0x2B, 0x2A, 0x41][
                        Int(state >> 33) % 14])
            }
            bytes.withUnsafeBufferPointer { utf8 in
                var end = 0
                _ = TokenScanner.forEachToken(in: utf8) { token in
                    #expect(token.range.lowerBound >= 0 && token.range.upperBound <= utf8.count)
                    #expect(!token.range.isEmpty)
                    end = max(end, token.range.upperBound)
                    return true
                }
                #expect(end <= utf8.count)
            }
        }
    }

    /// A minute is a hundred times as long as the analysis takes, and much less than it would take if the
    /// time grew with the square of the length.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "a", "aB", "a.", "a b ", "知", "の", "\u{301}", "👩\u{200D}", "🇩", "★", "-", "'", "l'", "--a ",
            "\u{FFFD}", "**a ", "=> ",
        ])
    func `a text of a megabyte without spaces is analyzed in linear time`(unit: String) {
        let text = "x" + String(repeating: unit, count: (1 << 20) / unit.utf8.count)
        var builder = InvertedIndexBuilder()
        builder.add(text)
        var collection = TextCollection()
        collection.parts = [TextPart(builder.finish())]
        let query = try? collection.resolved(TextQuery(String(text.prefix(10_000))), correctsSpelling: true)
        #expect(query != nil)
    }
}
