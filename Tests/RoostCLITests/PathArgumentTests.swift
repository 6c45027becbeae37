import Foundation
import TestSupport
import Testing

@testable import RoostCLI

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

    private func ids() throws -> [String] {
        try run("list", "--format=tsv").split(separator: "\n").dropFirst().map { String($0.prefix(36)) }
    }

    @Test func `show prints the entries of a file`() throws {
        try prepare()
        #expect(try run("show", "notes/swifts.md").contains("The swifts return."))
        #expect(try run("show", "./notes/../notes/swifts.md").contains("The swifts return."))
        let rows = try run("show", "rows.csv")
        let (first, second) = (rows.range(of: "first row"), rows.range(of: "second row"))
        #expect(try #require(first).lowerBound < #require(second).lowerBound)
        let one = try JSONSerialization.jsonObject(with: Data(run("show", "notes/tea.md", "--json").utf8))
        #expect((one as? [String: Any])?["content"] as? String == "# Tea\n\nTwo minutes.\n")
        let two = try JSONSerialization.jsonObject(with: Data(run("show", "rows.csv", "--json").utf8))
        #expect((two as? [Any])?.count == 2)
        // The entries of a deleted file are still in the store.
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("notes/tea.md"))
        #expect(try run("show", "notes/tea.md").contains("Two minutes."))
        #expect(try run("similar", "notes/tea.md", "--format=paths").contains("swifts.md"))
    }

    @Test func `other commands accept a file`() throws {
        try prepare()
        #expect(try run("links", "notes/swifts.md").contains("tea"))
        #expect(try run("backlinks", "notes/tea.md", "--format=paths").hasSuffix("notes/swifts.md\n"))
        _ = try run("tag", "rows.csv", "notes/tea.md", "new")
        let tagged = try run("list", "--tag=new", "--format=paths").split(separator: "\n")
        #expect(Set(tagged) == ["notes/tea.md", "rows.csv"])
        _ = try run("edit", "notes/tea.md", "Three", "minutes.")
        #expect(try run("show", "notes/tea.md").contains("Three minutes."))
        let several = try cli.roost("edit", "--store=s", "rows.csv", "x")
        #expect(several.status == 64 && several.error.contains("rows.csv has 2 entries"))
        #expect(try run("remove", "rows.csv") == "removed 2 entries\n")
        // The file is ingested again, because its record was removed, too.
        #expect(try run("ingest", "rows.csv").hasPrefix("2 new"))
    }

    @Test func `a path with a line, as a search prints it, names the entry on this line`() throws {
        try prepare()
        #expect(try run("show", "rows.csv:3").contains("second row"))
        #expect(try !run("show", "rows.csv:3").contains("first row"))
        #expect(try run("show", "notes/tea.md:3").contains("Two minutes."))
        // The record of the file stays, so its other row does, too.
        #expect(try run("remove", "rows.csv:2") == "removed 1 entry\n")
        #expect(try run("list", "--source=rows.csv", "--template={title}") == "second row\n")
        for (argument, message) in [
            ("rows.csv:1", "no entry is on line 1 of rows.csv"), ("rows.csv:9", "no entry is on line 9"),
            ("none.csv:2", "no entry has the id, path or key 'none.csv:2'"),
        ] {
            let outcome = try cli.roost("show", "--store=s", argument)
            #expect(outcome.status == 66 && outcome.error.contains(message), "\(argument): \(outcome)")
        }
        // A file whose name has this form comes first.
        try Data("A name with a colon.".utf8).write(to: cli.home.appendingPathComponent("notes/tea.md:3"))
        _ = try run("ingest", "notes/tea.md:3")
        #expect(try run("show", "notes/tea.md:3").contains("A name with a colon."))
    }

    @Test func `show prints lines with their numbers`() throws {
        try prepare()
        let text = (1...12).map { "line \($0)" }.joined(separator: "\r\n")
        try Data(text.utf8).write(to: cli.home.appendingPathComponent("notes/long.md"))
        _ = try run("ingest", "notes")
        #expect(try run("show", "notes/long.md", "--lines", "9-10") == " 9  line 9\n10  line 10\n")
        #expect(try run("show", "notes/long.md", "--lines=12-") == "12  line 12\n")
        #expect(try run("show", "notes/tea.md:1", "--lines=3") == "3  Two minutes.\n")
        for (arguments, message) in [
            (["rows.csv", "--lines=1"], "lines of one entry"), (["notes/tea.md", "--lines=9-"], "no line 9"),
            (["notes/tea.md", "--lines=3-2"], "'3-2'"), (["notes/tea.md", "--lines=0"], "'0'"),
            (["notes/tea.md", "--lines=1", "--json"], "cannot be combined"),
        ] {
            let outcome = try cli.roost(["show", "--store=s"] + arguments)
            #expect(outcome.status == 64 && outcome.error.contains(message), "\(arguments): \(outcome)")
        }
    }

    @Test func `a file precedes the beginning of an id, but not a full id`() throws {
        try prepare()
        let id = try #require(try ids().first)
        let prefix = String(id.prefix(8))
        #expect(try run("show", prefix).contains(id))
        let file = cli.home.appendingPathComponent(prefix)
        try Data("A note with the name of an id.".utf8).write(to: file)
        // A file that is not in the store does not count.
        #expect(try run("show", prefix).contains(id))
        _ = try run("ingest", prefix)
        #expect(try run("show", prefix).contains("A note with the name of an id."))
        #expect(try run("show", "./" + prefix).contains("A note with the name of an id."))
        #expect(try run("show", id).contains(id))
        #expect(try run("show", String(id.prefix(9))).contains(id))
    }

    @Test func `unknown paths have a message with the next step`() throws {
        try prepare()
        for (argument, status, message) in [
            ("notes", Int32(64), "roost list --source 'notes'"), ("-dash.md", 64, "./-dash.md"),
            ("./-dash.md", 66, "roost ingest './-dash.md'"),
            ("notes/none.md", 66, "no entry has the id, path or key 'notes/none.md'; run `roost list`"),
            ("zz", 66, "no entry has the id, path or key 'zz'"), ("0", 64, "invalid id"),
            ("abcd0123", 66, "no entry has the id"),
        ] {
            let outcome = try cli.roost("show", "--store=s", argument)
            #expect(outcome.status == status && outcome.error.contains(message), "\(argument): \(outcome)")
        }
    }

    @Test func `the only file with a name is proposed for a path in another folder`() throws {
        try prepare()
        let outcome = try cli.roost("show", "--store=s", "Tea.md")
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.error.contains("did you mean '"), "\(outcome)")
        #expect(outcome.error.contains("/notes/tea.md'?"), "\(outcome)")
        // Two files have the name.
        let other = cli.home.appendingPathComponent("notes/old")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try Data("Old tea.".utf8).write(to: other.appendingPathComponent("tea.md"))
        _ = try run("ingest", "notes")
        #expect(try cli.roost("show", "--store=s", "tea.md").error.contains("run `roost list`"))
    }

    @Test func `the name of a file as a text has a note with the command that reads the file`() throws {
        try prepare()
        for (words, path) in [
            (["notes/tea.md"], "notes/tea.md"), (["notes"], "notes"),
            (["notes/swifts.md", "notes/tea.md"], "notes/swifts.md"),
        ] {
            let outcome = try cli.roost(["add", "--store=s"] + words)
            #expect(outcome.status == 0 && outcome.error.contains("`roost ingest '\(path)'`"), "\(outcome)")
        }
        for words in [["notes", "about", "tea"], ["tea.md"]] {
            let outcome = try cli.roost(["add", "--store=s"] + words)
            #expect(outcome.status == 0 && !outcome.error.contains("roost ingest"), "\(outcome)")
        }
    }

    @Test func `a filter by a file without entries names the file`() throws {
        try prepare()
        let outcome = try cli.roost("query", "--store=s", "--source", "none.md", "tea")
        #expect(outcome.status == 1 && outcome.error.contains("no entry is from 'none.md'"), "\(outcome)")
    }

    @Test func `a file whose name begins with a hyphen is named in two ways`() throws {
        try prepare()
        let refused = try cli.roost("ingest", "--store=s", "-dash.md")
        #expect(refused.status == 64 && refused.output.isEmpty)
        #expect(
            refused.error
                == "roost: '-dash.md' is not an option; name the file with ./-dash.md, or after --: "
                + "`-- -dash.md`\n")
        #expect(try cli.roost("ingest", "--store=s", "-missing.md").error.contains("./-missing.md"))
        #expect(try cli.roost("ingest", "--store=s", "--", "-dash.md").output.hasPrefix("1 new"))
        #expect(try cli.roost("ingest", "--store=s", "./-dash.md").output.contains("1 unchanged"))
        let listed = try cli.roost("list", "--store=s", "--format=paths").output
        #expect(listed.split(separator: "\n").contains("./-dash.md"), "\(listed)")
        #expect(try cli.roost("show", "--store=s", "--", "-dash.md").output.contains("A name with a hyphen."))
        #expect(try cli.roost("query", "--store=s", "-l", "-dash.md", "hyphen").status != 64)
    }

    @Test(arguments: [
        ["list", "-n20"], ["list", "--limit", "-1.5"], ["show", "-q", "a.md"], ["x", "--", "-dash.md"],
        ["query", "--min-score", "-0.5"], ["export", "entries", "-o", "-.md"], ["add", "--", "-a.b"],
        ["-", "-q"],
    ])
    func `options and their values are no files`(arguments: [String]) throws {
        try HyphenatedFile.check(arguments) { _ in false }
    }

    @Test func `-0 ends paths with a zero byte`() throws {
        try prepare()
        try Data("# Odd\n\nThe swifts are odd.".utf8).write(
            to: cli.home.appendingPathComponent("notes/two\nlines.md"))
        _ = try run("ingest", "notes")
        let listed = try run("list", "--format=paths", "-0").split(separator: "\0")
        #expect(Set(listed) == ["notes/swifts.md", "notes/tea.md", "notes/two\nlines.md", "rows.csv"])
        #expect(try run("list", "--format=paths", "--null").hasSuffix("\0"))
        #expect(try run("query", "-l0", "swifts").split(separator: "\0").contains("notes/two\nlines.md"))
        #expect(try run("query", "--format=paths", "-0", "swifts").contains("notes/swifts.md\0"))
        #expect(try run("similar", "notes/tea.md", "-l", "-0").contains("\0"))
        #expect(try run("backlinks", "notes/tea.md", "--format=paths", "-0").hasSuffix("notes/swifts.md\0"))
        for arguments in [["list", "-0"], ["query", "-0", "x"], ["list", "--json", "--null"]] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 64 && outcome.error.contains("-0 needs "), "\(arguments): \(outcome)")
        }
    }
}
