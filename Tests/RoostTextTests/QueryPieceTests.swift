import TestSupport
import Testing

@testable import RoostText

@Suite struct QueryPieceTests {
    @Test(arguments: ["git rebase -i", "git add -p", "ls -5", "git commit -m", "cd -P"])
    func `a hyphen before one or two characters is text`(query: String) {
        let parsed = TextQuery(query)
        #expect(parsed.exclusions.isEmpty && !parsed.isSelective)
        #expect(parsed.plainText == query)
    }

    @Test(arguments: ["-1.00", "-0.0", "-1E2", "-2024", "balance -300 EUR"])
    func `a hyphen before a digit is text`(query: String) {
        let parsed = TextQuery(query)
        #expect(parsed.exclusions.isEmpty && parsed.plainText == query)
        #expect(TextQuery("-title:2024 -Infinity").exclusions == ["title:2024", "Infinity"])
    }

    @Test func `exclusions are reported as they were entered`() {
        let query = TextQuery("planets -Saturn -\"dry dock\" -title:moons -bre* -猫")
        #expect(query.exclusions == ["Saturn", "dry dock", "title:moons", "bre*", "猫"])
        #expect(query.plainText == "planets" && !query.isOnlyExclusion)
        #expect(TextQuery("-saturn -\"dry dock\"").isOnlyExclusion)
        #expect(TextQuery("-title:saturn").isOnlyExclusion)
        #expect(!TextQuery("-…").isOnlyExclusion)
    }

    @Test func `emoji and operators can be excluded, and other symbols after a hyphen are text`() {
        let query = TextQuery("rocket --not 🚀 -🌱 title:🎉 --not =>")
        #expect(query.exclusions == ["🚀", "🌱", "=>"] && query.plainText == "rocket 🎉")
        #expect(query.fieldConditions.map(\.field) == [.title])
        #expect(TextQuery(exclusionsIn: "rocket --not 🚀").exclusions == ["🚀"])
        #expect(TextQuery.escapedExclusions("rocket --not 🚀") == "rocket \\--not 🚀")
        let text = "price -€50 -→ x --not …"
        #expect(TextQuery(text).exclusions.isEmpty && TextQuery(text).plainText == text)
    }

    @Test func `an excluded word after another word may be text`() {
        let query = TextQuery("git commit -amend \"a b\" -long title:x -other")
        #expect(query.doubtfulExclusions == ["commit -amend", "b -long"])
        #expect(query.exclusions == ["amend", "long", "other"])
        let kept = TextQuery("git commit -amend -long", keepingAsText: ["commit -amend"])
        #expect(kept.exclusions == ["long"] && kept.plainText == "git commit -amend")
        #expect(TextQuery("-amend commit").doubtfulExclusions.isEmpty)
        #expect(TextQuery("commit -\"amend\"").doubtfulExclusions.isEmpty)
    }

    @Test func `only --not is an operator of a search by meaning`() {
        let query = TextQuery(exclusionsIn: "undo \"a b\" -long --not saturn title:x --not \"old  map\" end")
        #expect(query.exclusions == ["saturn", "old  map"] && query.isSelective && !query.hasWords)
        #expect(query.plainText == "undo \"a b\" -long  title:x  end")
        let plain = TextQuery(exclusionsIn: "-saturn \"a --not b\"")
        #expect(!plain.isSelective && plain.plainText == "-saturn \"a --not b\"")
        let escaped = TextQuery.escapedExclusions("git log --not main -x")
        #expect(escaped == "git log \\--not main -x")
        #expect(TextQuery(exclusionsIn: escaped).plainText == "git log --not main -x")
        #expect(!TextQuery(exclusionsIn: escaped).isSelective)
        for text in ["\"git log --not main\"", "git \\--not main", "a --not --not b", "a --not \\--not b"] {
            let query = TextQuery(exclusionsIn: TextQuery.escapedExclusions(text))
            #expect(query.plainText == text && !query.isSelective)
        }
        #expect(TextQuery(exclusionsIn: "--not \",\"").plainText == "--not \",\"")
        #expect(TextQuery(exclusionsIn: "--not saturn").isOnlyExclusion)
    }

    @Test func `two hyphens are text`() {
        let query = TextQuery("git rebase --onto main")
        #expect(query.plainText == "git rebase --onto main" && !query.isSelective)
    }

    @Test func `fields restrict words, phrases and prefixes`() throws {
        let query = TextQuery("title:sourdough path:\"notes baking\" tag:bread* -tags:old starter")
        #expect(query.fieldConditions.map(\.field) == [.title, .path, .tags, .tags])
        #expect(query.fieldConditions.map(\.isExcluded) == [false, false, false, true])
        #expect(query.plainText == "sourdough notes baking bread starter")
        #expect(query.isSelective)
        func matches(_ query: String, _ fields: [TextField: String]) throws -> Bool {
            var builder = InvertedIndexBuilder()
            builder.add(IndexedText("sourdough notes baking bread old", fields: fields))
            var collection = TextCollection()
            collection.parts = [TextPart(builder.finish())]
            let resolved = try collection.resolved(TextQuery(query), correctsSpelling: false)
            return try collection.allowed(by: resolved) == [[true]]
        }
        #expect(try matches("title:sourdough", [.title: "Feeding sourdoughs"]))
        #expect(try !matches("title:sourdough", [.title: "Feeding", .headings: "sourdough"]))
        #expect(try matches("path:\"notes baking\"", [.path: "/home/notes/baking/a.md"]))
        #expect(try !matches("path:\"notes baking\"", [.path: "/baking/notes\nbaking"]))
        #expect(try matches("path:*.md", [.path: "/notes/baking/a.md"]))
        #expect(try matches("path:baking/*.md", [.path: "/notes/baking/a.md"]))
        #expect(try !matches("path:baking/*.txt", [.path: "/notes/baking/a.md"]))
        #expect(try matches("path:*aki*", [.path: "/notes/akita.md"]))
        #expect(try matches("path:baking/aki*.md", [.path: "/notes/baking/akita.md"]))
        #expect(try matches("path:baking/aki*", [.path: "/notes/baking/akita.md"]))
        #expect(try !matches("path:baking/kit*.md", [.path: "/notes/baking/akita.md"]))
        #expect(try matches("path:notes/2024-0*.md", [.path: "/notes/2024-05.md"]))
        #expect(try matches("path:notes/2024-0*", [.path: "/notes/2024-05.md"]))
        #expect(try matches("path:notes/my_fi*.md", [.path: "/notes/my_file.md"]))
        #expect(try matches("path:notes/2024-*.md", [.path: "/notes/2024-05.md"]))
        #expect(try !matches("path:notes/2024-0*.md", [.path: "/notes/2024-12.md"]))
        #expect(try !matches("path:notes/2024-0*.md", [.path: "/notes/2023-05.md"]))
        #expect(try !matches("path:notes/2024-0*.md", [.path: "/2024/notes/05.md"]))
        #expect(try !matches("path:notes/2024-05-0*", [.path: "/notes/2024-05-13.md"]))
        #expect(try matches("path:notes/2024-05-0*", [.path: "/notes/2024-05-09.md"]))
        #expect(try matches("path:2024-05-*", [.path: "/notes/2024-05-09.md"]))
        #expect(try matches("text -path:notes/2024-05-0*", [.path: "/notes/2024-05-13.md"]))
        #expect(try !matches("path:notes/2024-0*", [.path: "/notes/2024-12/05.md"]))
        #expect(try !matches("path:notes/old-plann*", [.path: "/notes/old-plans.md"]))
        #expect(try matches("path:notes/old-plann*", [.path: "/notes/old-planning.md"]))
        #expect(try matches("tag:work/al*", [.tags: "work/alpha"]))
        #expect(try !matches("tag:work/al*", [.tags: "work/beta\nalpha"]))
        #expect(try !matches("text -path:notes/2024-0*.md", [.path: "/notes/2024-05.md"]))
        #expect(try matches("text -path:notes/2024-0*.md", [.path: "/notes/2024-12.md"]))
        #expect(try !matches("path:.md", [.path: "/notes/baking/a.md"]))
        #expect(try !matches("text -path:*.md", [.path: "/notes/baking/a.md"]))
        #expect(try matches("text -path:*.txt", [.path: "/notes/baking/a.md"]))
        #expect(try !matches("text -path:baking/*.md", [.path: "/notes/baking/a.md"]))
        #expect(try matches("text -path:baking/*.txt", [.path: "/notes/baking/a.md"]))
        #expect(try matches("text -path:hiking/*.md", [.path: "/notes/baking/a.md"]))
        #expect(try !matches("text -path:notes/*aki*.md", [.path: "/notes/akita.md"]))
        #expect(try matches("tag:bread*", [.tags: "breadmaking"]))
        #expect(try !matches("tag:bread*", [.tags: "a bre", .title: "breads"]))
        #expect(try !matches("sourdough -tags:old", [.tags: "old"]))
        #expect(try matches("sourdough -tags:old", [.tags: "gold"]))
    }

    @Test(arguments: ["title: a note", "untitle:x", "http://example.com", "title:", "subtitle:a", "title:!!"])
    func `other colons are text`(query: String) {
        #expect(TextQuery(query).fieldConditions.isEmpty && !TextQuery(query).isSelective)
    }

    @Test(
        arguments: [
            "-saturn", "\"dry dock\"", "title:x -y", "bre*", "say \"hello", "a\\-b", "\\-x", "\\\\-x", "-",
            "--",
            "“quoted”", " spaces  and\nlines ", "C:\\dir", "tag:\"a b\"", "*", "",
        ])
    func `an escaped text has no operators`(text: String) {
        let query = TextQuery(TextQuery.escaped(text))
        #expect(!query.isSelective && query.exclusions.isEmpty && query.doubtfulExclusions.isEmpty)
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(query.plainText == (words.isEmpty ? text : words))
        #expect(!query.scoring.contains { if case .prefix = $0.clause { true } else { false } })
    }

    @Test(arguments: ["-\"saturn rings", "title:\"saturn", "say \"saturn", "-“saturn", "tag:“a b"])
    func `an unbalanced quotation mark is text`(query: String) {
        let parsed = TextQuery(query)
        #expect(!parsed.isSelective && parsed.exclusions.isEmpty && parsed.plainText == query)
    }

    @Test func `a backslash without an operator is text`() {
        #expect(TextQuery("\\alpha \\sum").plainText == "\\alpha \\sum")
    }

    @Test func `any number of backslashes is text`() {
        let text = String(repeating: "\\", count: 200_000)
        #expect(TextQuery(text).plainText == text && TextQuery.escaped(text) == text)
        #expect(TextQuery("\\" + text + "-x").plainText == text + "-x")
        #expect(TextQuery.escaped(text + "-x") == "\\" + text + "-x")
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
            #expect(TextQuery(TextQuery.escaped(text)).exclusions.isEmpty, "\(text.debugDescription)")
        }
    }

    @Test func `a repeated condition is applied once`() {
        #expect(TextQuery("title:a title:a tag:a path:*a*a title:b").fieldConditions.count == 5)
        let query = TextQuery("x -path:" + String(repeating: "*a*b", count: 500))
        #expect(query.fieldConditions.first?.clauses.count == 3 && query.exclusions.count == 1)
    }

    @Test func `a long query is parsed in linear time`() {
        for part in ["\"", "-\"", "-word ", "title:\"", "“", "\\-a ", "title:a ", "-a\""] {
            let text = String(repeating: part, count: 20_000 / part.count)
            let query = TextQuery(text)
            #expect(query.scoring.count <= TextQuery.maximumClauses)
            #expect(query.fieldConditions.count <= TextQuery.maximumClauses)
        }
    }

    @Test func `the conditions on fields have a limited number of words in total`() {
        let pattern = (0..<1000).map { "w\($0)" }.joined(separator: "*")
        let query = TextQuery("x -path:\(pattern) -path:other*\(pattern) -path:last")
        #expect(query.fieldConditions.map(\.clauses.count) == [1000, 1])
        #expect(query.exclusions == ["path:\(pattern)", "path:last"])
        #expect(query.omittedWords == 1001)
        let exclusions = TextQuery("x " + (0..<1030).map { "-word\($0)" }.joined(separator: " "))
        #expect(exclusions.exclusions.count == TextQuery.maximumClauses && exclusions.omittedWords == 6)
        let tags = TextQuery((0..<1030).map { "tag:t\($0) tag:t\($0)" }.joined(separator: " "))
        #expect(tags.fieldConditions.count == TextQuery.maximumClauses)
    }

    @Test(arguments: ["tag:", "-title:", "path:a*", "-path:b*"])
    func `a long query of different conditions is parsed in linear time`(part: String) {
        func duration(_ part: String) -> Duration {
            let count = (1 << 20) / (part.utf8.count + 7)
            let text = (0..<count).map { "\(part)\(100_000 + $0) " }.joined()
            return ContinuousClock().measure {
                let query = TextQuery(text)
                #expect(query.omittedWords > 0 && query.fieldConditions.count <= TextQuery.maximumClauses)
            }
        }
        // A comparison of each condition with all others takes more than 30 times as long as exclusions
        // without conditions.
        #expect(duration(part) < duration("-word") * 12)
    }
}
