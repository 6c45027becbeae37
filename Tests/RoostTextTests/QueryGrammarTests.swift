import TestSupport
import Testing

@testable import RoostText

/// Tests of the grammar of queries: `"phrase"`, `-word`, `prefix*` and `field:word`.
@Suite struct QueryGrammarTests {
    /// Returns the conditions of a query, each as `[-][field:]words[*]`.
    private func conditions(_ query: String) -> [String] {
        TextQuery(query).conditions.map { condition in
            let words =
                switch condition.clause {
                case .phrase(let terms):
                    terms.map { String(decoding: $0.word, as: UTF8.self) }.joined(separator: " ")
                case .prefix(let prefix): String(decoding: prefix, as: UTF8.self) + "*"
                }
            return (condition.isExcluded ? "-" : "") + (condition.field.map { "\($0.rawValue):" } ?? "")
                + words
        }
    }

    @Test(arguments: [
        ("\"dry dock\" boats", ["dry dock"], "dry dock boats"),
        ("\u{201C}dry dock\u{201D}", ["dry dock"], "dry dock"),
        ("boats -rain", ["-rain"], "boats"), ("boats -\"dry dock\"", ["-dry dock"], "boats"),
        ("boats -state-of-the-art", ["-state of the art"], "boats"), ("sea* boats", [], "sea boats"),
        ("boats -sto*", ["-sto*"], "boats"), ("title:moon phases", ["title:moon"], "moon phases"),
        ("path:notes/2024-05.md", ["path:notes 2024 05 md"], "notes/2024-05.md"),
        ("tag:\"old maps\"", ["tags:old maps"], "old maps"), ("title:moo*", ["title:moo*"], "moo"),
        ("x -tag:old", ["-tags:old"], "x"), ("x -title:\"old map\"", ["-title:old map"], "x"),
        ("\"C++\" code", ["c++"], "C++ code"),
    ])
    func `operators require, exclude and complete words`(
        query: String, expected: [String], plain: String
    ) {
        #expect(conditions(query) == expected)
        #expect(TextQuery(query).plainText == plain)
    }

    @Test(arguments: [
        "git rebase -i", "git add -p", "-5", "balance -300 EUR", "a - b", "--onto main", "-€50", "-- -",
        "state-of-the-art paint", "say \"unfinished", "-\"unfinished", "title:\"unfinished", "5 * 3", "?!",
        "title: a note", "untitle:x", "http://example.com", "it's", "\\-word", "*",
    ])
    func `everything else is text`(query: String) {
        #expect(conditions(query).isEmpty && TextQuery(query).exclusions.isEmpty)
        #expect(TextQuery(query).plainText == query)
    }

    @Test func `exclusions are reported as they were entered`() {
        let query = TextQuery("planets -Saturn -\"dry dock\" -title:moons -bre*")
        #expect(query.exclusions == ["Saturn", "dry dock", "title:moons", "bre"])
        #expect(query.plainText == "planets" && !query.isOnlyExclusion)
        #expect(TextQuery("-saturn -\"dry dock\"").isOnlyExclusion)
    }

    @Test func `a repeated condition is applied once, and their number is limited`() {
        #expect(TextQuery("title:a title:a tag:a title:b").conditions.count == 3)
        let words = (0..<31).map { "-word\($0)" }.joined(separator: " ")
        #expect(TextQuery("x " + words).conditions.count == 31)
        // A longer query is a pasted text.
        let text = "x y " + words
        #expect(TextQuery(text).conditions.isEmpty && TextQuery(text).plainText == text)
    }

    @Test func `every combination of operators is a query`() {
        var generator = Seeded(state: 7)
        let parts = [
            "-", "--", "\"", "“", "”", "*", ":", "title:", "-tag:", "\\", " ", "\n", "\0", "\u{1B}[31m", "a",
            "bc", "longword", "猫", "\u{301}", "🐦", "5",
        ]
        for _ in 0..<400 {
            let count = Int(generator.next() % 12)
            let text = (0..<count).map { _ in parts[Int(generator.next() % UInt64(parts.count))] }.joined()
            let query = TextQuery(text)
            // Only a query that is empty or consists of exclusions has nothing to search for.
            let isBlank = query.plainText.allSatisfy(\.isWhitespace)
            #expect(
                !isBlank || query.isOnlyExclusion || text.allSatisfy(\.isWhitespace),
                "\(text.debugDescription)")
        }
    }

    @Test func `a long query is parsed in linear time`() {
        for part in ["\"", "-\"", "-word ", "title:\"", "“", "title:a ", "-a\"", "\\"] {
            let text = String(repeating: part, count: 200_000 / part.count)
            let query = TextQuery(text)
            #expect(query.scoring.count <= TextQuery.maximumClauses)
            #expect(query.conditions.count <= TextQuery.maximumClauses)
        }
    }
}

@Suite struct TextQueryTests {
    private func scoring(_ query: String) -> [String] {
        TextQuery(query).scoring.map { clause in
            let count = clause.count
            return switch clause.clause {
            case .phrase(let terms):
                terms.map { String(decoding: $0.word, as: UTF8.self) }.joined(separator: "+") + " \(count)"
            case .prefix(let word): String(decoding: word, as: UTF8.self) + "* \(count)"
            }
        }
    }

    @Test func `the words outside of exclusions contribute to the score`() {
        #expect(
            scoring("boats \"paint the roof\" -rain -\"dry dock\" sea* -sto*") == [
                "boats 1", "paint 1", "the 1", "roof 1", "sea* 1",
            ])
        #expect(
            scoring("state-of-the-art paint") == ["state 1", "art 1", "state-of-the-art 1", "paint 1"])
        #expect(!TextQuery("?! *").hasWords)
    }

    @Test func `stop words count only if the query contains nothing else`() {
        #expect(scoring("who is the one") == ["who 1", "is 1", "the 1", "one 1"])
        #expect(scoring("who is the painter") == ["painter 1"])
        #expect(scoring("boat boats boat") == ["boat 2", "boats 1"])
    }
}
