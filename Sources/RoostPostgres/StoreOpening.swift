import Foundation
import RoostModel

/// Finds or creates a store.
struct StoreOpening {
    /// The name of the store; `nil` if it is found by its id.
    var name: String?
    var store: UUID?
    var space: EmbeddingSpace?
    var isCreating = true

    init(name: String, space: EmbeddingSpace? = nil, isCreating: Bool = true) {
        (self.name, self.space, self.isCreating) = (name, space, isCreating)
    }

    init(store: UUID) {
        self.store = store
        isCreating = false
    }

    func run(_ connection: Connection, _ pool: ConnectionPool, _ limits: CallLimits) throws -> UUID {
        let location = pool.settings.displayName
        try SchemaMigration(name: location).run(connection, limits, isCreating: isCreating)
        _ = try pool.vectorType(connection, limits)
        if let found = try find(connection, limits) { return found }
        guard isCreating, let name else {
            throw StorageError(.notFound, "\(location) does not have the store", remedy: .createStore)
        }
        // Two clients can create the same store at the same time: both insert a head, and the name decides
        // whose head is used. The other head stays unused.
        let head = Head(store: UUID(), epoch: UUID())
        let record = try space.map { try Stored.json($0) }
        _ = try connection.run([head.insertion, StoreSQL.insertion(name, head.store, record)], limits)
        guard let found = try find(connection, limits) else { throw BatchReading.missing }
        return found
    }

    private func find(_ connection: Connection, _ limits: CallLimits) throws -> UUID? {
        if let store {
            return try connection.run(Head.selection(store), limits).rows.isEmpty ? nil : store
        }
        return try connection.run(StoreSQL.selection(name ?? ""), limits).rows.first?.uuid(0)
    }
}
