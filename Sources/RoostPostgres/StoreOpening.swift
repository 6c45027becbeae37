import Foundation
import RoostModel

struct StoreOpening {
    var name: String?
    var store: UUID?
    var space: EmbeddingSpace?
    var isCreating = true

    func run(_ connection: Connection, _ pool: ConnectionPool, _ limits: CallLimits) throws -> UUID {
        let location = pool.settings.displayName
        try SchemaMigration(name: location).run(connection, limits, isCreating: isCreating)
        _ = try pool.features(connection, limits)
        if let found = try find(connection, limits) { return found }
        guard isCreating, let name else {
            throw StorageError(.notFound, "\(location) does not have the store", remedy: .createStore)
        }
        // Two clients can create the same store at the same time: both insert a head, and the name decides
        // whose head is used. The other head stays unused.
        let head = Head(store: UUID(), epoch: UUID())
        let insertion = Statement(
            """
            INSERT INTO roost.stores (name, store, space) VALUES ($1::bytea, $2::uuid, $3::bytea)
            ON CONFLICT DO NOTHING
            """, [Parameter(name), Parameter(head.store), Parameter(try space.map { try Stored.json($0) })])
        _ = try connection.run([head.insertion, insertion], limits)
        guard let found = try find(connection, limits) else { throw BatchReading.missing }
        return found
    }

    private func find(_ connection: Connection, _ limits: CallLimits) throws -> UUID? {
        if let store {
            return try connection.run(Head.selection(store), limits).rows.isEmpty ? nil : store
        }
        let selection = Statement(
            "SELECT store FROM roost.stores WHERE name = $1::bytea", [Parameter(name ?? "")])
        return try connection.run(selection, limits).rows.first?.uuid(0)
    }
}

/// Brings the tables of a database to the version that this client uses.
///
/// Every statement runs outside of a transaction and can be repeated, so an interrupted migration is
/// completed by the next client, and several clients can migrate at the same time.
struct SchemaMigration {
    let name: String

    /// The number of attempts to run a statement while other clients run the same one.
    private static let attempts = 20
    /// The states of statements that failed because another client created the same object:
    /// `unique_violation`, `duplicate_table`, `duplicate_schema`, `duplicate_object`, and `internal_error`,
    /// which reports a concurrent update of the catalog.
    private static let racingStates: Set = ["23505", "42P07", "42P06", "42710", "XX000", "40001", "40P01"]

    func run(_ connection: Connection, _ limits: CallLimits, isCreating: Bool) throws {
        var version: Int64 = 0
        if try connection.run(Schema.hasMigrations, limits).rows[0].bool(0) {
            version = try checkedVersion(connection, limits)
        } else if !isCreating {
            throw StorageError(.notFound, "\(name) has no tables of Roost", remedy: .createStore)
        }
        guard version < Schema.version else { return }
        // Without this type nothing can be stored, so nothing is created before it.
        if try connection.run(Schema.features, limits).rows[0].isNull(0) {
            try createVectorType(connection, limits)
        }
        for sql in Schema.tables { try repeating { try connection.execute(sql, limits) } }
        try distribute(connection, limits)
        _ = try connection.run(Schema.record, limits)
    }

    private func checkedVersion(_ connection: Connection, _ limits: CallLimits) throws -> Int64 {
        let row = try connection.run(Schema.versions, limits).rows[0]
        guard try row.int64(1) <= Schema.version else {
            throw StorageError(
                .newerFormat,
                "cannot open \(name): its tables have version \(try row.int64(0)), and this version of Roost "
                    + "supports \(Schema.version); upgrade Roost", remedy: .upgradeRoost)
        }
        return try row.int64(0)
    }

    private func createVectorType(_ connection: Connection, _ limits: CallLimits) throws {
        do {
            try repeating { try connection.execute(Schema.createVectorType, limits) }
        } catch ConnectionError.rejected("42501", let message) {
            throw StorageError(
                .readOnly,
                "cannot add the type for vectors to \(name): \(message); let an administrator of the "
                    + "database run CREATE EXTENSION vector")
        } catch ConnectionError.rejected(let state, let message) {
            throw StorageError(
                .unsupported,
                "cannot add the type for vectors to \(name): \(message) (SQLSTATE \(state)); install the "
                    + "extension pgvector on the server, and let its owner run CREATE EXTENSION vector")
        }
    }

    /// Distributes the tables if the database is the coordinator of a Citus cluster. Another client may do
    /// the same at the same time, so an error is ignored if the table is distributed afterward.
    private func distribute(_ connection: Connection, _ limits: CallLimits) throws {
        guard try connection.run(Schema.features, limits).rows[0].bool(1) else { return }
        for (table, sql) in DistributionSQL.distributions {
            func isDistributed() throws -> Bool {
                try connection.run(DistributionSQL.isDistributed(table), limits).rows[0].bool(0)
            }
            if try isDistributed() { continue }
            do {
                try repeating { try connection.execute(sql, limits) }
            } catch let error as ConnectionError {
                guard case .rejected = error, try isDistributed() else { throw error }
            }
        }
    }

    private func repeating(_ body: () throws -> Void) throws {
        for _ in 1..<Self.attempts {
            do {
                return try body()
            } catch ConnectionError.rejected(let state, _) where Self.racingStates.contains(state) {
                Thread.sleep(forTimeInterval: Double.random(in: 0.01...0.05))
            }
        }
        try body()
    }
}
