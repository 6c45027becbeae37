import Testing

@testable import RoostText

@Suite struct TermTests {
    private func key(_ word: String, _ language: TextLanguage = .english) -> String {
        String(decoding: Term(.word, word.utf8).key(in: language).prefix { $0 != 0 }, as: UTF8.self)
    }

    private func folded(_ word: String) -> String {
        String(decoding: WordFolding(word.utf8).folded, as: UTF8.self)
    }

    @Test func `words are folded without regard to case, form and diacritics`() {
        #expect(folded("Café") == "cafe" && folded("cafe\u{301}") == "cafe")
        #expect(folded("STRASSE") == folded("Straße"))
        #expect(folded("Ёлка") == "елка" && folded("ΣΊΣΥΦΟΣ") == folded("σίσυφος"))
        #expect(folded("ﬁle") == "file" && folded("ＡＢＣ") == "abc" && folded("ｶﾞｽ") == "ガス")
        #expect(folded("Łódź") == "lodz" && folded("Ærø") == "aero")
        #expect(folded("كِتَابٌ") == folded("كتاب") && folded("שָׁלוֹם") == folded("שלום"))
        #expect(folded("한글") == "한글", "Hangul syllables are not decomposed")
        #expect(folded("क्षमा") == "क्षमा", "vowel signs and viramas are kept")
        #expect(folded("don\u{2019}t") == "don't" && folded("soft\u{AD}hyphen") == "softhyphen")
        #expect(folded("❤️") == "❤" && folded("👍🏽") == folded("👍"))
    }

    @Test func `long words are cut between characters`() {
        #expect(folded(String(repeating: "x", count: 200)) == String(repeating: "x", count: 128))
        #expect(folded(String(repeating: "я", count: 200)) == String(repeating: "я", count: 64))
        #expect(folded("x" + String(repeating: "я", count: 200)) == "x" + String(repeating: "я", count: 63))
    }

    @Test func `the key of a word is its stem`() {
        #expect(key("Running") == "run" && key("RUNS") == "run")
        #expect(key("Häusern", .german) == key("Haus", .german) || key("Häusern", .german) == "haus")
        #expect(key("l'hirondelle", .french) == key("hirondelles", .french))
        #expect(key("l'hirondelle", .english) != key("hirondelle", .english))
        #expect(key("dell'acqua", .italian) == key("acqua", .italian))
        #expect(key("Ankara\u{2019}da", .turkish) == key("Ankara", .turkish))
        #expect(key("İstanbul'un", .turkish) == key("istanbul", .turkish))
        #expect(key("Ankara'da", .english) != key("Ankara", .english))
    }

    @Test func `equal stems in different languages have different keys`() {
        let term = Term(.word, "news".utf8)
        #expect(term.key(in: .german) != Term(.word, "new".utf8).key(in: .english))
        #expect(
            term.key(in: .german) == Term(.word, "neu".utf8).key(in: .german)
                || term.key(in: .german).last == TextLanguage.german.rawValue)
        #expect(Term(.verbatim, "foo.bar".utf8).key(in: .german) == Array("foo.bar".utf8))
    }

    @Test func `the words of a query come with the forms of their identifiers`() {
        let terms = Term.terms(of: "NSURLSession and foo.bar()")
        let found = terms.map { "\($0.kind) \(String(decoding: $0.word, as: UTF8.self)) \($0.offset)" }
        #expect(
            found == [
                "word nsurlsession 0", "word and 1", "word foo 2", "word bar 3", "verbatim foo.bar 2",
            ])
        #expect(Term.terms(of: "知识库").map(\.offset) == [0, 1])
    }
}
