package import Roost
import RoostModel

/// The store of a server, which is opened again if another process has moved it to another model, or has
/// replaced its files.
package actor StoreHandle {
    private let open: @Sendable () async throws -> KnowledgeStore
    private let reopen: @Sendable () async throws -> KnowledgeStore
    /// The open store, or the one that is being opened.
    private var current: Task<KnowledgeStore, any Error>?
    /// The number of times that the store was opened, which identifies ``current``.
    private var generation = 0
    private var hasBeenOpen = false

    /// Creates a handle.
    ///
    /// - Parameters:
    ///   - reopen: Opens the store again after it has been open. Unlike `open`, it must not create a store:
    ///     an empty store would hide that the previous one is missing. The default is `open`.
    package init(
        open: @escaping @Sendable () async throws -> KnowledgeStore,
        reopen: (@Sendable () async throws -> KnowledgeStore)? = nil
    ) {
        (self.open, self.reopen) = (open, reopen ?? open)
    }

    /// Returns the open store and its generation. Concurrent calls open it once.
    private func opened() async throws -> (store: KnowledgeStore, generation: Int) {
        let task: Task<KnowledgeStore, any Error>
        if let current {
            task = current
        } else {
            let open = hasBeenOpen ? reopen : open
            task = Task { try await open() }
            current = task
            generation += 1
        }
        let number = generation
        do {
            let store = try await task.value
            hasBeenOpen = true
            return (store, number)
        } catch {
            forget(number)
            throw error
        }
    }

    package func prepare() async throws { _ = try await opened() }

    /// Releases a store, unless it was already replaced. It is not closed, because a closed connection would
    /// make concurrent requests fail.
    private func forget(_ number: Int) {
        if generation == number { current = nil }
    }

    /// Calls a function with the store. If the store must be opened again, because it has been moved to
    /// another model or replaced since it was opened, the function is called a second time.
    package nonisolated func use<Result: Sendable>(
        _ body: @Sendable (KnowledgeStore) async throws -> Result
    ) async throws -> Result {
        let (store, generation) = try await opened()
        do {
            return try await body(store)
        } catch let error as RoostError where error.remedy == .reopenStore {
        } catch let error as StorageError where error.remedy == .reopenStore {
        }
        await forget(generation)
        return try await body(try await opened().store)
    }

    /// Calls a function that changes the store, like ``use(_:)``. Its commits are undone as a unit.
    package nonisolated func change<Result: Sendable>(
        _ body: @Sendable (KnowledgeStore) async throws -> Result
    ) async throws -> Result {
        try await UndoGroup.run { try await use(body) }
    }

    package func close() async throws {
        guard let current else { return }
        self.current = nil
        try await current.value.close()
    }
}
