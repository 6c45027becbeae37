import Foundation
import TestSupport
import Testing

/// Tests of the commands for remembered folders.
@Suite(.temporaryFolders) struct SyncCommandTests {
    private let cli = CommandLineDriver()

    private func write(_ text: String, to path: String) throws {
        let url = cli.home.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test func `folders are added, listed, synced and removed`() throws {
        try write("# a swift", to: "notes/a.md")
        try write("a draft", to: "notes/drafts/b.md")
        let unknown = try cli.roost("sync", "--store", "s")
        #expect(unknown.status == 66, "\(unknown.error)")
        #expect(try cli.roost("folder", "add", "notes", "--exclude", "drafts", "--store", "s").status == 0)
        let folders = try cli.roost("folder", "list", "--store", "s")
        #expect(folders.output.contains("/notes  --exclude drafts"), "\(folders.output)")
        #expect(try cli.roost("folder", "list", "--json", "--store", "s").output.contains("\"exclusions\""))
        let paths = try cli.roost("folder", "list", "--format", "paths", "--store", "s").output
        #expect(paths.hasSuffix("/notes\n") && paths.split(separator: "\n").count == 1, "\(paths)")
        let first = try cli.roost("sync", "--store", "s")
        #expect(first.output == "1 new, 0 updated, 0 moved, 0 removed, 0 unchanged, 0 skipped\n")
        try FileManager.default.moveItem(
            at: cli.home.appendingPathComponent("notes/a.md"),
            to: cli.home.appendingPathComponent("notes/c.md"))
        let moved = try cli.roost("sync", "notes", "--json", "--store", "s")
        #expect(moved.output.contains("\"movedFiles\" : 1") && moved.output.contains("\"unchanged\" : 1"))
        #expect(try cli.roost("sync", "drafts", "--store", "s").status == 66)
        #expect(try cli.roost("folder", "remove", "notes", "--store", "s").status == 0)
        let none = try cli.roost("folder", "list", "--format", "json", "--store", "s")
        #expect(none.status == 0 && none.output == "[]\n" && none.error.contains("no folders"))
        #expect(try cli.roost("list", "--store", "s").output.contains("a swift"))
    }

    #if os(Linux)
        @Test func `names that are not UTF-8 are reported`() throws {
            try write("a swift", to: "notes/a.md")
            for byte: UInt8 in [0xFE, 0xFF] {
                let path = Array((cli.home.path + "/notes/").utf8) + [byte] + Array(".md".utf8) + [0]
                let file = path.withUnsafeBufferPointer { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600)
                    }
                }
                #expect(file >= 0)
                close(file)
            }
            #expect(try cli.roost("folder", "add", "notes").status == 0)
            let first = try cli.roost("sync")
            #expect(first.output.hasSuffix(" 2 skipped\n") && first.error.contains("not valid UTF-8"))
        }
    #endif

    @Test(.enabled(if: getuid() != 0, "the superuser can enter all folders"))
    func `a folder that can be listed and not entered is reported`() throws {
        try write("a swift", to: "notes/a.md")
        try write("another", to: "notes/closed/b.md")
        #expect(try cli.roost("folder", "add", "notes").status == 0)
        #expect(try cli.roost("sync").status == 0)
        let closed = cli.home.appendingPathComponent("notes/closed").path
        #expect(chmod(closed, 0o444) == 0)
        defer { chmod(closed, 0o755) }
        for arguments in [["sync"], ["ingest", "notes", "-v"]] {
            let outcome = try cli.roost(arguments)
            #expect(outcome.error.contains("notes/closed: the folder cannot be read"), "\(outcome)")
            #expect(outcome.output.contains("0 removed"), "\(outcome)")
        }
        let notes = cli.home.appendingPathComponent("notes").path
        #expect(chmod(notes, 0o444) == 0)
        defer { chmod(notes, 0o755) }
        let refused = try cli.roost("sync")
        #expect(refused.status == 75 && refused.error.contains("cannot be read"), "\(refused)")
    }

    /// Returns the entries of the store by their texts.
    private func listed() throws -> [String: (id: String, tags: [String])] {
        let list = try cli.roost("list", "--json")
        let entries = try #require(
            try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
        return Dictionary(
            entries.map { entry in
                (
                    entry["content"] as? String ?? "",
                    (entry["id"] as? String ?? "", entry["tags"] as? [String] ?? [])
                )
            }
        ) { first, _ in first }
    }

    @Test func `a file that moved to another folder keeps its entry`() throws {
        try write("a note that moves", to: "one/a.md")
        try write("a note that stays", to: "one/b.md")
        try write("another note", to: "two/c.md")
        for folder in ["one", "two"] { #expect(try cli.roost("folder", "add", folder).status == 0) }
        #expect(try cli.roost("sync").output.hasPrefix("3 new"))
        let old = try #require(try listed()["a note that moves"])
        #expect(try cli.roost("edit", old.id, "--add-tag=mine").status == 0)
        try FileManager.default.moveItem(
            at: cli.home.appendingPathComponent("one/a.md"),
            to: cli.home.appendingPathComponent("two/a.md"))
        // A file with the same size and another text is new.
        try write("a note that is ne", to: "two/d.md")
        let report = try cli.roost("sync")
        #expect(report.output.hasPrefix("1 new, 0 updated, 1 moved, 0 removed"), "\(report)")
        #expect(try cli.roost("sync").output.hasPrefix("0 new, 0 updated, 0 moved, 0 removed"))
        let new = try #require(try listed()["a note that moves"])
        #expect(new.id == old.id && new.tags == ["mine"])
    }

    @Test func `a missing folder gives no files to another one`() throws {
        try write("a note", to: "one/a.md")
        try write("another note", to: "two/c.md")
        for folder in ["one", "two"] { #expect(try cli.roost("folder", "add", folder).status == 0) }
        #expect(try cli.roost("sync").output.hasPrefix("2 new"))
        try write("a note", to: "two/copy.md")
        try FileManager.default.moveItem(
            at: cli.home.appendingPathComponent("one"), to: cli.home.appendingPathComponent("away"))
        #expect(try cli.roost("sync", "two").output.hasPrefix("1 new, 0 updated, 0 moved"))
    }

    @Test func `a file in nested folders belongs to the innermost one`() throws {
        try write("an old note", to: "notes/work/old.md")
        try write("a private note", to: "notes/a.md")
        try write("{}", to: "notes/work/skipped.xyz")
        #expect(try cli.roost("folder", "add", "notes", "--tag", "all").status == 0)
        #expect(try cli.roost("sync").output.hasPrefix("2 new"))
        #expect(try cli.roost("folder", "add", "notes/work", "--tag", "work").status == 0)
        try write("a new note", to: "notes/work/new.md")
        let report = try cli.roost("sync")
        #expect(report.output.hasPrefix("1 new, 1 updated, 0 moved, 0 removed, 1 unchanged"), "\(report)")
        let entries = try listed()
        #expect(entries["a new note"]?.tags == ["work"] && entries["a private note"]?.tags == ["all"])
        #expect(entries["an old note"]?.tags == ["all", "work"])
        // The outer folder alone neither reads nor removes the files of the inner one.
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("notes/work/old.md"))
        #expect(try cli.roost("sync", "notes").output.contains("0 removed, 1 unchanged, 0 skipped"))
        let all = try cli.roost("sync", "--yes")
        #expect(all.output.contains("1 removed, 2 unchanged, 1 skipped"), "\(all)")
        // The outer folder gets the files back.
        #expect(try cli.roost("folder", "remove", "notes/work").status == 0)
        let rest = try cli.roost("sync")
        #expect(rest.output.hasPrefix("0 new, 1 updated, 0 moved, 0 removed, 1 unchanged"), "\(rest)")
    }

    @Test func `an ingest of a folder reports known files that are missing`() throws {
        for name in ["a", "b", "c"] { try write("text \(name)", to: "notes/\(name).md") }
        #expect(try cli.roost("ingest", "notes").status == 0)
        for name in ["a", "b"] {
            try FileManager.default.removeItem(at: cli.home.appendingPathComponent("notes/\(name).md"))
        }
        let outcome = try cli.roost("ingest", "notes")
        #expect(outcome.status == 0 && outcome.output.contains("0 removed, 1 unchanged"))
        let lines = outcome.error.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("2 known files"), "\(outcome.error)")
        #expect(outcome.error.contains("roost sync"))
        #expect(try cli.roost("ingest", "notes", "--json").output.contains("\"missingFiles\" : 2"))
    }

    @Test func `a store in a parent folder cannot name folders outside of it`() throws {
        try write("private", to: "private/a.md")
        try write("public", to: "repository/notes/b.md")
        for folder in ["private", "repository/notes"] {
            #expect(try cli.roost("folder", "add", folder, "--store", "repository/.roost").status == 0)
        }
        let process = Process()
        process.executableURL = CommandLineDriver.binary
        process.arguments = ["sync"]
        process.currentDirectoryURL = cli.home.appendingPathComponent("repository")
        process.environment = ["HOME": cli.home.path, "PATH": "/usr/bin:/bin"]
        let error = Pipe()
        (process.standardError, process.standardOutput) = (error, FileHandle.nullDevice)
        process.standardInput = FileHandle.nullDevice
        try TestTool.start(process)
        let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 78 && text.contains("--store"), "\(text)")
        #expect(try cli.roost("sync", "--store", "repository/.roost").output.hasPrefix("2 new"))
    }
}
