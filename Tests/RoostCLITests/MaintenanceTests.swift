import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the commands `doctor`, `copy` and `undo`.
@Suite(.temporaryFolders) struct MaintenanceTests {
    let commands = CommandLineDriver()
    private var home: URL { commands.home }

    private func fill(_ provider: String) throws {
        #expect(try commands.roost("init", "s", "--provider", provider, "--model", "lexical").status == 0)
        let notes = Fixtures.folder.appendingPathComponent("notes").path
        #expect(try commands.roost("ingest", notes, "-q", "--store", "s").status == 0)
        #expect(
            try commands.roost("recluster", "--clusters", "5", "--seed", "1", "-q", "--store", "s").status
                == 0)
        let id = try commands.roost("add", "goes again", "--store", "s").output
        #expect(try commands.roost("remove", String(id.prefix(36)), "--store", "s").status == 0)
    }

    private func exports(_ store: String) throws -> [String] {
        let entries = try commands.roost(
            "export", "entries", "--format", "jsonl", "--with-embeddings", "--store", store)
        let clusters = try commands.roost("export", "clusters", "--with-embeddings", "--store", store)
        return [entries.output, clusters.output]
    }

    @Test func `no command writes copies or exports into the folder of a store`() throws {
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        #expect(try commands.roost("add", "the swift is back", "--store", "s").status == 0)
        #expect(try commands.roost("backup", "create", "--store", "s").status == 0, "the own repository")
        try FileManager.default.createSymbolicLink(
            at: home.appendingPathComponent("link"), withDestinationURL: home.appendingPathComponent("s"))
        let manifest = try Data(contentsOf: home.appendingPathComponent("s/store.json"))
        for (arguments, status) in [
            (["copy", "s", "s/inner"], Int32(78)),
            (["init", "s/inner", "--provider", "postgres", "--url", "postgres://127.0.0.1:9/a"], 78),
            (["backup", "restore", "latest", "--into", "s/inner"], 78),
            (["backup", "create", "--to", "s/inner"], 64),
            (["export", "clusters", "-o", "s/store.json"], 73),
            (["export", "entries", "--format", "jsonl", "-o", "link/roost.sqlite-wal"], 73),
        ] {
            let store = ["init", "copy"].contains(arguments[0]) ? [] : ["--store", "s"]
            let outcome = try commands.roost(arguments + store)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
            let reason = status == 73 ? "belongs to the store in" : "inside the folder of the store"
            #expect(outcome.error.contains(reason), "\(arguments): \(outcome)")
        }
        // The folder of a store can be that of a project.
        #expect(try commands.roost("export", "entries", "-o", "s/swifts.csv", "--store", "s").status == 0)
        #expect(!FileManager.default.fileExists(atPath: home.appendingPathComponent("s/inner").path))
        #expect(try Data(contentsOf: home.appendingPathComponent("s/store.json")) == manifest)
    }

    @Test func `a file of another program with the name of the manifest is no store`() throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: home.appendingPathComponent("store.json"))
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        // Opening a pipe for reading would wait for a writer.
        try FileManager.default.removeItem(at: home.appendingPathComponent("store.json"))
        #expect(mkfifo(home.appendingPathComponent("store.json").path, 0o600) == 0)
        #expect(try commands.roost("init", "t", "--model", "lexical").status == 0)
    }

    @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
    func `a killed copy resumes`(from: String, to: String) throws {
        let lines = (0..<8000).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts\"}\n" }
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(lines.joined().utf8).write(to: home.appendingPathComponent("lines.jsonl"))
        #expect(try commands.roost("init", "s", "--provider", from, "--model", "lexical").status == 0)
        #expect(try commands.roost("ingest", "lines.jsonl", "-q", "--store", "s").status == 0)
        let before = try exports("s")
        let copy = ["copy", "s", "copied", "--provider", to, "-q"]
        for milliseconds in [60, 120, 250, 400] {
            let running = try commands.start(copy)
            usleep(UInt32(milliseconds * 1000))
            kill(running.process.processIdentifier, SIGKILL)
            _ = try running.outcome()
        }
        #expect(try commands.roost(copy).status == 0)
        #expect(try exports("copied") == before)
        #expect(try commands.roost("doctor", "--store", "copied").status == 0)
    }

    @Test func `undo reverts the last command`() throws {
        try fill("sqlite")
        func contents() throws -> Set<Substring> { Set(try exports("s")[0].split(separator: "\n")) }
        let before = try contents()
        let folder = Fixtures.folder.appendingPathComponent("notes/birds").path
        for arguments in [
            ["add", "a text"], ["remove", "--source", folder, "--yes"], ["recluster", "--clusters", "7"],
        ] {
            #expect(try commands.roost(arguments + ["--store", "s", "-q"]).status == 0, "\(arguments)")
            let undone = try commands.roost("undo", "--store", "s")
            #expect(undone.output.contains("`roost \(arguments[0])`"), "\(undone)")
            #expect(try contents() == before, "\(arguments)")
        }
        let nothing = try commands.roost("undo", "--store", "s")
        #expect(nothing.status == 66 && nothing.error.contains("only the last change can be undone"))
    }

    @Test func `a store does not exceed its maximum size`() throws {
        #expect(try commands.roost("init", "s", "--max-size", "1MB", "--model", "lexical").status == 0)
        let lines = (0..<4000).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts\"}\n" }
        try Data(lines.joined().utf8).write(to: home.appendingPathComponent("lines.jsonl"))
        let full = try commands.roost("ingest", "lines.jsonl", "--store", "s", "-q")
        #expect(full.status == 74 && full.error.contains("limit"), "\(full.error)")
        #expect(try commands.roost("doctor", "--compact", "--max-size", "none", "--store", "s").status == 0)
        #expect(try commands.roost("ingest", "lines.jsonl", "--store", "s", "-q").status == 0)
        let low = try commands.roost("doctor", "--compact", "--max-size", "1MB", "--store", "s")
        #expect(low.status == 64 && low.error.contains("remove entries first"))
    }
}
