import Foundation
import RoostChunks
import TestSupport
import Testing

@testable import Roost

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
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        // Each text is large enough for a pack to contain several runs of entries.
        let rows = (0..<400).map { "{\"id\": \($0), \"text\": \"note \($0) of the swifts in the roof\"}\n" }
        try Data(rows.joined().utf8).write(to: cli.home.appendingPathComponent("t.jsonl"))
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
