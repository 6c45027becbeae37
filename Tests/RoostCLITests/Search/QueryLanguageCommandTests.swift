import Foundation
import TestSupport
import Testing

/// Tests of the queries that `roost query` accepts.
@Suite(.temporaryFolders) struct QueryLanguageCommandTests {
    private let cli = CommandLineDriver()

    private func prepare() throws {
        let notes = [
            "git.md": "# Undoing\n\nRun git commit --amend to change it; git commit -all stages everything.",
            "rebase.md": "# History\n\nAn interactive rebase: git rebase -i main. I like it.",
            "planets.md": "# Planets\n\nSaturn has rings, and Jupiter has moons. The planets shine.",
            "moons.md": "# Moons\n\nThe moons of Jupiter are planets of their own.",
            "baking/sourdough.md": "---\ntags: [bread]\n---\n# Feeding the starter\n\nFlour and water.",
        ]
        for (name, text) in notes {
            let file = cli.home.appendingPathComponent("notes/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let rows = #"{"text": "A tagged row about the sea.", "title": "Harbour", "tags": ["deep-sea"]}"#
        try Data(rows.utf8).write(to: cli.home.appendingPathComponent("notes/rows.jsonl"))
        #expect(try cli.roost("init", ".roost", "--model", "lexical").status == 0)
        #expect(try cli.roost("ingest", "notes").status == 0)
    }

    @Test func `a query that is only a date names the filter for dates`() throws {
        try prepare()
        let file = cli.home.appendingPathComponent("notes/standup.md")
        try Data("---\ndate: 2025-03-14\n---\n# Standup\n\nAnna fixes the billing bug.".utf8).write(to: file)
        #expect(try cli.roost("ingest", "notes").status == 0)
        for (query, date) in [("2025-03-14", "2025-03-14"), ("date:2025-03", "2025-03")] {
            let outcome = try cli.roost("query", query)
            let hint = "`roost list --since \(date) --until \(date)` lists the entries of this date"
            #expect(outcome.status == 1 && outcome.error.contains(hint), "\(outcome.error)")
            let list = try cli.roost("list", "--since", date, "--until", date)
            #expect(list.output.contains("Standup") && !list.output.contains("Undoing"), "\(list.output)")
        }
        for query in ["what did I do on 14 March 2025", "zebra of 2025-3-14"] {
            let outcome = try cli.roost("query", query)
            let hint = "`roost list --since 2025-03-14 --until 2025-03-14`"
            #expect(outcome.status == 1 && outcome.error.contains(hint), "\(outcome)")
        }
        for query in ["2025-13-14", "2025-02-31", "2025-3-14", "2025-03-14-01", "zebra"] {
            #expect(try !cli.roost("query", query).error.contains("--since"), "\(query)")
        }
    }

    /// Returns the names of the files that a query finds.
    private func files(_ arguments: String..., input: String = "") throws -> [String] {
        let outcome = try cli.roost(["query", "--all", "-l"] + arguments, input: input)
        #expect([0, 1].contains(outcome.status), "\(arguments): \(outcome.error)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: "/").last ?? "") }
    }

    @Test func `words need no quotes, and unknown options are text`() throws {
        try prepare()
        #expect(try files("git", "commit", "--amend").first == "git.md")
        #expect(try files("git", "rebase", "-i").first == "rebase.md")
        #expect(try files("git", "rebase", "--mode", "text", "-i", "-n1") == ["rebase.md"])
        #expect(try files("--mode=text", "-n5", "saturn", "--limit", "1") == ["planets.md"])
        let wrong = try cli.roost("query", "saturn", "--limit", "x")
        #expect(wrong.status == 64 && wrong.error.contains("--limit"))
        #expect(try cli.roost("query", "--help").output.contains("title:word"))
    }

    @Test func `exclusions are reported`() throws {
        try prepare()
        let found = try cli.roost("query", "--all", "-l", "planets", "-saturn")
        #expect(found.output.contains("moons.md") && !found.output.contains("planets.md"))
        #expect(found.error.contains("excluding: saturn; quote it to search for it"), "\(found.error)")
        let several = try cli.roost("query", "--all", "-l", "planets", "-saturn", "--not", "of their own")
        #expect(several.error.contains("excluding: of their own, saturn; quote a word"), "\(several.error)")
        #expect(!several.output.contains("moons.md") && !several.output.contains("planets.md"))
        let option = try cli.roost("query", "--all", "planets", "--not", "saturn")
        #expect(option.error.contains("excluding: saturn\n"), "\(option.error)")
        let batch = try cli.roost("query", "--batch", "-", input: "planets -saturn\n")
        #expect(batch.error.contains("line 1: excluding: saturn"), "\(batch.error)")
        let nothing = try cli.roost("query", "--mode", "vector", "--not", "x")
        #expect(nothing.status == 64, "\(nothing)")
        let only = try cli.roost("query", "-saturn")
        #expect(only.status == 64 && only.error.contains("only excluded words"), "\(only.error)")
        #expect(only.error.contains("`roost query -- -saturn`"), "\(only.error)")
        #expect(try cli.roost("query", "--all", "-l", "--", "-saturn").output.contains("planets.md"))
        let quoted = try cli.roost("query", "--all", "planets", "-\"of their own\"")
        #expect(quoted.error.contains("excluding: of their own; everything after --"), "\(quoted.error)")
    }

    @Test func `a word with a hyphen is text if an entry contains it after the word before it`() throws {
        try prepare()
        let text = try cli.roost("query", "--all", "-l", "commit", "-all")
        #expect(text.output.contains("git.md") && !text.error.contains("excluding"), "\(text.error)")
        // The entry contains "commit -all", but neither "git -all" nor "commit -al".
        let excluded = try cli.roost("query", "--all", "-l", "git", "-everything")
        #expect(excluded.error.contains("excluding: everything") && !excluded.output.contains("git.md"))
        #expect(
            try cli.roost("query", "--all", "-l", "commit", "-stages").error.contains("excluding: stages"))
        let batch = try cli.roost("query", "--batch", "-", "--all", input: "git commit -all\n")
        #expect(!batch.error.contains("excluding"))
    }

    @Test func `everything after two hyphens is text`() throws {
        try prepare()
        let found = try cli.roost("query", "--all", "-l", "planets", "--", "-saturn", "--json", "\"no such\"")
        #expect(found.status == 0 && !found.error.contains("excluding"))
        #expect(found.output.contains("planets.md"), "\(found.output)\(found.error)")
        #expect(try cli.roost("query", "--all", "--", "-saturn").status == 0)
        #expect(try cli.roost("query", "--all", "--mode", "vector", "--", "-saturn").status == 0)
    }

    @Test func `fields restrict the result`() throws {
        try prepare()
        #expect(try files("title:moons").sorted() == ["moons.md"])
        #expect(try files("path:baking", "flour") == ["sourdough.md"])
        #expect(try files("tag:sea") == ["rows.jsonl"] && files("title:harbour") == ["rows.jsonl"])
        #expect(try !files("jupiter", "-title:moons").contains("moons.md"))
        let none = try cli.roost("query", "title:nowhere")
        #expect(none.status == 1, "\(none.error)")
        #expect(none.error.contains("no entry has 'nowhere' in its title"), "\(none.error)")
        let untagged = try cli.roost("query", "jupiter", "--tag", "nosuch")
        #expect(untagged.status == 1 && untagged.error.contains("no entry has the tag 'nosuch'"))
    }

    @Test func `a phrase that no entry contains is searched for by its words`() throws {
        try prepare()
        let found = try cli.roost("query", "-l", "-n1", "--mode", "text", "\"jupiter has rings\" saturn")
        #expect(found.status == 0 && found.output.contains("planets.md"), "\(found.error)")
        #expect(
            found.error.contains("no entry contains \"jupiter has rings\"; searching for its words"),
            "\(found.error)")
    }

    @Test func `words of paths and tags are excluded and required`() throws {
        try prepare()
        #expect(try files("planets", "flour", "row", "-baking").contains("sourdough.md") == false)
        #expect(try files("\"notes baking\"") == ["sourdough.md"])
        #expect(try files("\"deep sea\"") == ["rows.jsonl"])
        #expect(try files("row", "flour", "--not", "deep sea").contains("rows.jsonl") == false)
        let typo = try cli.roost("query", "--all", "-l", "sourduogh")
        #expect(
            typo.error.contains("no entry contains 'sourduogh'; searching for 'sourdough' instead"),
            "\(typo.error)")
    }

    @Test func `the query can be read from standard input`() throws {
        try prepare()
        #expect(try files("-", "--mode", "text", input: "saturn\n") == ["planets.md"])
        #expect(try cli.roost("query", "-", input: " \n").status == 65)
        let process = try cli.start(["query", "-"])
        try process.input.write(contentsOf: Data([0xFF, 0xFE]))
        try process.input.close()
        let invalid = try process.outcome()
        #expect(invalid.status == 65 && invalid.error.contains("UTF-8"))
    }

    @Test func `hostile queries get a result or a message`() throws {
        try prepare()
        let queries = [
            "", " ", "\"", "\"unbalanced", "-", "--", "- -", "the", "of the and", "\u{1B}[31m", "\u{7}",
            "-\"\"", "title:", "tag:\"", "*", "\\", "\u{200B}", "🐦", "a\tb", "%s%n",
            "'; DROP TABLE entries; --",
        ]
        for query in queries {
            for arguments in [["query", query], ["query", "--", query]] {
                let outcome = try cli.roost(arguments)
                #expect([0, 1, 64, 65].contains(outcome.status), "\(arguments): \(outcome.error)")
                #expect(outcome.status == 0 || !outcome.error.isEmpty, "\(arguments)")
            }
        }
        let long = try cli.roost("query", "-", input: String(repeating: "word -\"x ", count: 12_000))
        #expect([0, 1].contains(long.status) && long.error.contains("ignored"), "\(long.error)")
    }
}
