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
        #expect(try UndoFolder(in: folder.url).groups().isEmpty)
    }

    @Test func `an undo that was interrupted is continued by the next one`() async throws {
        let storage = InterruptedStorage()
        let folder = try TemporaryFolder().url
        let store = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(),
            recording: UndoRecorder(directory: folder, command: "add"))
        for text in ["one", "two", "three"] { try await store.add(text) }
        storage.afterCommit.set { storage.beforeCommit.set { throw CancellationError() } }
        await #expect(throws: CancellationError.self) { try await store.undo() }
        #expect(try await storage.fetchEntries().count == 2)
        try await store.add("four")
        #expect(try await store.undo().removed == 1)
        #expect(try await store.undo().removed == 2)
        #expect(try await storage.fetchEntries().isEmpty)
    }

    @Test func `a process undoes its changes unless another one has changed the same entries`() async throws {
        let folder = try TemporaryFolder()
        let storage = InMemoryStorageProvider()
        let stores = ["first", "second"].map { command in
            KnowledgeStore(
                storage: storage, embedder: LexicalEmbedder(),
                recording: UndoRecorder(directory: folder.url, command: command))
        }
        let unrecorded = KnowledgeStore(storage: storage, embedder: LexicalEmbedder())
        try await stores[0].add("one")
        try await stores[1].add("two")
        try await stores[0].add("three")
        try await unrecorded.add("four")
        // The changes of the second process are the last group that began.
        #expect(try await stores[1].undo().command == "second")
        #expect(try await stores[1].undo().removed == 2)
        #expect(try await storage.fetchEntries().map(\.content) == ["four"])

        // The process continues after another one has undone its changes.
        let id = try await stores[0].add("five").id
        let other = try await stores[0].add("six").id
        _ = try await unrecorded.update([id], EntryChanges(addedTags: ["mine"]))
        let error = await #expect(throws: RoostError.self) { try await stores[0].undo() }
        #expect(error?.code == .nothingToUndo)
        #expect(error?.message.contains("changed by another program") == true)
        #expect(try await storage.snapshot().entries([id, other]).count == 2)
    }

    @Test func `undo reverts each of the last twenty changes`() async throws {
        let folder = try TemporaryFolder()
        let storage = InMemoryStorageProvider()
        let recorder = UndoRecorder(directory: folder.url, command: "add")
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder(), recording: recorder)
        let id = try await store.add("a note").id
        var added = id
        @Sendable func state() async throws -> [Entry] {
            try await storage.fetchEntries().sorted { $0.id < $1.id }
        }
        var states = [try await state()]
        for number in 1...12 {
            recorder.beginGroup("change \(number)")
            switch number % 4 {
            case 0: _ = try await store.update(id, EntryChanges(content: "text \(number)"))
            case 1: _ = try await store.update([id], EntryChanges(addedTags: ["tag\(number)"]))
            case 2:
                // Both commits of a command are reverted at once.
                try await store.add("another note \(number)")
                added = try await store.add("note \(number)").id
            default: try await store.remove(added)
            }
            states.append(try await state())
        }
        for (number, expected) in states.dropLast().enumerated().reversed() {
            let before = try await state()
            #expect(try await store.undo(isDryRun: true).command == "change \(number + 1)")
            #expect(try await state() == before)
            #expect(try await store.undo().command == "change \(number + 1)")
            #expect(try await state() == expected)
        }
        #expect(try await store.undo().removed == 1)

        for number in 0..<25 {
            recorder.beginGroup("add")
            try await store.add("note \(number)")
        }
        for _ in 0..<UndoFolder.maximumGroups { try await store.undo() }
        await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(try await storage.fetchEntries().count == 5)
    }

    @Test func `a large change is recorded and undone in bounded commits`() async throws {
        let folder = try TemporaryFolder()
        let storage = LargestCommit()
        let recorder = UndoRecorder(directory: folder.url, command: "ingest")
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder(), recording: recorder)
        let drafts = (0..<2500).map { EntryDraft(key: "\($0)", content: "note \($0)") }
        try await store.ingest([SourceDraft(id: "s", fingerprint: "1", entries: drafts)])
        let before = try await storage.fetchEntries()
        let ids = before.map(\.id)
        recorder.beginGroup("tag")
        #expect(try await store.update(ids, EntryChanges(addedTags: ["a"])) == 2500)
        recorder.beginGroup("remove")
        #expect(try await store.remove(RemovalSelection(sources: ["s"])) == 2500)
        #expect(try await storage.snapshot().sources().isEmpty)
        #expect(try await store.undo().restored == 2500)
        #expect(try await store.undo().restored == 2500)
        #expect(try await storage.fetchEntries().sorted { $0.id < $1.id } == before.sorted { $0.id < $1.id })
        #expect(try await storage.snapshot().sources().map(\.id) == ["s"])
        #expect(storage.size.withLock(\.self) <= 1000)
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

private final class LargestCommit: StorageDecorator {
    let base = InMemoryStorageProvider()
    let size = Mutex(0)

    func commit(_ batch: WriteBatch) async throws -> Revision {
        size.withLock { $0 = max($0, batch.upserts.count + batch.removals.count) }
        return try await base.commit(batch)
    }
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
