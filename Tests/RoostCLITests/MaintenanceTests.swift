import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the commands `doctor`, `copy` and `undo`.
@Suite(.temporaryFolders) struct MaintenanceTests {
    let commands = CommandLineDriver()
    private var home: URL { commands.home }

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
        try commands.write("{}", to: "store.json")
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        // Opening a pipe for reading would wait for a writer.
        try FileManager.default.removeItem(at: home.appendingPathComponent("store.json"))
        #expect(mkfifo(home.appendingPathComponent("store.json").path, 0o600) == 0)
        #expect(try commands.roost("init", "t", "--model", "lexical").status == 0)
    }

    @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
    func `a killed copy resumes`(from: String, to: String) throws {
        let lines = (0..<8000).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts\"}\n" }
        try commands.write(lines.joined(), to: "lines.jsonl")
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
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        try commands.write("the swift is back", to: "swift.md")
        let done = [
            ["ingest", "swift.md"], ["add", "a text", "--tag", "a"], ["recluster", "--clusters", "1"],
            ["remove", "--tag", "a", "--yes"],
        ]
        for arguments in done {
            #expect(try commands.roost(arguments + ["--store", "s", "-q"]).status == 0, "\(arguments)")
        }
        for arguments in done.reversed() {
            let undone = try commands.roost("undo", "--store", "s")
            #expect(undone.output.contains("`roost \(arguments[0])`"), "\(undone)")
        }
        try commands.expect(66, "nothing to undo", "undo", "--store", "s")
        #expect(try commands.roost("list", "--count", "--store", "s").output == "0\n")
    }

    @Test func `a store does not exceed its maximum size`() throws {
        #expect(try commands.roost("init", "s", "--max-size", "1MB", "--model", "lexical").status == 0)
        let lines = (0..<4000).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts\"}\n" }
        try Data(lines.joined().utf8).write(to: home.appendingPathComponent("lines.jsonl"))
        try commands.expect(74, "limit", "ingest", "lines.jsonl", "--store", "s", "-q")
        #expect(try commands.roost("doctor", "--compact", "--max-size", "none", "--store", "s").status == 0)
        #expect(try commands.roost("ingest", "lines.jsonl", "--store", "s", "-q").status == 0)
        let low = try commands.roost("doctor", "--compact", "--max-size", "1MB", "--store", "s")
        #expect(low.status == 64 && low.error.contains("remove entries first"))
    }
}

/// Messages about damaged stores name the cause and lead to the repair.
@Suite(.temporaryFolders) struct StoreDamageTests {
    let cli = CommandLineDriver()

    @Test(arguments: ["sqlite", "json"])
    func `a store without its manifest is named, and every command leads to the repair`(
        provider: String
    ) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s/store.json"))
        for arguments in [
            ["add", "--store=s", "another"], ["init", "--store=s", "--model=lexical", "--provider=json"],
        ] {
            let outcome = try cli.roost(arguments)
            #expect([65, 66].contains(outcome.status), "\(outcome)")
            #expect(outcome.error.contains("store.json"), "\(outcome)")
            #expect(outcome.error.contains("is missing") && outcome.error.contains("`roost doctor --repair`"))
            #expect(!FileManager.default.fileExists(atPath: cli.home.path + "/s/store.json"))
        }
        #expect(try cli.roost("doctor", "--store=s", "--repair").status == 0)
        #expect(try cli.roost("list", "--store=s").output.contains("a text about swifts"))
    }

    @Test(arguments: [("sqlite", "roost.sqlite"), ("json", "Storage/CURRENT")])
    func `a folder in place of a file is named, and the store is repaired after it is moved away`(
        provider: String, name: String
    ) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider", provider).status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        let file = cli.home.appendingPathComponent("s/\(name)")
        let kept = cli.home.appendingPathComponent("kept")
        try FileManager.default.moveItem(at: file, to: kept)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        for arguments in [["list"], ["doctor", "--repair"]] {
            let outcome = try cli.roost(arguments + ["--store=s"])
            #expect(outcome.status == 74 && outcome.error.contains("s/\(name)"), "\(outcome)")
            #expect(outcome.error.contains("it is a folder, not a file"), "\(outcome)")
        }
        try FileManager.default.removeItem(at: file)
        if provider == "sqlite" { try FileManager.default.moveItem(at: kept, to: file) }
        #expect(try cli.roost("doctor", "--store=s", "--repair").status == 0)
        #expect(try cli.roost("list", "--store=s").output.contains("a text about swifts"))
    }

    @Test func `a repair that could not recover everything names the backups`() throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical", "--provider=json").status == 0)
        #expect(try cli.roost("add", "--store=s", "a text about swifts").status == 0)
        let storage = cli.home.appendingPathComponent("s/Storage")
        let journal = try #require(
            FileManager.default.subpaths(atPath: storage.path)?.first { $0.hasPrefix("journal-") })
        try Data().write(to: storage.appendingPathComponent(journal))
        let repaired = try cli.roost("doctor", "--store=s", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("continues with 0 entries"), "\(repaired)")
        #expect(repaired.error.contains("`roost backup list`"), "\(repaired)")
    }
}

/// Tests of stores whose manifest and storage do not belong together.
@Suite(.temporaryFolders) struct StoreIdentityTests {
    let commands = CommandLineDriver()
    var home: URL { commands.home }

    private func fill(_ name: String, _ provider: String = "sqlite", _ text: String) throws {
        #expect(try commands.roost("init", name, "--provider", provider, "--model", "lexical").status == 0)
        #expect(try commands.roost("add", text, "--store", name, "-q").status == 0)
    }

    private func manifest(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: home.appendingPathComponent("\(name)/store.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    private func change(_ name: String, _ body: (inout [String: Any]) -> Void) throws {
        var manifest = try manifest(name)
        body(&manifest)
        try JSONSerialization.data(withJSONObject: manifest).write(
            to: home.appendingPathComponent("\(name)/store.json"))
    }

    private func expectRefused(_ name: String, _ words: String) throws {
        for arguments in [["list"], ["add", "a stork"]] {
            try commands.expect(65, words, arguments + ["--store", name])
        }
        let doctor = try commands.roost("doctor", "--store", name)
        #expect(doctor.status == 65 && doctor.output.contains(words), "\(doctor)")
    }

    @Test(arguments: ["sqlite", "json"])
    func `a storage of another store is refused, and a repair adopts it`(provider: String) throws {
        try fill("mine", provider, "a swift")
        try fill("other", provider, "a boat")
        let path = provider == "sqlite" ? "roost.sqlite" : "Storage"
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: home.appendingPathComponent("mine").path)
        where name.hasPrefix(path) { try files.removeItem(at: home.appendingPathComponent("mine/\(name)")) }
        for name in try files.contentsOfDirectory(atPath: home.appendingPathComponent("other").path)
        where name.hasPrefix(path) {
            try files.copyItem(
                at: home.appendingPathComponent("other/\(name)"),
                to: home.appendingPathComponent("mine/\(name)"))
        }
        try expectRefused("mine", "contains the store")
        // The model computed the vectors of both stores, so a repair can use the storage.
        let repair = try commands.roost("doctor", "--repair", "--store", "mine")
        #expect(repair.status == 0, "\(repair)")
        #expect(try commands.roost("list", "--store", "mine").output.contains("a boat"))
        #expect(try manifest("mine")["store"] as? String == manifest("other")["store"] as? String)
    }

    @Test(arguments: [("sqlite", "json"), ("json", "sqlite")])
    func `a manifest that names the wrong provider is refused, and a repair corrects it`(
        providers: (String, String)
    ) throws {
        try fill("s", providers.0, "a swift")
        try change("s") { $0["provider"] = providers.1 }
        try expectRefused("s", "names the provider \(providers.1)")
        #expect(try commands.roost("doctor", "--repair", "--store", "s").status == 0)
        #expect(try commands.roost("list", "--store", "s").output.contains("a swift"))
        #expect(try manifest("s")["provider"] as? String == providers.0)
        #expect(try manifest("s")["store"] is String)
    }

    @Test(arguments: ["sqlite", "json"])
    func `a store without its storage is not empty but damaged`(provider: String) throws {
        try fill("s", provider, "a swift")
        let folder = home.appendingPathComponent("s")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("roost.sqlite") || name == "Storage" {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        try expectRefused("s", "is missing")
        let repair = try commands.roost("doctor", "--repair", "--store", "s")
        #expect(repair.status == 65 && repair.error.contains("is missing"), "\(repair)")
        #expect(repair.error.contains("`roost backup restore"), "\(repair)")
        #expect(
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("roost.sqlite").path)
                && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Storage").path))
    }
}
