import Foundation
import Roost
import TestSupport
import Testing

/// Tests of original files, which are stored byte for byte.
@Suite(.temporaryFolders) struct OriginalTests {
    let cli = CommandLineDriver()

    private func write(_ bytes: Data, _ name: String) throws {
        let url = cli.home.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
    }

    private func id(_ text: String, store: String = "s") throws -> String {
        let found = try cli.roost("list", "--store", store, "--json")
        let entries =
            try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [[String: Any]] ?? []
        let entry = entries.first { ($0["text"] as? String)?.contains(text) == true }
        return try #require(entry?["id"] as? String)
    }

    private func original(_ text: String, store: String = "s") throws -> Data {
        // The output is not necessarily text.
        let running = try cli.start(["show", "--store", store, "--original", try id(text, store: store)])
        try running.input.close()
        let data = try running.output.readToEnd() ?? Data()
        _ = try running.error.readToEnd()
        running.process.waitUntilExit()
        #expect(running.process.terminationStatus == 0)
        return data
    }

    private func storedCount(_ store: String = "s") throws -> Int {
        let folder = cli.home.appendingPathComponent("\(store)/originals")
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return all.count { $0.hasSuffix(String($0.suffix(64))) && $0.split(separator: "/").last?.count == 64 }
    }

    private let note = Data([0xEF, 0xBB, 0xBF]) + Data("hello swifts\r\nand caf\u{65}\u{301}\r\n".utf8)
    private let rows = Data("{\"text\": \"row one\"}\n\n{\"text\": \"row two\", \"a\":  1}\n".utf8)

    @Test func `a missing folder of original files is damage, and a repair continues without it`() throws {
        try write(note, "n/a.md")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        // A store that never had original files is intact without the folder.
        #expect(try cli.roost("ingest", "--store=s", "n").status == 0)
        #expect(try cli.roost("doctor", "--store=s").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "n", "--keep-originals").status == 0)
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s/originals"))
        let damaged = try cli.roost("doctor", "--store=s")
        #expect(damaged.status == 65 && damaged.output.contains("originals: is missing"), "\(damaged)")
        try cli.expect(0, "the snapshot has none", "backup", "create", "--store=s", "--to=b")
        let repaired = try cli.roost("doctor", "--store=s", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("continues without"), "\(repaired)")
        #expect(try cli.roost("ingest", "--store=s", "n", "--keep-originals").status == 0)
        #expect(try original("hello") == note)
    }

    @Test func `original files are returned byte for byte, and each is stored once`() throws {
        try write(note, "n/a.md")
        try write(note, "n/copy.md")
        try write(rows, "n/r.jsonl")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "n").status == 0)
        #expect(try storedCount() == 0)
        try cli.expect(66, "--keep-originals", "show", "--store=s", "--original", try id("row one"))
        // The originals of unchanged files are stored as well.
        #expect(try cli.roost("ingest", "--store=s", "n", "--keep-originals").output.contains("4 unchanged"))
        #expect(try storedCount() == 2)
        #expect(try original("hello") == note)
        #expect(try original("row two") == rows)
        try write(Data("another text".utf8), "n/a.md")
        #expect(try cli.roost("ingest", "--store=s", "n", "--keep-originals").status == 0)
        #expect(try original("another") == Data("another text".utf8))
        #expect(try cli.roost("undo", "--store=s").status == 0)
        #expect(try original("hello") == note)
        // No source references the other text any longer.
        #expect(try cli.roost("doctor", "--compact", "--store=s").status == 0)
        #expect(try storedCount() == 2)
        #expect(try original("hello") == note)
    }

    @Test func `backups and copies contain the originals`() throws {
        try write(note, "n/a.md")
        try write(rows, "n/r.jsonl")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "n", "--keep-originals").status == 0)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        let made = try cli.roost("backup", "list", "--store=s", "--to=b", "--json")
        #expect(made.output.contains("\"documents\":2"), "\(made.output)")
        #expect(try cli.roost("backup", "restore", "latest", "--to=b", "--into=r").status == 0)
        #expect(try cli.roost("copy", "s", "m", "--provider=json").status == 0)
        for store in ["r", "m"] {
            #expect(try original("hello", store: store) == note, "\(store)")
            #expect(try original("row one", store: store) == rows, "\(store)")
        }
    }

    @Test func `a damaged original is reported, moved aside and stored again`() throws {
        try write(note, "a.md")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "a.md", "--keep-originals").status == 0)
        let folder = cli.home.appendingPathComponent("s/originals")
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        let file = folder.appendingPathComponent(
            try #require(all.first { $0.split(separator: "/").last?.count == 64 }))
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        #expect(try cli.roost("show", "--store=s", "--original", try id("hello")).status == 65)
        let found = try cli.roost("doctor", "--store=s")
        #expect(found.status == 65 && found.output.contains("damaged original file"), "\(found.output)")
        #expect(try cli.roost("doctor", "--store=s", "--repair").status == 0)
        #expect(try cli.roost("show", "--store=s", "--original", try id("hello")).status == 66)
        #expect(try cli.roost("ingest", "--store=s", "a.md", "--keep-originals").status == 0)
        #expect(try original("hello") == note)
    }

    @Test func `a backup succeeds despite a damaged original, another passphrase or a damaged snapshot`()
        throws
    {
        try write(note, "n/a.md")
        try write(rows, "n/r.jsonl")
        let many = (0..<120).map { "{\"text\": \"row \($0)\"}\n" }.joined()
        try write(Data(many.utf8), "many.jsonl")
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "--store=s", "n", "many.jsonl", "--keep-originals").status == 0)
        let folder = cli.home.appendingPathComponent("s/originals")
        let all = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        let file = folder.appendingPathComponent(
            try #require(all.first { $0.split(separator: "/").last?.count == 64 }))
        try Data("x".utf8).write(to: file)
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--json")
        #expect(made.status == 0 && made.output.contains("\"damagedDocuments\" : [\n"), "\(made)")
        #expect(made.error.contains("excluded a damaged original file"))
        let own = try cli.roost("backup", "create", "--store=s")
        let path = try #require(own.error.firstMatch(of: /written to (\S+);/)?.1)
        #expect(own.status == 0 && path.hasPrefix(cli.home.path + "/.local/share/roost/backups/s-"), "\(own)")
        let snapshots = URL(fileURLWithPath: "\(path)/snapshots")
        let old = try #require(FileManager.default.contentsOfDirectory(atPath: snapshots.path).first)
        try Data("x".utf8).write(to: snapshots.appendingPathComponent(old))
        let running = try cli.start(
            ["remove", "--yes", "--store=s", "--source", "many.jsonl"],
            environment: ["ROOST_BACKUP_PASSWORD": "of another"])
        try running.input.close()
        let removed = try running.outcome()
        #expect(removed.status == 0 && removed.error.contains("created the backup"), "\(removed.error)")
    }

    @Test func `a program stores its own documents as originals`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        let document = Data([0, 1, 2, 255])
        let draft = SourceDraft(
            id: "mail:1", keeping: document, entries: [EntryDraft(content: "what the mail says")])
        _ = try await store.ingest([draft])
        let entry = try #require(try await store.storage.fetchEntries().first)
        #expect(try await store.originals?.document(of: entry.id, in: store.storage.snapshot()) == document)
        var other = draft
        other.original = Data([3])
        await #expect(throws: RoostError.self) { try await store.ingest([other]) }
        let bare = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        await #expect(throws: RoostError.self) { try await bare.ingest([draft]) }
        #expect(try await bare.storage.fetchEntries().isEmpty)
        try await store.close()
    }
}
