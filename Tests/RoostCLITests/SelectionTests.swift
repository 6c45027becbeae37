import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of commands that change the entries that options select.
@Suite(.temporaryFolders) struct SelectionTests {
    private let cli = CommandLineDriver()

    /// Ingests four rows of two files, and adds a text.
    private func prepare() throws {
        for (name, status) in [("a.jsonl", "open"), ("b.jsonl", "done")] {
            let rows = (1...2).map {
                #"{"id":\#($0),"text":"\#(name) row \#($0)","status":"\#(status)","n":\#($0)}"#
            }
            try cli.write(rows.joined(separator: "\n"), to: "rows/\(name)")
        }
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "rows", "--store=s").status == 0)
        #expect(try cli.roost("add", "a loose text", "--tag", "draft", "--store=s").status == 0)
    }

    private func titles(_ options: String...) throws -> [String] {
        try cli.roost(["list", "--store=s", "--format=tsv"] + options).output
            .split(separator: "\n").dropFirst().map { String($0.split(separator: "\t")[1]) }
    }

    @Test func `Entries are removed by metadata, tag and source, all of which must match`() throws {
        try prepare()
        let narrow = try cli.roost("remove", "--store=s", "--source", "rows", "--where", "n=1")
        #expect(narrow.output == "removed 2 entries\n", "\(narrow)")
        #expect(try titles() == ["a.jsonl row 2", "b.jsonl row 2", "a loose text"])
        #expect(try cli.roost("remove", "--store=s", "--tag", "draft").output == "removed 1 entry\n")
        // A row that was removed by a filter is not added again while its file is unchanged.
        let unchanged = try cli.roost("ingest", "rows", "--store=s")
        #expect(unchanged.output.hasPrefix("0 new"), "\(unchanged)")
        // Removing whole sources removes their records, too.
        let sources = ["--source", "rows/a.jsonl", "--source", "rows/b.jsonl"]
        #expect(try cli.roost(["remove", "--store=s"] + sources).output == "removed 2 entries\n")
        #expect(try cli.roost("ingest", "rows", "--store=s").output.hasPrefix("4 new"))
    }

    @Test(arguments: [
        (["remove", "--where", "status=none"], 66, "no entry matches the filter"),
        (["remove", "12345678", "--tag", "draft"], 64, "either ids of entries or options"),
        (["edit", "--tag", "none", "--add-tag", "x"], 66, "no entry has the tag 'none'"),
        (["edit", "--tag", "draft", "--title", "x"], 64, "can change several entries"),
    ])
    func `A selection that matches nothing, or with ids, changes nothing`(
        arguments: [String], status: Int, part: String
    ) throws {
        try prepare()
        let outcome = try cli.roost(arguments + ["--store=s"])
        #expect(outcome.status == Int32(status) && outcome.error.contains(part), "\(outcome)")
        #expect(try titles().count == 5)
    }
}

@Suite(.temporaryFolders) struct PathArgumentTests {
    private let cli = CommandLineDriver()

    /// Ingests a note, a table with two rows, a note whose name is the beginning of the id of a row, and a
    /// note whose name begins with a hyphen.
    private func prepare() throws {
        for (name, text) in [
            ("notes/swifts.md", "# Swifts\n\nThe swifts return. See [[tea]].\n"),
            ("notes/tea.md", "# Tea\n\nTwo minutes.\n"), ("rows.csv", "text\nfirst row\nsecond row\n"),
            ("-dash.md", "# Dash\n\nA name with a hyphen.\n"),
        ] {
            try cli.write(text, to: name)
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
        try cli.expect(64, "rows.csv has 2 entries", "edit", "--store=s", "rows.csv", "--text=x")
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
            try cli.expect(status, message, "show", "--store=s", argument)
        }
    }

    @Test func `-0 ends paths with a zero byte`() throws {
        try prepare()
        try cli.write("# Odd\n\nThe swifts are odd.", to: "notes/two\nlines.md")
        _ = try run("ingest", "notes")
        let listed = try run("list", "--format=paths", "-0").split(separator: "\0")
        #expect(Set(listed) == ["notes/swifts.md", "notes/tea.md", "notes/two\nlines.md", "rows.csv"])
        try cli.expect(64, "-0 needs ", "list", "--json", "--null", "--store=s")
    }
}

/// Tests of arguments that would make a command act on more than the user intended.
@Suite(.temporaryFolders) struct ArgumentSafetyTests {
    private let cli = CommandLineDriver()

    /// Ingests rows into the store `s`.
    private func prepare(_ count: Int) throws {
        let rows = (0..<count).map { "{\"id\":\($0),\"text\":\"text number \($0)\"}" }
        try cli.write(rows.joined(separator: "\n"), to: "t.jsonl")
        #expect(try cli.roost("ingest", "t.jsonl", "--store=s", "-q").status == 0)
    }

    @Test(arguments: [
        ["remove", "--source", ""], ["remove", "--source="], ["ingest", "t.jsonl", ""],
        ["init", "x", "--url="], ["config", ""], [""],
    ])
    func `an empty argument is an error`(arguments: [String]) {
        let error = #expect(throws: CommandError.self) { try ArgumentCheck.requireNonemptyValues(arguments) }
        #expect(
            error?.status == .usage && error?.message.contains("argument \(arguments.count) is empty") == true
        )
    }

    @Test func `an argument that is not valid UTF-8, and a tag with a line feed, are refused`() throws {
        let script = #"exec "$0" add --store=s "$(printf 'caf\351 noir')""#
        let invalid = try cli.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(invalid.status == 65 && invalid.error.contains("not valid UTF-8"), "\(invalid)")
        try cli.expect(64, "control characters", "add", "x", "--tag", "a\nb", "--store=s")
    }

    @Test func `many entries are removed only with --yes`() throws {
        try prepare(21)
        try cli.expect(64, "--yes", "remove", "--store=s", "--source", "t.jsonl")
        let listed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--dry-run")
        // The rows are those of a list, in the same order.
        #expect(listed.output == (try cli.roost("list", "--store=s").output) + "would remove 21 entries\n")
        let removed = try cli.roost("remove", "--store=s", "--source", "t.jsonl", "--yes")
        #expect(removed.status == 0 && removed.output == "removed 21 entries\n", "\(removed)")
        #expect(try cli.roost("list", "--store=s", "--count").output == "0\n")
    }
}

/// Tests of `roost edit`.
@Suite(.temporaryFolders) struct EditCommandTests {
    private let cli = CommandLineDriver()

    private func edit(with editor: String) throws -> CommandLineDriver.Outcome {
        let process = try cli.start(["edit", "a.md", "--store=s"], environment: ["EDITOR": editor])
        try process.input.close()
        return try process.outcome()
    }

    @Test func `The editor can read the keyboard, and changes nothing if it fails`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        try cli.write("a swift above the roof", to: "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let failed = try edit(with: "sh -c 'echo other > \"$0\"; exit 3'")
        #expect(failed.status == 69 && failed.error.contains("exited with status 3"), "\(failed)")
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("a swift above the roof"))
        // A terminal stops a program of another process group that reads from it.
        try cli.write(
            """
            ps -o pgid= -p $$ > editor
            ps -o pgid= -p $PPID > command
            cmp editor command || exit 3
            printf 'a heron in the water' > "$1"
            """, to: "editor.sh")
        let edited = try edit(with: "sh editor.sh")
        #expect(edited.status == 0, "\(edited)")
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("a heron in the water"))
        // The file itself was edited, so another ingest changes nothing.
        #expect(
            try String(contentsOf: cli.home.appendingPathComponent("a.md"), encoding: .utf8).contains("heron")
        )
        #expect(try cli.roost("ingest", "a.md", "--store=s").output.contains("1 unchanged"))
        try cli.expect(64, "change the file, then run `roost ingest", "edit", "a.md", "--text=x", "--store=s")
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("a.md"))
        let id = String(try cli.roost("list", "--store=s").output.prefix(8))
        try cli.expect(66, "is missing", "edit", id, "--text=a stork", "--store=s")
    }

    @Test func `The title and the metadata are changed without an editor`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let meta = ["--meta", "status=new", "--meta", "due=2026-01"]
        let id = String(try cli.roost(["add", "a swift", "--store=s"] + meta).output.prefix(8))
        let edited = try cli.roost(
            "edit", id, "--store=s", "--title", "Roof notes", "--meta", "status=done", "--unset", "due")
        #expect(edited.status == 0 && edited.error.isEmpty, "\(edited)")
        let listed = try cli.roost("list", "--store=s", "--where", "status=done", "--where", "due missing")
        #expect(listed.output.contains("Roof notes"), "\(listed)")
        try cli.expect(0, "the entry is unchanged", "edit", id, "--meta", "status=done", "--store=s")
    }

    @Test func `Changed metadata of a file survives its changes, and that of a message is refused`() throws {
        try cli.write("a swift above the roof", to: "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").status == 0)
        let edited = try cli.roost("edit", "a.md", "--title=Swifts", "--store=s")
        #expect(edited.status == 0 && edited.error.isEmpty, "\(edited)")
        try cli.write("two swifts above the roof", to: "a.md")
        #expect(try cli.roost("ingest", "a.md", "--store=s").output.contains("1 updated"))
        #expect(try cli.roost("show", "a.md", "--store=s").output.contains("Swifts"))
        try cli.write(
            #"{"role": "user", "content": "order tea", "user": "ada", "session": "one"}"#, to: "c.jsonl")
        #expect(try cli.roost("chat", "import", "c.jsonl", "--store=s").status == 0)
        let message = try cli.roost("list", "--store=s", "--where", "kind=message")
        for (name, change) in [
            (String(message.output.prefix(8)), "session=two"), ("a.md", "kind=message"), ("a.md", "a"),
        ] { #expect(try cli.roost("edit", name, "--meta", change, "--store=s").status == 64, "\(change)") }
    }
}
