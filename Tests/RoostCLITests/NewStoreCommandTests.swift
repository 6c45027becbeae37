import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the folders in which commands create stores.
@Suite(.temporaryFolders) struct NewStoreCommandTests {
    private let cli = CommandLineDriver()

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: cli.home.appendingPathComponent(folder).path)
            .sorted()
    }

    @Test func `no store is created among other files`() throws {
        #expect(try cli.roost("add", "--store", "s", "a swift").status == 0)
        let notes = cli.home.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true)
        try Data("a note".utf8).write(to: notes.appendingPathComponent("a.md"))
        for arguments in [["copy", "s", "notes"], ["init", "--store", "notes"]] {
            let refused = try cli.roost(arguments)
            #expect(
                refused.status == 78 && refused.error.contains("contains other files"),
                "\(arguments): \(refused)")
            #expect(try names(in: "notes") == ["a.md"])
        }
        #expect(try cli.roost("init", "notes/.roost").status == 0)
        try FileManager.default.createDirectory(
            at: cli.home.appendingPathComponent("empty"), withIntermediateDirectories: true)
        #expect(try cli.roost("copy", "s", "empty").status == 0)
        #expect(try cli.roost("copy", "s", "empty").status == 0, "a copy can be repeated")
    }

    @Test(arguments: [
        (".git", true), (".env", true), (".DS_Store", false), ("._note", false), (".gitignore", false),
        (".gitkeep", false),
    ])
    func `hidden files of other programs are other files, those of the system are not`(
        name: String, isOther: Bool
    ) throws {
        let folder = try TemporaryFolder().url
        try Data().write(to: folder.appendingPathComponent(name))
        #expect(StoreManifest.hasOtherFiles(in: folder) == isOther)
    }

    @Test func `a server for agents that only reads creates no store`() throws {
        let refused = try cli.roost("mcp", "--read-only", "--store", "s")
        #expect(refused.status == 66, "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("s").path))
        // Without the option, the end of the empty standard input ends the server.
        #expect(try cli.roost("mcp", "--store", "s").status == 0)
        #expect(try !names(in: "s").isEmpty)
    }

    @Test func `a server for a part of the store needs a folder, and a conversation with three names`() throws
    {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        try Data("# Note".utf8).write(to: cli.home.appendingPathComponent("note.md"))
        for (arguments, status, text) in [
            (["--folder", "note.md"], Int32(66), "no such folder"), (["--scope", "u//a"], 64, "three names"),
            (["--scope", "u/s/a/b"], 64, "three names"), (["--scope", "u/s/a"], 0, ""),
        ] {
            let outcome = try cli.roost(["mcp", "--store", "s"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            #expect(text.isEmpty || outcome.error.contains(text), "\(outcome)")
        }
    }
}
