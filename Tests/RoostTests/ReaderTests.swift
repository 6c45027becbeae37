import Foundation
import RoostDocuments
import RoostModel
import TestSupport
import Testing

@testable import Roost

@Suite(.temporaryFolders) struct ReaderTests {
    @Test(arguments: [
        ("*.md", "a.md", true), ("*.md", "b/a.md", false), ("**/*.md", "a.md", true),
        ("**/*.md", "b/c/a.md", true),
        ("a/**", "a/b/c", true), ("a?c", "abc", true), ("a?c", "a/c", false), ("[a-c]x", "bx", true),
        ("[!a-c]x", "bx", false), ("a*b*c", "aXXbYYc", true), ("a*b*c", "aXXc", false), ("", "", true),
        ("\\*", "*", true), ("**/", "a/", true),
        ("a/**/b", "a/b", true), ("a/***/b", "a/c/d/b", true), ("**", "a/b", true),
        // Asterisks next to other characters than slashes match within a name.
        ("a**b", "axxb", true), ("a**b", "a/b", false), ("**b", "a/b", false), ("a/**b", "a/c/b", false),
        ("a**/b", "ax/b", true), ("a**/b", "ab", false), ("a**/b", "a/c/b", false),
    ])
    func `glob patterns match paths`(pattern: String, path: String, isMatch: Bool) {
        #expect(GlobPattern(pattern).matches(path) == isMatch)
    }

    @Test(arguments: [
        ("[", "[", true), ("[a", "[a", true), ("[]", "[]", true), ("[]a]", "]", true), ("[!]a]", "b", true),
        ("[!]a]", "]", false), ("[!]", "[!]", true), ("[c-a]", "b", false), ("[a-]", "-", true),
        ("[^a]", "/", false), ("a\\", "a\\", true), ("***", "a/b", true), ("[[]]", "[]", true),
    ])
    func `brackets form sets if they are closed`(pattern: String, path: String, isMatch: Bool) {
        #expect(GlobPattern(pattern).matches(path) == isMatch)
    }

    @Test(.timeLimit(.minutes(1))) func `many open brackets are read in linear time`() {
        let brackets = String(repeating: "[", count: 200_000)
        #expect(!GlobPattern(brackets).matches("a"))
        #expect(GlobPattern("*" + brackets + "]").matches("a["))
    }

    @Test(arguments: [
        ("drafts", ["drafts", "a/drafts", "a/drafts.md/"], [true, true, false]),
        ("drafts/", ["drafts/", "a/drafts/", "drafts", "drafts/a"], [true, true, false, false]),
        ("/drafts", ["drafts", "drafts/", "a/drafts"], [true, true, false]),
        ("./drafts", ["drafts/", "a/drafts"], [true, false]),
        ("/a/drafts/", ["a/drafts/", "a/drafts", "drafts/"], [true, false, false]),
        ("a/*.md", ["a/b.md", "c/a/b.md"], [true, false]),
    ])
    func `patterns have the forms of gitignore`(pattern: String, paths: [String], expected: [Bool]) {
        let form = PathPattern(pattern)
        // A slash at the end of a path marks a folder here.
        let found = paths.map { path in
            form.matches(path.hasSuffix("/") ? String(path.dropLast()) : path, isFolder: path.hasSuffix("/"))
        }
        #expect(found == expected, "\(pattern)")
    }

    @Test func `ignore files exclude and include paths`() {
        let rules = IgnoreRules("*.log\n!keep.log\nbuild/\n/top\n# note\ndocs/*.txt\n")
        #expect(rules.ignores("a/b.log", isFolder: false) == true)
        #expect(rules.ignores("a/keep.log", isFolder: false) == false)
        #expect(rules.ignores("x/build", isFolder: true) == true)
        #expect(rules.ignores("x/build", isFolder: false) == nil)
        #expect(rules.ignores("top", isFolder: false) == true)
        #expect(rules.ignores("a/top", isFolder: false) == nil)
        #expect(rules.ignores("docs/a.txt", isFolder: false) == true)
    }

    @Test(arguments: [
        ("*.{key,pem}", true), ("a}", true), ("\\\\{a", true), ("\\{a\\}", false), ("*.key", false),
    ])
    func `patterns with braces are refused, except in ignore files`(pattern: String, isRefused: Bool) throws {
        let folder = try TemporaryFolder().url
        for finder in [FileFinder(globs: [pattern]), FileFinder(exclusions: ["drafts", pattern])] {
            let result = Result { try finder.find(folder) }
            guard case .failure(let error) = result else {
                #expect(!isRefused)
                continue
            }
            #expect(isRefused && (error as? RoostError)?.code == .badInput)
        }
        #expect(IgnoreRules("{a}\n").ignores("{a}", isFolder: false) == true)
    }

    @Test(arguments: [
        ("a ", ["a", "a "], [true, false]), ("   ", [" ", "a"], [false, false]),
    ])
    func `spaces at the end of a line of an ignore file do not count`(
        line: String, names: [String], expected: [Bool]
    ) {
        let rules = IgnoreRules(line + "\n")
        #expect(names.map { rules.ignores($0, isFolder: false) == true } == expected)
    }

    @Test func `a search for files ends when it is canceled`() throws {
        let root = try TemporaryFolder().url
        for name in ["a", "b", "c"] {
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent(name), withIntermediateDirectories: false)
        }
        var enteredFolders = 0
        #expect(throws: CancellationError.self) {
            _ = try FileFinder().find(root) {
                enteredFolders += 1
                return enteredFolders == 3
            }
        }
        #expect(enteredFolders == 3)
    }

    @Test(arguments: [
        ("text;year\n\"a; b, c\";1999\n", ";"), ("text,year\na;b,1\n", ","), ("text\na;b\n", ","), ("", ","),
        ("\"a, b\";text\n", ";"), ("\"a;b;c\",text\n", ","), ("name;size, mm;year\n", ";"),
        ("sep=;\ntext,a,b;c\n", ";"), ("sep=,\r\na;b;text,c\n", ","), ("sep=|\na,b|text\n", "|"),
        ("sep=;a,b,text\n", ","),
    ])
    func `the header determines the separator of a CSV file`(text: String, separator: Character) {
        #expect(DelimitedRows.separator(of: text) == separator)
    }

    @Test func `line ends of all systems are recognized`() throws {
        let text = "{\"id\":1,\"text\":\"one\"}\r\n\r\n{\"id\":2,\"text\":\"two\"}\r\n"
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let drafts = try reader.jsonLines(text).entries
        #expect(drafts.map(\.content) == ["one", "two"])
        #expect(drafts.map(\.location) == ["line 1", "line 3"])
        let rows = try reader.jsonLines("{\"text\":\"a\"}\r\n{\r\n")
        #expect(rows.entries.map(\.content) == ["a"] && rows.skipped.map(\.source) == ["t, line 2"])
        #expect(rows.skipped[0].reason.hasPrefix("it is not valid JSON: expected a string"))
    }

    @Test func `numbers whose digits no number type keeps stay texts`() throws {
        let integers = [
            "12345678901234567890", "-9223372036854775809", "1" + String(repeating: "0", count: 400),
        ]
        let fractions = ["1234567890123456.789", "0.1234567890123456789"]
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        for number in integers + fractions {
            let row = try reader.jsonLines("{\"id\":\(number),\"text\":\"a\",\"n\":[\(number)]}").entries[0]
            #expect(row.key == "id:\(number)" && row.metadata["n"] == [.string(number)])
        }
        for (number, value) in [
            ("9223372036854775807", .integer(.max)), ("1e3", 1000), ("0.10", 0.1),
            ("0.30000000000000004", .number(0.1 + 0.2)),
            ("0.10000000000000000000", 0.1), ("1.5e300", 1.5e300),
        ] as [(String, MetadataValue)] {
            #expect(
                try reader.jsonLines("{\"text\":\"a\",\"n\":\(number)}").entries[0].metadata["n"] == value)
        }
    }

    @Test func `the message about a byte that is no text names its line`() async throws {
        let file = try TemporaryFolder().url.appendingPathComponent("table.csv")
        let text = "id,text\n1,M\u{FC}ller\n2,one".utf8 + [0xFF] + " byte\n3,Gr\u{F6}\u{DF}e\n".utf8
        try Data(text).write(to: file)
        let error = await #expect(throws: RoostError.self) { try await RecordReader().read(file) }
        #expect(
            error?.message.contains("table.csv: line 3 is not valid UTF-8") == true,
            "\(String(describing: error))")
    }

    @Test func `tags and dates are read from texts in rows`() throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let day = Date(timeIntervalSince1970: 1_741_910_400)
        let objects = try reader.jsonLines(
            """
            {"text": "a", "tags": "energy", "date": "2025-03-14"}
            {"text": "b", "tags": ["x y"], "created_at": "2025-03-14", "date": "2024-01-01"}
            {"text": "c", "tags": 5, "created": 1741910400, "modified": "someday"}
            {"text": "d", "created": 7}
            """
        ).entries
        #expect(objects.map(\.tags) == [["energy"], ["x y"], [], []])
        #expect(objects.map(\.createdAt) == [day, day, day, nil])
        #expect(objects.allSatisfy { $0.updatedAt == nil })
        #expect(objects[0].metadata == ["tags": "energy", "date": "2025-03-14"])
        let rows = try reader.table(
            "text,tags,updated\na,\"scifi, #classic,,scifi\",2025-03-14\nb,bread;rye starter,\n",
            separator: ",")
        #expect(rows.entries.map(\.tags) == [["scifi", "classic"], ["bread", "rye starter"]])
        #expect(rows.entries.map(\.updatedAt) == [day, nil])
        #expect(rows.entries[1].metadata["tags"] == "bread;rye starter")
    }

    @Test func `a line that states the separator is not a row`() throws {
        for text in ["sep=;\ntext;year\na, b;1999\n", "sep=;\r\ntext;year\r\na, b;1999\r\n"] {
            let rows = try DelimitedRows.all(";", of: text, name: "t")
            #expect(rows.map(\.fields) == [["text", "year"], ["a, b", "1999"]])
            #expect(rows.map(\.line) == [2, 3] && rows.map(\.number) == [1, 2])
        }
    }

    @Test(arguments: [
        // A number above 12 states the order for the column.
        (["02/03/2023", "31/01/2023"], ["2023-03-02", "2023-01-31"]),
        (["02/03/2023", "01/31/2023 18:30"], ["2023-02-03", "2023-01-31"]),
        (["2-3-2023", "13-3-2023"], ["2023-03-02", "2023-03-13"]),
        // No order, and two different ones
        (["02/03/2023", "04/05/2023"], [nil, nil]), (["13/03/2023", "03/13/2023"], [nil, nil]),
        // Dates in other forms do not state it, and an invalid one stays unclear.
        (["2023-03-31", "02/03/2023"], ["2023-03-31", nil]),
        (["31/02/2023", "28/02/2023"], [nil, "2023-02-28"]),
    ])
    func `the order of day and month follows from the whole column`(texts: [String], days: [String?]) throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let table = "text,date,updated\n" + texts.map { "a,\($0),\n" }.joined()
        let lines = texts.map { "{\"text\": \"a\", \"date\": \"\($0)\", \"updated\": null}\n" }.joined()
        for rows in [try reader.table(table, separator: ","), try reader.jsonLines(lines)] {
            #expect(rows.entries.map { $0.createdAt.map { DateText.day(of: $0) } } == days)
            let count = days.count { $0 == nil }
            #expect(rows.notices.map(\.count) == (count == 0 ? [] : [count]))
            #expect(
                rows.notices.allSatisfy {
                    $0.reason.hasPrefix("the date of \(count) row") && $0.reason.contains("column date")
                })
        }
    }

    @Test func `rows in UTF-8 that was read as Latin-1 are repaired, and reported`() throws {
        let reader = RowReader(textColumn: nil, idColumn: nil, name: "t")
        let lines =
            #"{"text": "caf\u00c3\u00a9", "author": {"name": "Zo\u00c3\u00ab"}, "tags": ["a"]}"# + "\n"
        let rows = try reader.jsonLines(lines)
        #expect(rows.entries.map(\.content) == ["café"] && rows.notices.map(\.reason) == [LatinRepair.notice])
        #expect(rows.entries.first?.metadata == ["author": ["name": "Zoë"]])
        let mixed = try reader.jsonLines(lines + #"{"text": "Möwe"}"#)
        #expect(mixed.entries.first?.content == "caf\u{C3}\u{A9}" && mixed.notices.isEmpty)
    }

    @Test func `the fixture files are read or refused`() async throws {
        let odd = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/odd")
        let reader = RecordReader()
        for (name, words) in [("binary.txt", "binary"), ("none", "No such")] {
            let error = await #expect(throws: RoostError.self) {
                try await reader.read(odd.appendingPathComponent(name))
            }
            #expect(error?.message.contains(words) == true)
        }
        for (name, location) in [("broken.jsonl", "line 2"), ("ragged.csv", "row 3 (line 3)")] {
            let draft = try await reader.read(odd.appendingPathComponent(name))
            #expect(draft.entries.count == 1 && draft.skipped.count == 1)
            #expect(draft.skipped[0].source.hasSuffix("\(name), \(location)"))
        }
        let latin = try await reader.read(odd.appendingPathComponent("latin1.txt"))
        #expect(latin.entries.count == 1 && !latin.entries[0].content.contains("\u{FFFD}"))
        let marked = try await reader.read(odd.appendingPathComponent("bom.md"))
        #expect(marked.entries[0].content.hasPrefix("# Marked"))
        let table = try await reader.read(odd.appendingPathComponent("table.csv"))
        #expect(table.entries.map(\.key) == ["id:1", "id:2"])
        let found = try FileFinder().find(odd)
        #expect(found.files.contains { $0.lastPathComponent == "deep.md" })
        #expect(found.skipped.contains { $0.reason.contains("symbolic link") })
    }

    @Test func `the id of a missing file is its former id`() throws {
        let folder = try TemporaryFolder().url
        let (real, link) = (folder.appendingPathComponent("real"), folder.appendingPathComponent("link"))
        try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
        for name in ["a.md", "50% of #1; é?.md", "e\u{301}.md"] {
            let file = link.appendingPathComponent(name)
            try Data().write(to: file)
            let former = RecordReader.sourceID(file)
            try FileManager.default.removeItem(at: file)
            #expect(RecordReader.sourceID(file) == former)
            #expect(former == RecordReader.sourceID(real.appendingPathComponent(name)))
        }
        let missing = RecordReader.sourceID(link.appendingPathComponent("none/none/a.md"))
        #expect(missing == RecordReader.folderID(real) + "none/none/a.md")
        let root = folder.appendingPathComponent("root")
        try FileManager.default.createSymbolicLink(
            at: root, withDestinationURL: URL(fileURLWithPath: "/", isDirectory: true))
        let belowRoot = RecordReader.sourceID(root.appendingPathComponent("none/a.md"))
        #expect(belowRoot == "file:///none/a.md")
    }

    @Test(.timeLimit(.minutes(1))) func `the path of a missing file can have any length`() {
        let path = "/none" + String(repeating: "/a", count: 50_000)
        #expect(RecordReader.sourceID(URL(fileURLWithPath: path)) == "file://" + path)
    }
}

/// Tests of quotation marks in tables with tabs, which many programs write without quoting.
@Suite struct TabbedTableTests {
    private func fields(_ text: String) throws -> [[String]] {
        let rows = try DelimitedRows.all("\t", of: text, name: "table").map(\.fields)
        // The result does not depend on the pieces in which a file is read.
        for size in [1, 3] {
            let bytes = Data(text.utf8)
            var reader = DelimitedRows(separator: "\t", name: "table") { offset, _ in
                bytes.dropFirst(offset).prefix(size)
            }
            var found: [[String]] = []
            while let row = try reader.next() { found.append(row.fields) }
            #expect(found == rows, "\(size)")
        }
        return rows
    }

    @Test(arguments: [
        ("a\tb\n\"x\" y\t1\n2\t3\n", [["a", "b"], ["\"x\" y", "1"], ["2", "3"]]),
        ("a\tb\n\"x\t1\n2\t3\n", [["a", "b"], ["\"x", "1"], ["2", "3"]]),
        ("a\tb\n1\t\"x\n2\t5\"\n3\t4\n", [["a", "b"], ["1", "\"x"], ["2", "5\""], ["3", "4"]]),
        ("a\tb\n1\t\"x\n2\t\"y\" z\n", [["a", "b"], ["1", "\"x"], ["2", "\"y\" z"]]),
        ("a\tb\n1\t\"x\r\n2\t5\"", [["a", "b"], ["1", "\"x"], ["2", "5\""]]),
        ("\"a\tb\n1\t2\n", [["\"a", "b"], ["1", "2"]]),
    ])
    func `quotation marks are text`(text: String, expected: [[String]]) throws {
        #expect(try fields(text) == expected)
    }

    @Test func `a quoted field of other tables is closed, and its line is named`() throws {
        let error = #expect(throws: RoostError.self) {
            try DelimitedRows.all(",", of: "a,b\n1,2\n3,\"x\n4,5\n", name: "table.csv")
        }
        #expect(error?.message.contains("the quoted field that begins on line 3 is not closed") == true)
        let rows = try RowReader(textColumn: nil, idColumn: nil, name: "table.csv")
            .table("id,text\n1,a\n2,\"b\n3,c\n4,d\"\n5,e\n", separator: ",")
        #expect(rows.entries.map(\.content) == ["a", "b\n3,c\n4,d", "e"])
        let joined = try RowReader(textColumn: nil, idColumn: nil, name: "table.csv")
            .table("id,text\n1,a\n\"2,b\n3,c\"\n5,e\n", separator: ",")
        #expect(joined.entries.map(\.content) == ["a", "e"])
        #expect(joined.skipped.first?.source == "table.csv, row 3 (lines 3 to 4)")
        #expect(joined.skipped.first?.reason.contains("a quotation mark in these lines") == true)
    }
}

extension DelimitedRows {
    static func all(_ separator: Character, of text: String, name: String) throws -> [Row] {
        let bytes = Data(text.utf8)
        var reader = DelimitedRows(separator: separator, name: name) { bytes.dropFirst($0).prefix($1) }
        var rows: [Row] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }
}
