import FakeServer
import Foundation
import RoostChunks
import TestSupport
import Testing

@testable import Roost

/// Tests of the command `backup`.
@Suite(.temporaryFolders) struct BackupCommandTests {
    let cli = CommandLineDriver()

    func prepare(_ count: Int = 300) throws {
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let lines = (0..<count).map { "{\"text\": \"\(SampleTexts.subjects[$0 % 4]) \($0)\"}\n" }.joined()
        try cli.write(lines, to: "t.jsonl")
        #expect(try cli.roost("ingest", "--store", "s", "t.jsonl").status == 0)
        #expect(try cli.roost("recluster", "--store", "s", "--clusters=4").status == 0)
    }

    /// Returns the exported entries, the clusters and the results of a query, none of which contain the
    /// store's identity.
    func contents(_ store: String) throws -> [String] {
        let entries = try cli.roost(
            "export", "entries", "--store=\(store)", "--with-embeddings", "--format=jsonl")
        let clusters = try cli.roost("cluster", "list", "--store=\(store)", "--json")
        let found = try cli.roost("query", "--store=\(store)", "bread and flour", "--json")
        #expect(entries.status == 0 && clusters.status == 0 && found.status == 0, "\(entries.error)")
        return [entries.output, clusters.output, found.output]
    }

    @Test func `a lost store is restored from its backup, with either provider`() throws {
        try prepare()
        let before = try contents("s")
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--tag=first", "--json")
        #expect(made.status == 0, "\(made.error)")
        let list = try cli.roost("backup", "list", "--to=b", "--format=tsv")
        #expect(list.output.contains("\t300\t4\tfirst"), "\(list.output)")
        let verified = try cli.roost("backup", "verify", "--to=b", "--read-data")
        #expect(verified.status == 0 && verified.output.contains("no damage found"), "\(verified.output)")
        try FileManager.default.removeItem(at: cli.home.appendingPathComponent("s"))
        for target in ["sqlite", "json"] {
            let restored = try cli.roost(
                "backup", "restore", "latest", "--to=b", "--into=r-\(target)", "--provider", target)
            #expect(restored.status == 0, "\(restored.error)")
            #expect(try contents("r-\(target)") == before)
            #expect(try cli.roost("doctor", "--store=r-\(target)").status == 0)
        }
    }

    @Test func `commands name a damaged snapshot, use the others and have status 65`() throws {
        try prepare(40)
        for _ in 0..<2 { #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0) }
        let snapshots = cli.home.appendingPathComponent("b/snapshots")
        let ids = try cli.roost("backup", "list", "--to=b", "--format=tsv").output.split(separator: "\n")
            .dropFirst().compactMap { $0.split(separator: "\t").first.map { String($0.prefix(8)) } }
        let name = try #require(
            FileManager.default.subpaths(atPath: snapshots.path)?.first { $0.hasPrefix(ids[1]) })
        try Data("{".utf8).write(to: snapshots.appendingPathComponent(name))
        let list = try cli.roost("backup", "list", "--to=b")
        #expect(list.status == 65 && list.output.contains(ids[0]) && !list.output.contains(ids[1]))
        #expect(list.error.contains("`roost backup forget \(name.prefix(12))`"), "\(list.error)")
        let restored = try cli.roost("backup", "restore", "latest", "--to=b", "--into=r")
        #expect(restored.status == 65 && restored.error.contains(ids[1]), "\(restored)")
        // These commands remove data, so they do not guess.
        for arguments in [["prune"], ["forget", "latest"]] {
            let refused = try cli.roost(["backup"] + arguments + ["--to=b"])
            #expect(refused.status == 65 && refused.error.contains(ids[1]), "\(refused)")
        }
        #expect(try cli.roost("backup", "forget", "--to=b", ids[1]).status == 0)
        #expect(try cli.roost("backup", "prune", "--to=b").output.hasPrefix("kept 1 snapshot;"))
        let rest = try cli.roost("backup", "list", "--to=b")
        #expect(rest.status == 0 && rest.output.contains(ids[0]) && !rest.error.contains("cannot read"))
    }

    @Test func `an encrypted repository requires its passphrase, which can be changed`() throws {
        try prepare(50)
        for (file, text) in [("one", "first word\n"), ("two", "second\nline\n")] {
            try text.write(to: cli.home.appendingPathComponent(file), atomically: true, encoding: .utf8)
        }
        let made = try cli.roost("backup", "create", "--store=s", "--to=b", "--password-file=one")
        #expect(made.status == 0 && !made.error.contains("not encrypted"), "\(made.error)")
        try cli.expect(78, "use --password-file", "backup", "list", "--to=b")
        try cli.expect(78, "passphrase is wrong", "backup", "list", "--to=b", "--password-file=two")
        let process = try cli.start(
            ["backup", "password", "--to=b", "--new-password-file=two"],
            environment: ["ROOST_BACKUP_PASSWORD": "first word"])
        #expect(try process.outcome().status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=two").status == 0)
        #expect(try cli.roost("backup", "list", "--to=b", "--password-file=one").status == 78)
    }

    @Test func `each mistake is reported with its exit status`() throws {
        try prepare(20)
        #expect(try cli.roost("backup", "create", "--store=s", "--to=b").status == 0)
        try "x".write(to: cli.home.appendingPathComponent("file"), atomically: true, encoding: .utf8)
        for (arguments, status, words) in [
            (["backup", "create", "--store=none"], 66, "roost init"),
            (["backup", "create", "--store=s", "--to=."], 73, "contains other files"),
            (["backup", "list", "--store=none"], 66, "backup create"),
            (["backup", "create", "--store=s", "--to=ftp://x/y"], 64, "unsupported backup location"),
            (["backup", "create", "--store=s", "--to=s3://bucket/p"], 78, "AWS_ACCESS_KEY_ID"),
            (["backup", "restore", "latest", "--to=b", "--into=s"], 73, "a store in"),
            (["backup", "prune", "--to=b", "--keep-last=0"], 64, "no snapshot"),
            (["backup", "list", "--to=b", "--password-file=none"], 66, "cannot read a passphrase from"),
            (["backup", "list", "--password-file=file", "--key-file=file"], 64, "cannot be combined"),
            (["backup", "list", "--to=b", "--password-file=file"], 78, "not encrypted"),
        ] as [([String], Int32, String)] {
            let outcome = try cli.roost(arguments)
            #expect(
                outcome.status == status && outcome.error.contains(words),
                "\(arguments): \(outcome.status) \(outcome.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("none").path))
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("r").path))
    }

    @Test func `backups can be stored in a bucket`() async throws {
        try prepare(40)
        let store = try await FakeObjectStore()
        let environment = [
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "ROOST_BACKUP_PASSWORD": "swifts",
        ]
        func run(_ arguments: String...) throws -> CommandLineDriver.Outcome {
            let running = try cli.start(arguments, environment: environment)
            try running.input.close()
            return try running.outcome()
        }
        #expect(try cli.roost("config", "s3-endpoint", store.address).status == 0)
        // Every fifth request is answered with "slow down".
        store.fail { _, number in number % 5 == 0 ? .slowDown : nil }
        let location = "--to=s3://bucket/notes"
        let made = try run("backup", "create", "--store=s", location)
        #expect(made.status == 0, "\(made.error)")
        #expect(!store.names.isEmpty && store.names.allSatisfy { $0.hasPrefix("/bucket/notes/") })
        #expect(try run("backup", "verify", location, "--read-data").status == 0)
        let restored = try run("backup", "restore", "latest", location, "--into=r")
        #expect(restored.status == 0, "\(restored.error)")
        #expect(try contents("r") == contents("s"))
        store.fail { _, _ in .portal }
        let portal = try run("backup", "list", location)
        #expect(
            portal.status == 74 && portal.error.contains("is not an object store"), "\(portal.error)")
        #expect(!portal.error.contains("secret"))
        await store.close()
    }
}

/// Tests of restoring backups into folders that others use, and of damaged backups.
@Suite(.temporaryFolders) struct RestoreTests {
    private let cli = CommandLineDriver()

    private func repository() async throws -> BackupRepository {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        for text in ["a swift in the roof", "bread in the oven"] { try await store.add(text) }
        try await store.close()
        let repository = try await BackupRepository.create(in: InMemoryRetrieval())
        _ = try await StoreBackup(folder).create(in: repository)
        return repository
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `a second restoration into the same folder is refused while the first one runs`() async throws
    {
        let repository = try await repository()
        let snapshot = try await repository.snapshot("latest")
        let target = try TemporaryFolder().url.appendingPathComponent("restored")
        // The lock and the files of another process that is restoring.
        let other = target.deletingLastPathComponent().appendingPathComponent(".restored.restoring")
        let lock = open(other.path + ".lock", O_RDWR | O_CREAT, 0o600)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: other.appendingPathComponent("roost.sqlite"))
        await #expect { try await StoreBackup(target).restore(snapshot, from: repository) } throws: {
            ($0 as? BackupError)?.code == .locked
        }
        #expect(try names(in: other) == ["roost.sqlite"])
        // When that process has ended, its unfinished files are replaced.
        close(lock)
        try await StoreBackup(target).restore(snapshot, from: repository)
        let store = try await KnowledgeStore.open(at: target) { _ in LexicalEmbedder() }
        #expect(try await store.storage.fetchEntries().count == 2)
        try await store.close()
        #expect(try names(in: target.deletingLastPathComponent()) == ["restored"])
    }

    @Test(.enabled(if: getuid() != 0, "the superuser can remove all files"))
    func `a restoration is refused if the files of an interrupted one cannot be removed`() async throws {
        let repository = try await repository()
        let snapshot = try await repository.snapshot("latest")
        let target = try TemporaryFolder().url.appendingPathComponent("restored")
        let staging = target.deletingLastPathComponent().appendingPathComponent(".restored.restoring")
        let inner = staging.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: inner.appendingPathComponent("file"))
        #expect(chmod(inner.path, 0o500) == 0)
        defer { chmod(inner.path, 0o700) }
        await #expect(throws: (any Error).self) {
            try await StoreBackup(target).restore(snapshot, from: repository)
        }
        #expect(!FileManager.default.fileExists(atPath: target.path))
        #expect(try names(in: staging) == ["inner"])
    }

    @Test func `a failed restoration removes only the files that it created`() async throws {
        let repository = try await repository()
        let snapshot = try await repository.snapshot("latest")
        let target = try TemporaryFolder().url
        let foreign = target.appendingPathComponent("letter.txt")
        let task = Task {
            try await StoreBackup(target).restore(snapshot, from: repository) { _, _ in
                try? Data("written by somebody else".utf8).write(to: foreign)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try names(in: target) == ["letter.txt"])
        let staging = target.deletingLastPathComponent()
            .appendingPathComponent(".\(target.lastPathComponent).restoring")
        #expect(!FileManager.default.fileExists(atPath: staging.path))
        // A folder that the restoration created is removed if it is empty.
        let new = TemporaryFolder.unusedURL()
        let second = Task {
            try await StoreBackup(new).restore(snapshot, from: repository) { _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        _ = await second.result
        #expect(!FileManager.default.fileExists(atPath: new.path))
        await #expect { try await StoreBackup(target).restore(snapshot, from: repository) } throws: {
            ($0 as? RoostError)?.code == .configuration
        }
    }

    @Test func `the command restores what is intact from a damaged backup, and lists the rest`() throws {
        // Each text is large enough for a pack to contain several runs of entries.
        let rows = (0..<400).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts in the roof\"}\n" }
        try cli.write(rows.joined(), to: "t.jsonl")
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("ingest", "t.jsonl", "--store=s").status == 0)
        #expect(try cli.roost("backup", "create", "--to=b", "--store=s").status == 0)
        let packs = cli.home.appendingPathComponent("b")
        let largest = try #require(
            try TemporaryFolder.files(in: packs).filter { $0.key.contains("pack") }
                .max { $0.value.count < $1.value.count })
        var data = largest.value
        for offset in data.count * 2 / 3..<data.count * 2 / 3 + 64 { data[offset] ^= 1 }
        try data.write(to: packs.appendingPathComponent(largest.key))
        let refused = try cli.roost("backup", "restore", "latest", "--into=r", "--to=b", "--store=s")
        #expect(refused.status == 65 && refused.error.contains("--allow-damaged"), "\(refused.error)")
        #expect(!FileManager.default.fileExists(atPath: cli.home.appendingPathComponent("r").path))
        let partial = try cli.roost(
            "backup", "restore", "latest", "--into=r", "--to=b", "--store=s", "--allow-damaged")
        #expect(partial.status == 65 && partial.output.hasPrefix("restored"), "\(partial.error)")
        #expect(partial.error.contains("missing: "), "\(partial.error)")
        let count = try cli.roost("list", "--store=r").output.split(separator: "\n").count
        #expect(count > 100, "\(count) entries")
        // The repair computes missing vectors.
        _ = try cli.roost("doctor", "--repair", "--store=r")
        #expect(try cli.roost("doctor", "--store=r").status == 0)
    }
}
