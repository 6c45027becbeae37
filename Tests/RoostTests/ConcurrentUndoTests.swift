import Foundation
import RoostModel
import RoostTestKit
import Synchronization
import TestSupport
import Testing

@testable import Roost

/// Tests that an undo removes only the records of the commits that it has undone.
@Suite(.temporaryFolders) struct ConcurrentUndoTests {
    /// Calls a function once before or after the next commit.
    private final class Interruption: Sendable {
        private let function = Mutex<(@Sendable () async throws -> Void)?>(nil)

        func set(_ function: @escaping @Sendable () async throws -> Void) {
            self.function.withLock { $0 = function }
        }

        func run() async throws {
            let function = function.withLock { function in
                defer { function = nil }
                return function
            }
            // Another process has no values of this task.
            try await Task.detached { try await function?() }.value
        }
    }

    private struct Interrupted<Base: StorageProvider>: StorageDecorator {
        let base: Base
        let interruption: Interruption
        var isBeforeCommit = false

        func commit(_ batch: WriteBatch) async throws -> Revision {
            if isBeforeCommit {
                try await interruption.run()
                return try await base.commit(batch)
            }
            let revision = try await base.commit(batch)
            try await interruption.run()
            return revision
        }
    }

    /// Where the two writers record their commits.
    enum Place: CaseIterable { case memory, sameRecorder, otherProcess }

    @Test(arguments: Place.allCases)
    func `a commit that follows that of an undo can be undone`(place: Place) async throws {
        let folder = try TemporaryFolder()
        func recorder(_ command: String) -> UndoRecorder {
            place == .memory
                ? UndoRecorder(command: command) : UndoRecorder(directory: folder.url, command: command)
        }
        let interruption = Interruption()
        let storage = Interrupted(base: InMemoryStorageProvider(), interruption: interruption)
        let first = recorder("first")
        let store = KnowledgeStore(storage: storage, embedder: LexicalEmbedder(), recording: first)
        let other = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(),
            recording: place == .otherProcess ? recorder("second") : first)
        try await store.add("one")
        interruption.set { try await other.add("two") }
        #expect(try await store.undo().removed == 1)
        #expect(try await store.undo().removed == 1)
        #expect(try await storage.fetchEntries().isEmpty)
        let error = await #expect(throws: RoostError.self) { try await store.undo() }
        #expect(error?.code == .nothingToUndo)
        #expect(try first.contents().records.isEmpty)
    }

    @Test func `a commit after an undo that failed belongs to the same group`() async throws {
        let interruption = Interruption()
        let storage = Interrupted(
            base: InMemoryStorageProvider(), interruption: interruption, isBeforeCommit: true)
        let store = KnowledgeStore(
            storage: storage, embedder: LexicalEmbedder(), recording: UndoRecorder(command: "add"))
        try await store.add("one")
        interruption.set { throw CancellationError() }
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
