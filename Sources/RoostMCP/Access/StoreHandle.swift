package import Roost
import RoostModel

/// The store of a server, which is opened again if another process has moved it to another model.
package actor StoreHandle {
    private let open: @Sendable () async throws -> KnowledgeStore
    private var store: KnowledgeStore?

    /// Creates a handle.
    ///
    /// - Parameter open: Opens the store. It is called at the first access.
    package init(open: @escaping @Sendable () async throws -> KnowledgeStore) { self.open = open }

    /// Returns the open store.
    private func opened() async throws -> KnowledgeStore {
        if let store { return store }
        let store = try await open()
        self.store = store
        return store
    }

    /// Opens the store, if it is not open yet.
    package func prepare() async throws { _ = try await opened() }

    private func forget() { store = nil }

    /// Calls a function with the store. If the store has been moved to another model since it was opened, it
    /// is opened again and the function is called a second time.
    package nonisolated func use<Result: Sendable>(
        _ body: @Sendable (KnowledgeStore) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(try await opened())
        } catch let error as RoostError where error.code == .spaceMismatch {
        }
        // A closed connection would make concurrent requests fail, so the old store is only released.
        await forget()
        return try await body(try await opened())
    }

    /// Closes the store.
    package func close() async throws {
        try await store?.close()
        store = nil
    }
}
