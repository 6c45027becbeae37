import Foundation
import TestSupport
import Testing

/// Tests of arguments that are paths, and of paths in the output.
@Suite(.temporaryFolders) struct PathArgumentTests {
    private let cli = CommandLineDriver()

    /// Ingests a note, a table with two rows, a note whose name is the beginning of the id of a row, and a
    /// note whose name begins with a hyphen.
    private func prepare() throws {
        try FileManager.default.createDirectory(
            at: cli.home.appendingPathComponent("notes"), withIntermediateDirectories: true)
        for (name, text) in [
            ("notes/swifts.md", "# Swifts\n\nThe swifts return. See [[tea]].\n"),
            ("notes/tea.md", "# Tea\n\nTwo minutes.\n"), ("rows.csv", "text\nfirst row\nsecond row\n"),
            ("-dash.md", "# Dash\n\nA name with a hyphen.\n"),
        ] {
            try Data(text.utf8).write(to: cli.home.appendingPathComponent(name))
        }
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "notes", "rows.csv").status == 0)
    }

    private func run(_ arguments: String...) throws -> String {
        let outcome = try cli.roost(arguments + ["--store=s"])
        #expect(outcome.status == 0, "\(arguments): \(outcome.error)")
        return outcome.output
    }

    @Test func `show prints the entries of a file`() throws {
        try prepare()
        #expect(try run("show", "notes/swifts.md").contains("The swifts return."))
        let rows = try run("show", "rows.csv")
        let (first, second) = (rows.range(of: "first row"), rows.range(of: "second row"))
        #expect(try #require(first).lowerBound < #require(second).lowerBound)
        // The entries of a deleted file are still in the store.
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("notes/tea.md"))
        #expect(try run("show", "notes/tea.md").contains("Two minutes."))
        #expect(try run("similar", "notes/tea.md", "--format=paths").contains("swifts.md"))
    }

    @Test func `other commands accept a file`() throws {
        try prepare()
        _ = try run("edit", "rows.csv", "notes/tea.md", "--add-tag=new")
        let tagged = try run("list", "--tag=new", "--format=paths").split(separator: "\n")
        #expect(Set(tagged) == ["notes/tea.md", "rows.csv"])
        let several = try cli.roost("edit", "--store=s", "rows.csv", "--text=x")
        #expect(several.status == 64 && several.error.contains("rows.csv has 2 entries"))
        #expect(try run("remove", "rows.csv") == "removed 2 entries\n")
        // The file is ingested again, because its record was removed, too.
        #expect(try run("ingest", "rows.csv").hasPrefix("2 new"))
    }

    @Test func `unknown paths have a message with the next step`() throws {
        try prepare()
        for (argument, status, message) in [
            ("notes", Int32(64), "roost list --source 'notes'"),
            ("./-dash.md", 66, "roost ingest './-dash.md'"),
            ("notes/none.md", 66, "no entry has the id, path or key 'notes/none.md'; run `roost list`"),
            ("0", 64, "invalid id"), ("abcd0123", 66, "no entry has the id"),
        ] {
            let outcome = try cli.roost("show", "--store=s", argument)
            #expect(outcome.status == status && outcome.error.contains(message), "\(argument): \(outcome)")
        }
    }

    @Test func `-0 ends paths with a zero byte`() throws {
        try prepare()
        try Data("# Odd\n\nThe swifts are odd.".utf8).write(
            to: cli.home.appendingPathComponent("notes/two\nlines.md"))
        _ = try run("ingest", "notes")
        let listed = try run("list", "--format=paths", "-0").split(separator: "\0")
        #expect(Set(listed) == ["notes/swifts.md", "notes/tea.md", "notes/two\nlines.md", "rows.csv"])
        let outcome = try cli.roost("list", "--json", "--null", "--store=s")
        #expect(outcome.status == 64 && outcome.error.contains("-0 needs "), "\(outcome)")
    }
}
