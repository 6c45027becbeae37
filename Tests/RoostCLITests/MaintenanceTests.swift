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
        let stats = try commands.roost("status", "--json", "--store", store).output
        let object = try JSONSerialization.jsonObject(with: Data(stats.utf8)) as? [String: Any]
        let stamp = try #require(object?["stamp"] as? [String: Any])
        let fields = stamp.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
        return [entries.output, clusters.output, fields]
    }

    @Test func `no command writes copies or exports into the folder of a store`() throws {
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        #expect(try commands.roost("add", "the swift is back", "--store", "s").status == 0)
        #expect(try commands.roost("backup", "create", "--store", "s").status == 0, "the own repository")
        try FileManager.default.createSymbolicLink(
            at: home.appendingPathComponent("link"), withDestinationURL: home.appendingPathComponent("s"))
        let manifest = try Data(contentsOf: home.appendingPathComponent("s/store.json"))
        for (arguments, status) in [
            (["init", "s/inner"], Int32(78)), (["copy", "s", "s/inner"], 78),
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
        #expect(!FileManager.default.fileExists(atPath: home.appendingPathComponent("s/a").path))
        #expect(try Data(contentsOf: home.appendingPathComponent("s/store.json")) == manifest)
        #expect(try commands.roost("list", "--store", "s").output.contains("the swift is back"))
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
        // The revision and the id of the store differ.
        #expect(try exports("copied").dropLast() == before.dropLast())
        #expect(try commands.roost("doctor", "--store", "copied").status == 0)
    }

    @Test(arguments: ["sqlite", "json"]) func `undo reverts the last command`(provider: String) throws {
        try fill(provider)
        func contents() throws -> Set<Substring> { Set(try exports("s")[0].split(separator: "\n")) }
        let before = try contents()
        let clusters = try exports("s")[1]
        let first = try commands.roost("list", "-n", "1", "--json", "--store", "s").output
        let object = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [[String: Any]]
        let id = try #require(object?.first?["id"] as? String)
        let folder = Fixtures.folder.appendingPathComponent("notes/birds").path
        let lines = home.appendingPathComponent("more.jsonl")
        try Data((0..<600).map { "{\"id\": \($0), \"text\": \"more of it, \($0)\"}\n" }.joined().utf8).write(
            to: lines)
        for arguments in [
            ["add", "a text"], ["remove", id], ["remove", "--source", folder, "--yes"],
            ["edit", id, "--add-tag", "new"],
            ["ingest", lines.path], ["edit", id, "--text", "another text"],
            ["recluster", "--clusters", "7", "--seed", "3"],
        ] {
            let running = try commands.start(arguments + ["--store", "s", "-q"])
            try running.input.close()
            #expect(try running.outcome().status == 0, "\(arguments)")
            #expect(try commands.roost("undo", "--dry-run", "--store", "s").status == 0)
            let undone = try commands.roost("undo", "--store", "s")
            #expect(undone.status == 0, "\(arguments): \(undone.error)")
            #expect(undone.output.contains("`roost \(arguments[0])`"))
            #expect(try contents() == before, "\(arguments)")
        }
        let documents = try [clusters, exports("s")[1]].map { text in
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        }
        let labels = documents.map { document in
            (document?["clusters"] as? [[String: Any]] ?? []).map {
                "\($0["id"] ?? ""), \($0["label"] ?? ""), \($0["size"] ?? "")"
            }
        }
        #expect(labels[0] == labels[1] && labels[0].count == 5)
        let nothing = try commands.roost("undo", "--store", "s")
        #expect(nothing.status == 66 && nothing.error.contains("nothing to undo"))
        #expect(nothing.error.contains("only the last change can be undone"), "\(nothing.error)")
        #expect(try commands.roost("init", "new", "--model", "lexical").status == 0)
        let unchanged = try commands.roost("undo", "--store", "new")
        #expect(unchanged.error.contains("has not been changed"), "\(unchanged.error)")
    }

    @Test func `dates of JSON output are ISO 8601, and ids are in lower case`() throws {
        #expect(try commands.roost("add", "one", "--store", "s").status == 0)
        #expect(try commands.roost("index", "--store", "s").status == 0)
        func values(_ arguments: String...) throws -> [String: Any] {
            let output = try commands.roost(arguments + ["--store", "s", "--json"]).output
            return try #require(
                try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)")
        }
        for (arguments, key) in [(["undo", "--dry-run"], "date"), (["status"], "createdAt")] {
            let output = try commands.roost(arguments + ["--store", "s", "--json"]).output
            #expect(
                output.contains(#/"(date|createdAt)" : "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/#),
                "\(key): \(output)")
        }
        let stamp = try #require(try values("status")["stamp"] as? [String: Any])
        let store = try #require(stamp["store"] as? String)
        #expect(store == store.lowercased() && UUID(uuidString: store) != nil)
    }

    @Test func `a damaged manifest of a folder without entries is explained`() throws {
        let folder = home.appendingPathComponent("empty")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: folder.appendingPathComponent("store.json"))
        let outcome = try commands.roost("status", "--store", "empty")
        #expect(outcome.status == 65 && outcome.error.contains("contains no entries"), "\(outcome.error)")
        #expect(!outcome.error.contains("doctor"))
    }

    @Test func `undo is refused if the store has changed since`() throws {
        #expect(try commands.roost("add", "one", "--store", "s").status == 0)
        let file = home.appendingPathComponent("s/undo.jsonl")
        let record = try Data(contentsOf: file)
        #expect(try commands.roost("add", "two", "--store", "s").status == 0)
        try record.write(to: file)
        let outcome = try commands.roost("undo", "--store", "s")
        #expect(outcome.status == 66 && outcome.error.contains("has been changed by another"))
        // If two commands run at the same time, neither can be undone.
        #expect(try commands.roost("add", "three", "--store", "s").status == 0)
        let mine = try Data(contentsOf: file)
        #expect(try commands.roost("add", "four", "--store", "s").status == 0)
        try (mine + Data(contentsOf: file)).write(to: file)
        #expect(try commands.roost("undo", "--store", "s").error.contains("has been changed by another"))
        try Data("{".utf8).write(to: file)
        #expect(try commands.roost("undo", "--store", "s").error.contains("damaged"))
        #expect(try commands.roost("list", "--store", "s").output.split(separator: "\n").count == 4)
    }

    @Test(arguments: ["sqlite", "json"]) func `doctor finds and repairs damage`(provider: String) throws {
        try fill(provider)
        let before = try exports("s")
        #expect(try commands.roost("doctor", "--store", "s").status == 0)
        // The manifest is missing.
        let manifest = home.appendingPathComponent("s/store.json")
        try FileManager.default.removeItem(at: manifest)
        #expect(try commands.roost("doctor", "--store", "s").status == 65)
        #expect(try commands.roost("list", "--store", "s").status == 66)
        #expect(try commands.roost("doctor", "--repair", "--store", "s").status == 0)
        #expect(try exports("s") == before)
        // A byte in the middle of the entries is wrong.
        let path = provider == "json" ? "s/Storage/generations/2/entries.json" : "s/roost.sqlite"
        let file = home.appendingPathComponent(path)
        if provider == "json" {
            #expect(try commands.roost("doctor", "--compact", "--store", "s").status == 0)
        }
        var data = try Data(contentsOf: file)
        let offset = try #require(data.firstRange(of: Data("kestrel".utf8))?.lowerBound)
        data[offset] = UInt8(ascii: "K")
        try data.write(to: file)
        let inspected = try commands.roost("doctor", "--store", "s", "--json")
        #expect(inspected.status == 65)
        let findings = try JSONSerialization.jsonObject(with: Data(inspected.output.utf8)) as? [[String: Any]]
        #expect(findings?.contains { $0["severity"] as? String == "damage" } == true)
        let repaired = try commands.roost("doctor", "--repair", "--store", "s")
        #expect(repaired.status == 0, "\(repaired.output)")
        #expect(try commands.roost("doctor", "--store", "s").status == 0)
        let left = try commands.roost("list", "--store", "s").output.split(separator: "\n").count
        #expect(left == (provider == "json" ? 311 : 310), "\(left)")
    }

    @Test(arguments: ["sqlite", "json"]) func `a store does not exceed its maximum size`(provider: String)
        throws
    {
        #expect(
            try commands.roost("init", "s", "--provider", provider, "--max-size", "1MB", "--model", "lexical")
                .status == 0)
        let lines = (0..<4000).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts\"}\n" }
        try Data(lines.joined().utf8).write(to: home.appendingPathComponent("lines.jsonl"))
        let full = try commands.roost("ingest", "lines.jsonl", "--store", "s", "-q")
        #expect(full.status == 74 && full.error.contains("limit"), "\(full.error)")
        #expect(try commands.roost("doctor", "--store", "s").status == 0)
        #expect(try commands.roost("doctor", "--compact", "--max-size", "1kB", "--store", "s").status == 64)
        #expect(try commands.roost("doctor", "--compact", "--max-size", "none", "--store", "s").status == 0)
        #expect(try commands.roost("ingest", "lines.jsonl", "--store", "s", "-q").status == 0)
        #expect(try commands.roost("status", "--store", "s").output.contains("4000 from 1 source\n"))
        let low = try commands.roost("doctor", "--compact", "--max-size", "1MB", "--store", "s")
        #expect(low.status == 64 && low.error.contains("remove entries first"))
    }
}
