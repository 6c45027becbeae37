import Foundation
import TestSupport
import Testing

@Suite(.temporaryFolders) struct SyncCommandTests {
    private let cli = CommandLineDriver()

    @Test func `ingested folders are remembered, listed, synced and removed`() throws {
        try cli.write("# a swift", to: "notes/a.md")
        try cli.write("a draft", to: "notes/drafts/b.md")
        let unknown = try cli.roost("sync", "--store", "s")
        #expect(unknown.status == 66, "\(unknown.error)")
        let first = try cli.roost("ingest", "notes", "--exclude", "drafts", "--store", "s")
        #expect(first.output == "1 new, 0 updated, 0 removed, 0 unchanged, 0 skipped\n")
        let folders = try cli.roost("folder", "list", "--store", "s")
        #expect(folders.output.contains("/notes  --exclude drafts"), "\(folders.output)")
        // Without options, the folder keeps those with which it was remembered.
        for command in [["sync"], ["ingest", "notes"]] {
            let again = try cli.roost(command + ["--store", "s"])
            #expect(again.output == "0 new, 0 updated, 0 removed, 1 unchanged, 0 skipped\n", "\(again)")
        }
        try FileManager.default.moveItem(
            at: cli.home.appendingPathComponent("notes/a.md"),
            to: cli.home.appendingPathComponent("notes/c.md"))
        let moved = try cli.roost("sync", "notes", "--json", "--store", "s")
        #expect(moved.output.contains("\"movedFiles\" : 1") && moved.output.contains("\"unchanged\" : 1"))
        #expect(try cli.roost("folder", "remove", "notes", "--store", "s").status == 0)
        let none = try cli.roost("folder", "list", "--format", "json", "--store", "s")
        #expect(none.status == 0 && none.output == "[]\n" && none.error.contains("no folders"))
        #expect(try cli.roost("list", "--store", "s").output.contains("a swift"))
        for option in ["--once", "--dry-run"] {
            #expect(try cli.roost("ingest", "notes", option, "--store", "s").status == 0)
            #expect(try cli.roost("folder", "list", "--store", "s").output.isEmpty)
        }
    }

    @Test func `a file at which a reader crashes is skipped, and the others are stored`() throws {
        for number in 0..<20 { try cli.write("Note \(number) about the harbour", to: "notes/\(number).md") }
        // Nested groups in the sender end the library that reads messages.
        let groups = String(repeating: "a:", count: 75_000)
        try cli.write("From: \(groups)\nMessage-ID: <1@example.org>\nDate: today\n\nHi\n", to: "notes/a.eml")
        try cli.write(
            "Message-ID: <2@example.org>\nFrom: a@example.org\nDate: today\n\nHello\n", to: "notes/b.eml")
        let first = try cli.roost("ingest", "notes", "--verbose")
        #expect(first.output.hasPrefix("21 new,") && first.output.contains("1 skipped"), "\(first)")
        #expect(first.error.contains("a.eml: its reader crashed with signal 11"), "\(first)")
        let again = try cli.roost("sync", "--verbose")
        #expect(
            again.output.hasPrefix("0 new,") && again.output.contains("21 unchanged, 1 skipped"), "\(again)")
    }

    @Test func `a store in a parent folder cannot name folders outside of it`() throws {
        try cli.write("private", to: "private/a.md")
        try cli.write("public", to: "repository/notes/b.md")
        for folder in ["private", "repository/notes"] {
            #expect(try cli.roost("ingest", folder, "--store", "repository/.roost").status == 0)
        }
        let script = #"cd repository && exec "$0" sync"#
        let outcome = try cli.start([], launcher: ["/bin/sh", "-c", script]).outcome()
        #expect(outcome.status == 78 && outcome.error.contains("--store"), "\(outcome)")
        #expect(try cli.roost("sync", "--store", "repository/.roost").output.contains("2 unchanged"))
    }
}

/// Tests of a sync that would remove many entries.
@Suite(.temporaryFolders) struct SyncConfirmationTests {
    private let cli = CommandLineDriver()

    /// Syncs a folder with ten files, of which three are removed then.
    private func prepare() throws {
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        let files = (0..<10).map { notes.appendingPathComponent("\($0).md") }
        for (number, file) in files.enumerated() { try Data("text \(number)".utf8).write(to: file) }
        #expect(try cli.roost("ingest", "notes").output.hasPrefix("10 new"))
        for file in files.prefix(3) { try FileManager.default.removeItem(at: file) }
    }

    @Test(arguments: [("\n", false), ("certainly\n", false), ("Yes\n", true)])
    func `the answer at a terminal decides whether many entries are removed`(
        answer: String, isYes: Bool
    ) throws {
        try prepare()
        let (status, data) = try PseudoTerminal.conversation(
            with: CommandLineDriver.binary, ["sync"], in: cli.home,
            environment: ["HOME": cli.home.path, "PATH": "/usr/bin:/bin", "TERM": "xterm"],
            steps: [("Remove their entries? [y/N] ", answer)])
        let output = String(decoding: data, as: UTF8.self)
        #expect(output.contains("3 of 10 known files"), "\(output)")
        #expect(output.contains(isYes ? " 3 removed" : "nothing was changed for this folder"), "\(output)")
        #expect(status == (isYes ? 0 : 1))
        // The next sync asks again, unless the entries were removed.
        let next = try cli.roost("sync")
        #expect(next.status == (isYes ? 0 : 75), "\(next)")
        #expect(next.error.contains("3 of 10 known files") == !isYes, "\(next)")
        #expect(try cli.roost("sync", "--yes").output.contains(isYes ? " 0 removed" : " 3 removed"))
    }
}
