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

    @Test func `many threads can stem words at the same time`() async {
        let words = (0..<200).map { "connection\($0 % 7 == 0 ? "s" : "")" }
        let expected = words.map { _ in "connect" }
        await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { words.map { stem($0, .english) } } }
            for await stems in group { #expect(stems == expected) }
        }
    }
}

@Suite struct TextLanguagesTests {
    @Test(arguments: [
        ("The swifts came back in May and nest under the roof of the church.", TextLanguage.english),
        ("Die Mauersegler sind im Mai zurückgekehrt und nisten unter dem Dach.", .german),
        ("Les martinets sont revenus en mai et nichent sous le toit de l'église.", .french),
        ("Los vencejos han vuelto en mayo y anidan bajo el tejado de la iglesia.", .spanish),
        ("I rondoni sono tornati a maggio e fanno il nido sotto il tetto della chiesa.", .italian),
        (
            "Os andorinhões voltaram em maio e fazem o ninho no telhado da igreja, mas não na torre.",
            .portuguese
        ),
        ("De gierzwaluwen zijn in mei teruggekomen en broeden onder het dak van de kerk.", .dutch),
        ("Tornseglarna kom tillbaka i maj och häckar under taket på kyrkan, men inte i tornet.", .swedish),
        ("Mursejlerne kom tilbage i maj og yngler nu under taget på kirken, men ikke i tårnet.", .danish),
        (
            "Tervapääskyt ovat palanneet toukokuussa ja ne pesivät kirkon katon alla, mutta ei tornissa.",
            .finnish
        ),
        (
            "A sarlósfecskék májusban tértek vissza, és a templom teteje alatt fészkelnek, de nem a toronyban.",
            .hungarian
        ),
        ("Jerzyki wróciły w maju i gnieżdżą się pod dachem kościoła, ale nie na wieży.", .polish),
        (
            "Ebabiller mayıs ayında geri döndü ve kilisenin çatısında yuva yapıyor, ama bu kulede değil.",
            .turkish
        ),
        ("kubectl get pods | grep error", .english), ("", .english), ("die hard", .english),
    ])
    func `the language of a Latin text is detected`(text: String, language: TextLanguage) {
        #expect(TextLanguages(of: text).latin == language)
    }

    @Test func `languages that share an alphabet are distinguished`() {
        #expect(TextLanguages(of: "Ласточки вернулись в начале мая").cyrillic == .russian)
        #expect(
            TextLanguages(of: "Ластівки повернулися на початку травня і звили гнізда").cyrillic == .ukrainian)
        #expect(TextLanguages(of: "پرستوها در آغاز بهار بازگشتند و لانه ساختند که این را").arabic == .persian)
        #expect(TextLanguages(of: "عادت طيور السنونو في بداية الربيع").arabic == .arabic)
    }

    @Test(arguments: [
        ("Někdo musí zítra koupit chleba", TextLanguage.czech), ("Każdy musi kiedyś wrócić", .polish),
        ("Ogni mattina possiamo fare colazione", .italian), ("Alguien debería comprar pan", .spanish),
        ("Alla måste komma tillbaka", .swedish), ("Ingen må komme tilbake", .norwegian),
        ("Jemand sollte heute Brot kaufen", .german), ("Semua orang harus membeli roti", .indonesian),
        ("Herkes sadece ekmek almak ister", .turkish), ("Alguém deve comprar pão", .portuguese),
        ("Jokaisen pitää joskus palata", .finnish), ("Mindenki szeret néha olvasni", .hungarian),
    ])
    func `a short sentence is recognized by its pronouns, adverbs and auxiliary verbs`(
        text: String, language: TextLanguage
    ) {
        #expect(TextLanguages(of: text).latin == language)
    }

    @Test func `a text has a language for each of its alphabets`() {
        let languages = TextLanguages(of: "Читаю книгу «The Art of Computer Programming» и делаю заметки")
        #expect(languages.cyrillic == .russian && languages.latin == .english)
    }

    @Test func `a query is in a language of the store`() {
        #expect(TextLanguages(ofQuery: "la tomate", among: [.english, .french]).latin == .french)
        #expect(TextLanguages(ofQuery: "die hard", among: [.english]).latin == .english)
    }

    @Test func `the lists of stop words contain words as texts are folded`() {
        for (language, words) in StopWords.byLanguage {
            for word in words {
                #expect(WordFolding(word.utf8).spelling == Array(word.utf8), "\(word) of \(language)")
            }
        }
    }
}
