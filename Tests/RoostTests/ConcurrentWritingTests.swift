import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests of texts that two writers add at the same time.
struct ConcurrentAdditionTests {
    private let storage = InMemoryStorageProvider()
    private let embedder = RecordingEmbedder()
    private var store: KnowledgeStore { KnowledgeStore(storage: storage, embedder: embedder) }
    private var other: KnowledgeStore { KnowledgeStore(storage: storage, embedder: embedder) }

    @Test func `only one of two writers adds an equal text, and no metadata are lost`() async throws {
        let other = other
        embedder.interruption.set {
            let first = try await other.add("a heron", tags: ["pond"], metadata: ["a": 1, "c": 1])
            #expect(first.isNew)
        }
        let second = try await store.add("a heron", tags: ["bird"], metadata: ["b": 2, "c": 2])
        #expect(!second.isNew && second.isUpdated)
        let entries = try await storage.fetchEntries()
        #expect(entries.map(\.id) == [second.id])
        #expect(entries.first?.metadata == ["a": 1, "b": 2, "c": 2])
        #expect(entries.first.map { Set($0.tags) } == ["bird", "pond"])
    }

    @Test func `a text that another writer has added in the same form is not written again`() async throws {
        let other = other
        embedder.interruption.set { _ = try await other.add("a heron", tags: ["bird"], metadata: ["a": 1]) }
        let second = try await store.add("a heron", tags: ["bird"], metadata: ["a": 1])
        #expect(!second.isNew && !second.isUpdated)
        #expect(try await storage.snapshot().stamp.revision.rawValue == 1)
    }

    @Test func `a source replaces the metadata that another writer has set`() async throws {
        let draft = EntryDraft(key: "k", content: "a heron", metadata: ["a": 1])
        func source(_ draft: EntryDraft, _ fingerprint: String) -> SourceDraft {
            SourceDraft(id: "s", fingerprint: fingerprint, entries: [draft])
        }
        let other = other
        var changed = draft
        changed.metadata = ["b": 2]
        let earlier = source(changed, "1")
        embedder.interruption.set { _ = try await other.ingest([earlier]) }
        let report = try await store.ingest([source(draft, "2")])
        #expect(report.new == 0 && report.updated == 1)
        #expect(try await storage.fetchEntries().first?.metadata == ["a": 1])
    }
}

@Suite struct SourceRemovalTests {
    private func draft(_ texts: [String]) -> SourceDraft {
        SourceDraft(
            id: "s", fingerprint: "\(texts.count)", entries: texts.map { EntryDraft(content: $0) })
    }

    @Test func `entries that are added during the removal of their source are removed`() async throws {
        let overtaken = InterruptedStorage()
        let storage = overtaken.base
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        try await store.ingest([draft(["a bird"])])
        let more = draft(["a bird", "a boat"])
        overtaken.beforeCommit.set { _ = try await store.ingest([more]) }
        let remover = KnowledgeStore(storage: overtaken, embedder: LexicalEmbedder())
        #expect(try await remover.remove(RemovalSelection(sources: ["s"])) == 2)
        #expect(try await storage.fetchEntries().isEmpty)
        #expect(try await remover.remove(RemovalSelection(sources: ["s"])) == nil)
    }
}

/// Tests that an undo removes only the records of the commits that it has undone.
@Suite(.temporaryFolders) struct ConcurrentUndoTests {
    /// Where the two writers record their commits.
    enum Place: CaseIterable { case sameRecorder, otherProcess }

    @Test(arguments: Place.allCases)
    func `a commit that follows that of an undo can be undone`(place: Place) async throws {
        let folder = try TemporaryFolder()
        func recorder(_ command: String) -> UndoRecorder {
            UndoRecorder(directory: folder.url, command: command)
        }
        let storage = InterruptedStorage()
        let first = recorder("first")
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder(), recording: first)
        let other = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(),
            recording: place == .otherProcess ? recorder("second") : first)
        try await store.add("one")
        storage.afterCommit.set {
            // Another process has no values of this task.
            _ = try await Task.detached { try await other.add("two") }.value
        }
        #expect(try await store.undo().removed == 1)
        #expect(try await store.undo().removed == 1)
        #expect(try await storage.fetchEntries().isEmpty)
        let error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .nothingToUndo)
        #expect(try UndoRecorder.contents(in: folder.url).records.isEmpty)
    }

    @Test func `a commit after an undo that failed belongs to the same group`() async throws {
        let storage = InterruptedStorage()
        let store = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: try TemporaryFolder().url, command: "add"))
        try await store.add("one")
        storage.beforeCommit.set { throw CancellationError() }
        await #expect(throws: CancellationError.self) { try await store.undo() }
        try await store.add("two")
        #expect(try await store.undo().removed == 2)
    }

    @Test func `a process that cannot record its commit leaves the record of another one`() async throws {
        let folder = try TemporaryFolder()
        let storage = InMemoryStorageProvider()
        let failures = Mutex(0)
        let stores = ["first", "second"].map { command in
            KnowledgeStore(
                storage: storage, embedder: LexicalEmbedder(),
                recording: UndoRecorder(directory: folder.url, command: command) { _ in
                    failures.withLock { $0 += 1 }
                })
        }
        try await stores[0].add("one")
        try await stores[1].add("two")
        try await stores[0].add("three")
        #expect(failures.withLock { $0 } == 1)
        #expect(try UndoRecorder.contents(in: folder.url).records.map(\.command) == ["second"])
        let error = await #expect(throws: RoostError.self) { try await stores[1].undo() }
        #expect(error?.code == .nothingToUndo)
        // The commit of the other process was the last one again.
        stores[1].undoRecorder?.beginGroup("third")
        try await stores[1].add("four")
        #expect(try await stores[1].undo().command == "third")
    }
}

/// A function that tests call in the middle of another one, at most once.
final class Interruption: Sendable {
    typealias Body = @Sendable () async throws -> Void

    private let body = Mutex<Body?>(nil)

    func set(_ body: @escaping Body) { self.body.withLock { $0 = body } }

    func run() async throws {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        try await body?()
    }
}

/// An embedder that records the texts that it embeds, and can be interrupted before it embeds the next ones.
final class RecordingEmbedder: Embedder {
    private let base = LexicalEmbedder()
    private let recorded = Mutex<[String]>([])
    private let counter = Mutex(0)
    /// Runs before the next texts are embedded.
    let interruption = Interruption()
    /// The limit of the model; `nil` for none.
    let maximumTokens: Int?

    init(maximumTokens: Int? = nil) { self.maximumTokens = maximumTokens }

    var space: EmbeddingSpace { base.space }

    /// The number of texts that were embedded.
    var count: Int { counter.withLock(\.self) }

    /// Returns the texts that were embedded since the last call.
    func takeTexts() -> [String] {
        recorded.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }

    func embed(_ texts: [String], as role: TextRole) async throws -> Embeddings {
        if !texts.isEmpty { try await interruption.run() }
        if role == .document { recorded.withLock { $0 += texts } }
        counter.withLock { $0 += texts.count }
        return try await base.embed(texts, as: role)
    }

    func tokenRanges(in text: String) -> [Range<Int>] { base.tokenRanges(in: text) }
}

/// A storage in memory in which a test can let another writer run just before or after the next commit.
final class InterruptedStorage: StorageDecorator {
    let base = InMemoryStorageProvider()
    let beforeCommit = Interruption()
    let afterCommit = Interruption()

    func commit(_ batch: WriteBatch) async throws -> Revision {
        try await beforeCommit.run()
        let revision = try await base.commit(batch)
        try await afterCommit.run()
        return revision
    }
}
