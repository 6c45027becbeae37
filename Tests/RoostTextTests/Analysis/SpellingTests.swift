import Foundation
import TestSupport
import Testing

@testable import RoostText

@Suite struct SpellingTests {
    private struct Random {
        var state: UInt64
        mutating func next(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % below
        }
    }

    /// Returns the distance by the recurrence of optimal string alignment.
    private func distance(_ first: [UInt32], _ second: [UInt32]) -> Int {
        var table = (0...first.count).map { row in
            (0...second.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 }
        }
        guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
        for row in 1...first.count {
            for column in 1...second.count {
                let cost = first[row - 1] == second[column - 1] ? 0 : 1
                var value = min(
                    table[row - 1][column] + 1, table[row][column - 1] + 1,
                    table[row - 1][column - 1] + cost)
                if row > 1, column > 1, first[row - 1] == second[column - 2],
                    first[row - 2] == second[column - 1]
                {
                    value = min(value, table[row - 2][column - 2] + 1)
                }
                table[row][column] = value
            }
        }
        return table[first.count][second.count]
    }

    @Test func `distances and prefixes agree with the definition`() {
        var random = Random(state: 3)
        func word() -> [UInt32] { (0..<(1 + random.next(7))).map { _ in UInt32(97 + random.next(3)) } }
        for _ in 0..<60 {
            let typed = word()
            let words = (0..<200).map { _ in word() }.sorted { $0.lexicographicallyPrecedes($1) }
            for maximum in 1...2 {
                var edits = SpellingEdits(of: typed, maximumDistance: maximum)
                for word in words {
                    let expected = distance(typed, word)
                    switch edits.compare(word) {
                    case .distance(let found): #expect(found == expected && found <= maximum)
                    case .distant: #expect(expected > maximum)
                    case .distantPrefix(let length):
                        for other in words where other.starts(with: word.prefix(length)) {
                            #expect(distance(typed, other) > maximum)
                        }
                    }
                }
            }
        }
    }

    private func collection(_ texts: [String], parts: Int = 1) -> TextCollection {
        var collection = TextCollection()
        for part in 0..<parts {
            var builder = InvertedIndexBuilder()
            for (index, text) in texts.enumerated() where index % parts == part { builder.add(text) }
            collection.parts.append(TextPart(builder.finish()))
        }
        return collection
    }

    @Test(arguments: [1, 3])
    func `no other word of the texts is closer than the corrected word`(parts: Int) throws {
        var random = Random(state: 8)
        let words = Set(
            (0..<3000).map { _ in
                String(
                    (0..<(4 + random.next(6))).map { _ in
                        Character(Unicode.Scalar(UInt8(97 + random.next(5))))
                    })
            }
        ).sorted()
        // Enough texts contain each word for every error to be corrected.
        let texts = (0..<6).flatMap { _ in words }
        let corrector = SpellingCorrector(collection(texts, parts: parts).parts, languages: [])
        var corrected = 0
        for _ in 0..<150 {
            var typed = Array(words[random.next(words.count)].unicodeScalars.map(\.value))
            typed[random.next(typed.count)] = UInt32(97 + random.next(5))
            typed.insert(UInt32(97 + random.next(5)), at: random.next(typed.count))
            let utf8 = typed.map { UInt8($0) }
            guard !words.contains(String(decoding: utf8, as: UTF8.self)) else { continue }
            let nearest = words.map { word in
                (distance(typed, word.unicodeScalars.map(\.value)), word.utf8.first == utf8.first)
            }
            let found = corrector.correction(of: utf8)
            if nearest.contains(where: { $0.0 == 1 }) {
                #expect(found?.distance == 1)
            } else if typed.count >= 8, nearest.contains(where: { $0.0 == 2 && $0.1 }) {
                #expect(found?.distance == 2)
            } else {
                #expect(found == nil)
            }
            if found != nil { corrected += 1 }
        }
        #expect(corrected > 50)
    }

    private func corrections(_ query: String, in texts: [String]) throws -> [String] {
        try collection(texts).resolved(TextQuery(query), correctsSpelling: true).corrections
            .map { "\($0.original) \($0.corrected) \($0.isUnknown)" }
    }

    @Test func `unknown words are corrected and known words are not`() throws {
        let texts = [
            "deploy to kubernetes", "kubernetes and git", "the git rebase", "Fahrräder und Brötchen",
            "тесто для хлеба", "корка хлеба", "нож для хлеба", "the reds",
        ]
        #expect(try corrections("kuberentes", in: texts) == ["kuberentes kubernetes true"])
        #expect(try corrections("deploying rebased", in: texts) == [])
        #expect(
            try corrections("kbernetes rebse", in: texts) == [
                "kbernetes kubernetes true", "rebse rebase true",
            ])
        #expect(try corrections("gti", in: texts) == ["gti git true"])
        #expect(try corrections("gat", in: texts) == [], "a substitution in a short word is no typing error")
        #expect(try corrections("Brötchn", in: texts) == ["brötchn brotchen true"])
        #expect(try corrections("хледа", in: texts) == ["хледа хлеба true"])
        #expect(try corrections("\"kuberentes\" kubern* -gti x123", in: texts) == [])
        #expect(try corrections("zzzzzzzz", in: texts) == [])
        #expect(
            try corrections("redis", in: texts) == [], "one text with a similar short word is no evidence")
    }

    @Test func `a vowel in place of another is corrected to a word that one text contains`() throws {
        let texts = ["A kestrel hovers over the field", "Grammar and style"]
        #expect(try corrections("kestral", in: texts) == ["kestral kestrel true"])
        #expect(try corrections("grammer", in: texts) == ["grammer grammar true"])
        // A consonant in place of another is less likely.
        #expect(try corrections("kestrem", in: texts) == [])
    }

    @Test func `a short word lacks a letter only of a frequent word`() throws {
        func texts(_ count: Int) -> [String] {
            ["Der Weg und die Brücke sind alt"] + (0..<count).map { "Es gilt das Haus \($0) und den Weg" }
        }
        #expect(try corrections("git", in: texts(9)) == [])
        #expect(try corrections("git", in: texts(10)) == ["git gilt true"])
        // Two transposed letters are evidence, because few words consist of the same letters.
        #expect(try corrections("Wge", in: texts(1)) == ["wge weg true"])
    }

    @Test func `words of a query in another language are not corrected to English words`() throws {
        let english = (0..<12).map { "a wide cache of commits and letters \($0)" }
        let query = "wie mache ich den letzten Commit rückgängig"
        #expect(try corrections(query, in: english) == [])
        #expect(try corrections("mache", in: english) == ["mache cache true"])
        // Long words are similar only to names and loanwords, and short ones to words of the language.
        let german = (0..<12).map { "Ich mache es und wir haben nur den Kuchen \($0)" }
        #expect(
            try corrections("wie backe ich den Kuhcen mit kubernets", in: german + english + ["kubernetes"])
                == ["kuhcen kuchen true", "kubernets kubernetes true"])
    }

    @Test func `a written umlaut is corrected, even if one text contains the word`() throws {
        let texts = ["Die Fähren fahren und der Weg ist nicht weit"]
        #expect(try corrections("faehren", in: texts) == ["faehren fahren true"])
    }

    @Test func `a misspelled word that has the stem of a known word is corrected`() throws {
        let texts = ["an example and an instance", "postgres and examples of tables", "er hat einen Hund"]
        #expect(try corrections("exampl", in: texts) == ["exampl example true"])
        #expect(try corrections("instanc postgrs", in: texts).count == 2)
        // Inflected forms are not misspelled, even if only another form occurs, or if the texts are German.
        #expect(try corrections("table instances hunde examples", in: texts) == [])
        let forms = ["a prefix and prefixed names", "indexed columns", "replied to all", "planning"]
        #expect(try corrections("prefixes indexes replies planned", in: forms) == [])
        let query = try collection(texts).resolved(TextQuery("exampl"), correctsSpelling: true)
        #expect(query.plainText == "example")
        #expect(try collection(texts).ranked(query, limit: 9) { $0.document < $1.document }.count == 2)
        // An identifier with another form is no evidence for the word; one with the word itself is.
        #expect(try corrections("exampl", in: texts + ["runExample"]) == ["exampl example true"])
        #expect(try corrections("exampl", in: texts + ["run_exampl"]) == [])
    }

    @Test func `only visible texts decide about corrections`() throws {
        let texts =
            [
                "the rendezvous is secret", "deploy to kubernetes", "parseSignal of the radio",
                "a lighthuose",
                "the lighthouse keeper",
            ] + (0..<90).map { "note \($0) about the database" } + (0..<3).map { "databse \($0)" }
        var collection = collection(texts)
        func corrections(_ query: String, hiding hidden: Set<Int>) throws -> [String] {
            let visible = VisibleDocuments { !hidden.contains($1) }
            return try collection.resolved(TextQuery(query), correctsSpelling: true, among: visible)
                .corrections.map { "\($0.corrected) \($0.isUnknown)" }
        }
        let query = "rendezvuos"
        #expect(try corrections(query, hiding: []) == ["rendezvous true"])
        #expect(try corrections(query, hiding: [0]) == [])
        #expect(try corrections(query, hiding: [1]) == ["rendezvous true"])
        // A hidden text with the word as it is written, also in an identifier, does not prevent a correction.
        #expect(try corrections("lighthuose", hiding: []) == [])
        #expect(try corrections("lighthuose", hiding: [3]) == ["lighthouse true"])
        #expect(try corrections("signall parseSignl", hiding: [2]) == [])
        #expect(try corrections("databas", hiding: []) == ["database true"])
        #expect(try corrections("rendezvou", hiding: [0]) == [])
        // Neither a hidden text nor a removed one counts as a text with a rare word.
        #expect(try corrections("databse", hiding: []) == [])
        #expect(try corrections("databse", hiding: [95]) == ["database false"])
        #expect(try corrections("databse", hiding: [95, 96, 97]) == ["database true"])
        collection.parts[0].remove(96)
        collection.parts[0].remove(97)
        #expect(try corrections("databse", hiding: [95]) == ["database true"])
        #expect(try corrections("databse", hiding: Set(5..<95)) == [])
    }

    @Test func `a word that is spelled correctly is kept, even if no text contains it`() throws {
        let collection = collection(["the gaps between the boards", "a vise holds the board"])
        let known: Set = ["gas", "visa"]
        let query = try collection.resolved(
            TextQuery("gas visa bords"), correctsSpelling: true, unless: known.contains)
        #expect(query.corrections.map(\.corrected) == ["boards"])
        #expect(query.plainText == "gas visa boards")
        // Not even a word that most texts contain is more likely.
        let many = (0..<200).map { "\($0) string" } + ["a spring", "gaps"]
        for query in ["spring", "birds return in sprig", "gas"] {
            let resolved = try self.collection(many).resolved(
                TextQuery(query), correctsSpelling: true, unless: ["spring", "sprig", "gas"].contains)
            #expect(resolved.corrections.isEmpty && resolved.plainText == query)
        }
    }

    @Test func `a word that almost no text contains is searched for in addition to its correction`() throws {
        var texts = (0..<100).map { "note \($0) about the database" }
        texts.append("a typo: databse")
        let query = try collection(texts).resolved(TextQuery("databse"), correctsSpelling: true)
        #expect(
            query.corrections == [
                TextCorrection(original: "databse", corrected: "database", isUnknown: false)
            ])
        let found = try collection(texts).ranked(query, limit: 200) { $0.document < $1.document }
        #expect(found.count == 101 && found.first?.document == 100)
        #expect(query.plainText == "databse")
    }

    @Test func `the text for the embedding model contains the corrected words`() throws {
        let collection = collection(["deploy to kubernetes"])
        let query = try collection.resolved(TextQuery("Kuberentes, deploy?"), correctsSpelling: true)
        #expect(query.plainText == "kubernetes, deploy?")
        let exact = try collection.resolved(TextQuery("Kuberentes, deploy?"), correctsSpelling: false)
        #expect(exact.plainText == "Kuberentes, deploy?" && exact.corrections.isEmpty)
    }

    @Test func `one error in a frequent word of the notes is nearly always corrected`() throws {
        let file = Fixtures.folder.appendingPathComponent("notes/notes.jsonl")
        let texts = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        var frequencies: [String: Int] = [:]
        for text in texts {
            for word in Set(Words(text).map(\.folded))
            where word.utf8.count >= 5 && word.utf8.allSatisfy({ (97...122).contains($0) }) {
                if !StopWords.english.contains(word) { frequencies[word, default: 0] += 1 }
            }
        }
        let frequent = frequencies.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(80).map(\.key)
        let collection = collection(texts)
        var random = Random(state: 21)
        var right = 0
        for word in frequent {
            var typed = Array(word)
            let offset = 1 + random.next(word.count - 2)
            switch random.next(3) {
            case 0: typed.remove(at: offset)
            case 1: typed.swapAt(offset, offset - 1)
            default: typed.insert(typed[offset], at: offset)
            }
            let query = try collection.resolved(TextQuery(String(typed)), correctsSpelling: true)
            if String(typed) == word || query.corrections.first?.corrected == word { right += 1 }
        }
        #expect(right >= 72, "\(right) of \(frequent.count)")
    }
}
