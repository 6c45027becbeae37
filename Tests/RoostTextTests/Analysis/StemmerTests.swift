import Testing

@testable import RoostText

@Suite struct StemmerTests {
    private func stem(_ word: String, _ language: TextLanguage) -> String {
        String(decoding: Stemmer.stem(Array(word.utf8), in: language), as: UTF8.self)
    }

    /// Two inflected forms of a word for each language with a stemmer.
    private static let pairs: [(TextLanguage, String, String)] = [
        (.arabic, "كتابان", "كتاب"), (.basque, "mendiak", "mendian"), (.catalan, "gats", "gat"),
        (.danish, "husene", "huset"), (.dutch, "boeken", "boek"), (.english, "connections", "connected"),
        (.finnish, "talossa", "talosta"), (.french, "continuellement", "continuelle"),
        (.german, "häuser", "häusern"), (.greek, "δρόμοι", "δρόμος"), (.hindi, "लड़कियाँ", "लड़कियों"),
        (.hungarian, "házakban", "házak"), (.indonesian, "bukunya", "buku"), (.irish, "chathair", "cathair"),
        (.italian, "ragazzi", "ragazzo"), (.lithuanian, "namai", "namas"), (.norwegian, "husene", "huset"),
        (.portuguese, "meninos", "menino"), (.romanian, "copiilor", "copii"), (.russian, "книги", "книга"),
        (.serbian, "кућама", "куће"), (.spanish, "gatos", "gato"), (.swedish, "flickorna", "flicka"),
        (.turkish, "evler", "ev"), (.armenian, "քաղաքներ", "քաղաք"), (.nepali, "केटाहरू", "केटा"),
        (.tamil, "வீடுகள்", "வீடு"), (.yiddish, "שיינע", "שיינער"),
    ]

    @Test(arguments: pairs.map(\.0))
    func `inflected forms of a word have the same stem`(language: TextLanguage) throws {
        let pair = try #require(Self.pairs.first { $0.0 == language })
        #expect(pair.1 != pair.2)
        #expect(stem(pair.1, language) == stem(pair.2, language))
    }

    @Test func `every language of the enumeration with a stemmer is installed`() {
        let stemmed = TextLanguage.allCases.filter { $0.stemmerName != nil }
        #expect(stemmed.count == 28)
        for language in stemmed { #expect(Stemmer.isInstalled(language), "\(language)") }
    }

    @Test func `a language without a stemmer leaves words unchanged`() {
        #expect(stem("domami", .czech) == "domami")
        #expect(stem("", .english) == "")
    }

    @Test func `many threads can stem words at the same time`() async {
        let words = (0..<200).map { "connection\($0 % 7 == 0 ? "s" : "")" }
        let expected = words.map { _ in "connect" }
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { words.map { stem($0, .english) } } }
            for await stems in group { #expect(stems == expected) }
        }
    }
}
