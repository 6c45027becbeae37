import Foundation
import RoostFiles
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

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

    /// Stores a source with its original, and returns the source.
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
        let snapshot = try await storage.snapshot()
        _ = try await Undo(try recorder.contents().records, stamp: snapshot.stamp)
            .run(on: storage, snapshot, isDryRun: false)
        recorder.remove(try recorder.contents())
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
        #expect(try recorder.contents().records.count == 1)
    }

    @Test func `a commit that removes no document does not wait for a compaction`() async throws {
        _ = try await fill()
        let lock = try FileLock.acquire(folder.appendingPathComponent("originals/.lock"), timeout: 0)
        defer { lock.release() }
        let recorder = UndoRecorder(directory: folder, command: "add")
        let recording = storage.recording(recorder, keeping: originals)
        _ = try await recording.commit(WriteBatch(upserts: [Entry(content: "a", embeddings: [1])]))
        #expect(try recorder.contents().records.count == 1)
    }

    @Test func `a recorder in memory keeps the documents that it needs`() async throws {
        let source = try await fill()
        let recorder = UndoRecorder(command: "remove")
        let recording = storage.recording(recorder, keeping: originals)
        _ = try await recording.commit(WriteBatch(removedSources: [source.id]))
        let kept = try await originals.removeUnreferenced(by: storage, in: folder, recorder: recorder)
        #expect(kept == 0)
        #expect(try await originals.removeUnreferenced(by: storage, in: folder) == 1)
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
        #expect(try recorder.contents().records.isEmpty)
        #expect(failures.withLock { $0.count } == 1)
    }

    @Test func `reading undo records blocks no thread of the cooperative pool`() async throws {
        let folder = folder
        let record = folder.appendingPathComponent("undo.jsonl")
        let store = try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder())
        let wasFree = try await BlockedReads.run(of: record) {
            _ = try? await store.undo(isDryRun: true)
        }
        #expect(wasFree)
        try await store.close()
    }
}
