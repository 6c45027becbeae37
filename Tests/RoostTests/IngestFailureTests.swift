import Foundation
import RoostFiles
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of the size of the commits of an ingest with a slow model.
@Suite struct CommitIntervalTests {
    /// An embedder that needs a millisecond for 20 bytes, and is interrupted by its third call.
    private final class SlowEmbedder: Embedder {
        private let base = LexicalEmbedder()
        let lengths = Mutex<[Int]>([])
        let maximumTokens: Int? = nil
        var space: EmbeddingSpace { base.space }

        func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
            let length = texts.reduce(0) { $0 + $1.utf8.count }
            let count = lengths.withLock { lengths in
                if length > 0 { lengths.append(length) }
                return lengths.count
            }
            guard count < 3 else { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(length / 20))
            return try await base.embed(texts, as: role)
        }

        func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
    }

    @Test func `a slow model embeds few texts per commit, and an interruption keeps them`() async throws {
        let embedder = SlowEmbedder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: embedder)
        let sources = (0..<64).map { number in
            SourceDraft(
                id: "\(number)", fingerprint: "1",
                entries: [
                    EntryDraft(key: "k", content: "\(number) " + String(repeating: "swift ", count: 300))
                ])
        }
        let written = Mutex(0)
        let options = IngestOptions { progress in written.withLock { $0 = progress.written } }
        await #expect(throws: CancellationError.self) { try await store.ingest(sources, options) }
        let lengths = embedder.lengths.withLock(\.self)
        #expect(lengths.allSatisfy { $0 < 40_000 }, "\(lengths)")
        let count = try await store.storage.snapshot().stamp.entryCount
        #expect(count > 0 && count < 64)
        #expect(written.withLock(\.self) == count)
        // Each entry has the record of its source.
        #expect(try await store.storage.snapshot().sources().count == count)
    }
}

/// Tests of the write-ahead log of a database during an ingest.
@Suite(.temporaryFolders) struct IngestLogTests {
    @Test(arguments: [1, 4000]) func `the log stays short during an ingest`(sources: Int) async throws {
        let folder = TemporaryFolder.unusedURL()
        let store = try await KnowledgeStore.create(
            at: folder, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: folder, command: "ingest"))
        let drafts = (0..<sources).map { source in
            SourceDraft(
                id: "\(source)", fingerprint: "1",
                entries: (0..<4000 / sources).map { number in
                    EntryDraft(key: "\(number)", content: "note \(number) of source \(source)")
                })
        }
        let sizes = Mutex<[Int]>([])
        let log = folder.appendingPathComponent("roost.sqlite-wal").path
        let options = IngestOptions { _ in
            let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
            sizes.withLock { $0.append(size ?? 0) }
        }
        #expect(try await store.ingest(drafts, options).new == 4000)
        let found = sizes.withLock(\.self)
        // A checkpoint follows a commit that makes the log longer than 8 MiB, and a commit adds about 2 MiB.
        #expect(found.contains { $0 > 1 << 20 }, "\(found)")
        #expect(found.allSatisfy { $0 < 16 << 20 }, "\(found)")
    }
}

/// A storage whose first snapshots cannot be taken.
private final class FailingStorage: StorageDecorator {
    let base = InMemoryStorageProvider()
    private let failures: Mutex<Int>

    init(failures: Int) { self.failures = Mutex(failures) }

    func snapshot() async throws -> any StorageSnapshot {
        let fails = failures.withLock { count in
            count -= 1
            return count >= 0
        }
        if fails { throw StorageError(.inputOutput, "cannot read the database") }
        return try await base.snapshot()
    }
}

/// Tests of the ingest of a folder when the storage fails.
@Suite(.temporaryFolders) struct FolderIngestErrorTests {
    private let folder = TemporaryFolder.unusedURL()

    @Test func `a fault of the storage is thrown, and no file is reported as unreadable`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["a.md", "b.md"] {
            try Data("a swift over the roof".utf8).write(to: folder.appendingPathComponent(name))
        }
        let store = KnowledgeStore(storage: FailingStorage(failures: 1), embedder: LexicalEmbedder())
        let error = await #expect(throws: StorageError.self) { try await store.ingest(folder: folder) }
        #expect(error?.code == .inputOutput)
        // The next ingest reads all files.
        let report = try await store.ingest(folder: folder)
        #expect(report.new == 2 && report.skipped.isEmpty)
    }
}

/// Tests that a compaction never removes original files that an undo needs, even if it runs between a
/// removal and the moment at which its undo record is complete.
@Suite(.temporaryFolders) struct OriginalRemovalTests {
    private let folder: URL
    private let document = Data("the stork is back".utf8)
    private let interrupted = InterruptedStorage()
    private var storage: InMemoryStorageProvider { interrupted.base }

    init() throws { folder = try TemporaryFolder().url }

    private var originals: OriginalStore { OriginalStore(of: folder) }
    private var digest: String { SourceDraft.fingerprint(of: document).components(separatedBy: ":")[1] }

    private func fill() async throws -> Source {
        try await originals.store(document)
        let source = Source(id: "file:///a", fingerprint: "sha256:\(digest)")
        _ = try await storage.commit(WriteBatch(sources: [source]))
        #expect(try await originals.document(digest: digest) == document)
        return source
    }

    @Test func `a compaction between a removal and its undo record removes nothing`() async throws {
        let source = try await fill()
        let recorder = UndoRecorder(directory: folder, command: "remove")
        let removed = Mutex<[Int]>([])
        // The compaction runs before the recorder learns of the commit.
        interrupted.afterCommit.set { [originals, storage, folder] in
            let count = try await originals.removeUnreferenced(by: storage, in: folder)
            removed.withLock { $0.append(count) }
        }
        let recording = interrupted.recording(recorder, keeping: originals)
        _ = try await recording.commit(WriteBatch(removedSources: [source.id]))
        #expect(removed.withLock { $0 } == [0])
        // The record is complete now, and keeps the document without any lock.
        #expect(try await originals.removeUnreferenced(by: storage, in: folder) == 0)
        #expect(try await originals.document(digest: digest) == document)
        _ = try await Undo.run(on: storage, in: folder)
        #expect(try await originals.removeUnreferenced(by: storage, in: folder) == 0)
        #expect(try await originals.document(digest: digest) == document)
    }

    @Test func `a removal waits for a compaction that has begun`() async throws {
        let source = try await fill()
        let lock = try FileLock.acquire(folder.appendingPathComponent("originals/.lock"), timeout: 0)
        let recorder = UndoRecorder(directory: folder, command: "remove")
        let recording = storage.recording(recorder, keeping: originals)
        let removal = Task { try await recording.commit(WriteBatch(removedSources: [source.id])) }
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await storage.snapshot().sources().count == 1)
        lock.release()
        _ = try await removal.value
        #expect(try UndoFolder(in: folder).groups().map(\.files.count) == [1])
    }

    @Test func `a commit that removes no document does not wait for a compaction`() async throws {
        _ = try await fill()
        let lock = try FileLock.acquire(folder.appendingPathComponent("originals/.lock"), timeout: 0)
        defer { lock.release() }
        let recorder = UndoRecorder(directory: folder, command: "add")
        let recording = storage.recording(recorder, keeping: originals)
        _ = try await recording.commit(WriteBatch(upserts: [Entry(content: "a", embeddings: [1])]))
        #expect(try UndoFolder(in: folder).groups().map(\.files.count) == [1])
    }

    @Test func `a commit is made even if its documents cannot be locked, but cannot be undone`() async throws
    {
        let source = try await fill()
        // A folder in place of the lock file, which no process can lock.
        let lock = folder.appendingPathComponent("originals/.lock")
        try? FileManager.default.removeItem(at: lock)
        try FileManager.default.createDirectory(at: lock, withIntermediateDirectories: true)
        let failures = Mutex<[String]>([])
        let recorder = UndoRecorder(directory: folder, command: "remove") { message in
            failures.withLock { $0.append(message) }
        }
        let recording = storage.recording(recorder, keeping: originals)
        _ = try await recording.commit(WriteBatch(removedSources: [source.id]))
        #expect(try await storage.snapshot().sources().isEmpty)
        #expect(try UndoFolder(in: folder).groups().isEmpty)
        #expect(failures.withLock { $0.count } == 1)
    }

    @Test func `reading undo records blocks no thread of the cooperative pool`() async throws {
        let folder = folder
        let store = try await KnowledgeStore.create(
            at: folder, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: folder, command: "add"))
        try await store.add("a note")
        let record = try #require(try UndoFolder(in: folder).groups().first?.files.first)
        try FileManager.default.removeItem(at: record)
        let wasFree = try await BlockedReads.run(of: record) { _ = try? await store.undo(isDryRun: true) }
        #expect(wasFree)
        try await store.close()
    }
}
