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
        let corrector = SpellingCorrector(collection(texts, parts: parts).parts, among: nil)
        var corrected = 0
        for _ in 0..<150 {
            var typed = Array(words[random.next(words.count)].unicodeScalars.map(\.value))
            typed[random.next(typed.count)] = UInt32(97 + random.next(5))
            typed.insert(UInt32(97 + random.next(5)), at: random.next(typed.count))
            let utf8 = typed.map { UInt8($0) }
            guard !words.contains(String(decoding: utf8, as: UTF8.self)) else { continue }
            let nearest = words.map { distance(typed, $0.unicodeScalars.map(\.value)) }.min() ?? 9
            let found = corrector.correction(of: utf8).map { distance(typed, $0.map(UInt32.init)) }
            #expect(found == (nearest <= (typed.count < 8 ? 1 : 2) ? nearest : nil))
            if found != nil { corrected += 1 }
        }
        #expect(corrected > 50)
    }

    private func corrections(_ query: String, in texts: [String]) throws -> [String] {
        try collection(texts).resolved(TextQuery(query), correctsSpelling: true).corrections
            .map { "\($0.original) \($0.corrected)" }
    }

    @Test func `unknown words are corrected and known words are not`() throws {
        let texts = [
            "deploy to kubernetes", "kubernetes and git", "the git rebase", "Fahrräder und Brötchen",
            "тесто для хлеба", "корка хлеба", "нож для хлеба", "the reds",
        ]
        #expect(try corrections("kuberentes", in: texts) == ["kuberentes kubernetes"])
        #expect(try corrections("deploying rebased", in: texts) == [])
        #expect(try corrections("kbernetes rebse", in: texts) == ["kbernetes kubernetes", "rebse rebase"])
        #expect(try corrections("Brötchn", in: texts) == ["brötchn brotchen"])
        #expect(try corrections("хледа", in: texts) == ["хледа хлеба"])
        #expect(try corrections("\"kuberentes\" kubern* x123", in: texts) == [])
        #expect(try corrections("zzzzzzzz gti", in: texts) == [])
    }

    @Test func `the smallest distance decides, and then the number of texts`() throws {
        let texts = ["a heron", "a heron", "a hero", "barn", "barn", "bars"]
        #expect(try corrections("heronn", in: texts) == ["heronn heron"])
        #expect(try corrections("barx", in: texts) == ["barx barn"])
    }

    @Test func `only visible texts decide about corrections`() throws {
        let texts = ["the rendezvous is secret", "deploy to kubernetes", "a lighthuose", "the lighthouse"]
        let collection = collection(texts)
        func corrections(_ query: String, hiding hidden: Set<Int>) throws -> [String] {
            let visible = VisibleDocuments { !hidden.contains($1) }
            return try collection.resolved(TextQuery(query), correctsSpelling: true, among: visible)
                .corrections.map(\.corrected)
        }
        #expect(try corrections("rendezvuos", hiding: []) == ["rendezvous"])
        #expect(try corrections("rendezvuos", hiding: [0]) == [])
        #expect(try corrections("rendezvuos", hiding: [1]) == ["rendezvous"])
        // A hidden text with the word as it is written does not prevent a correction.
        #expect(try corrections("lighthuose", hiding: []) == [])
        #expect(try corrections("lighthuose", hiding: [2]) == ["lighthouse"])
    }

    @Test func `a word that is spelled correctly is kept, even if no text contains it`() throws {
        let collection = collection(["the gaps between the boards", "a visor holds the board"])
        let query = try collection.resolved(
            TextQuery("vison bords"), correctsSpelling: true, unless: ["vison"].contains)
        #expect(query.corrections.map(\.corrected) == ["boards"])
        #expect(query.plainText == "vison boards")
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
