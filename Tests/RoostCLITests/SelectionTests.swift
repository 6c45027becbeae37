import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of commands that change the entries that options select.
@Suite(.temporaryFolders) struct SelectionTests {
    private let cli = CommandLineDriver()

    /// Ingests four rows of two files, and adds a text.
    private func prepare() throws {
        let folder = cli.home.appendingPathComponent("rows")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, status) in [("a.jsonl", "open"), ("b.jsonl", "done")] {
            let rows = (1...2).map {
                #"{"id":\#($0),"text":"\#(name) row \#($0)","status":"\#(status)","n":\#($0)}"#
            }
            try Data(rows.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent(name))
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

    @Test func `Tags of a selection are changed, and a tag is renamed`() throws {
        try prepare()
        let tagged = try cli.roost(
            "edit", "--store=s", "--where", "status=done", "--add-tag=old", "--add-tag=rows")
        #expect(tagged.status == 0 && tagged.error.contains("added old to 2 of 2 entries"), "\(tagged)")
        #expect(try titles("--tag", "old", "--tag", "rows").count == 2)
        let renamed = try cli.roost(
            "edit", "--store=s", "--tag", "draft", "--add-tag=final", "--remove-tag=draft")
        #expect(renamed.status == 0, "\(renamed)")
        #expect(try titles("--tag", "final") == ["a loose text"])
        #expect(try titles("--tag", "draft").isEmpty)
    }

    @Test func `A text with a key is replaced, and named by its key`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let first = try cli.roost("add", "--store=s", "--key", "shopping", "milk", "and", "bread")
        let second = try cli.roost("add", "--store=s", "--key=shopping", "milk, bread, tea", "--tag", "list")
        #expect(first.status == 0 && second.output == first.output, "\(second)")
        #expect(second.error.contains("changed the entry 'shopping'"), "\(second)")
        let same = try cli.roost("add", "--store=s", "--key=shopping", "milk, bread, tea")
        #expect(same.error.contains("nothing was changed"), "\(same)")
        #expect(try titles() == ["milk, bread, tea"])
        #expect(try cli.roost("show", "--store=s", "shopping").output.hasSuffix("milk, bread, tea\n"))
        #expect(try cli.roost("remove", "--store=s", "shopping").output == "removed 1 entry\n")
        let missing = try cli.roost("show", "--store=s", "shopping")
        #expect(missing.status == 66 && missing.error.contains("key 'shopping'"), "\(missing)")
        // A key can have the form of an id.
        let id = "0B6E4A52-5C1D-4E0F-9A37-6F1D2C3B4A59"
        #expect(try cli.roost("add", "--store=s", "--key", id, "a row").status == 0)
        #expect(try cli.roost("show", "--store=s", id).output.hasSuffix("a row\n"))
    }
}
