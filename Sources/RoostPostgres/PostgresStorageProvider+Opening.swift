public import Foundation
import RoostFiles
public import RoostModel

extension PostgresStorageProvider {
    /// Opens a store; creates it, and the tables of the database, if they do not exist.
    ///
    /// - Parameters:
    ///   - address: The database and the credentials.
    ///   - name: The name of the store in the database, 1 to 200 bytes.
    ///   - space: The embedding space that is recorded in a new store; see ``recordedSpace()``.
    ///   - options: Options for opening the store.
    /// - Throws: `StorageError`: `.configuration`, `.unavailable`, `.unsupported` if the server lacks
    ///   pgvector, `.newerFormat`, `.readOnly` if the tables do not exist and the user may not create them.
    public init(
        address: ConnectionSettings, name: String = "roost", space: EmbeddingSpace? = nil,
        options: Options = Options()
    ) async throws {
        try await self.init(address, .init(name: name, space: space), options)
    }

    /// Opens a store that exists. Nothing is written to the database.
    ///
    /// - Throws: `StorageError`, with `.notFound` if the database has no store with this name.
    public init(
        address: ConnectionSettings, existing name: String, options: Options = Options()
    ) async throws {
        try await self.init(address, .init(name: name, isCreating: false), options)
    }

    /// Opens the store with an id. Nothing is written to the database.
    ///
    /// - Throws: `StorageError`, with `.notFound` if the database has no store with this id.
    public init(address: ConnectionSettings, store: UUID, options: Options = Options()) async throws {
        try await self.init(address, .init(store: store), options)
    }

    private init(
        _ address: ConnectionSettings, _ opening: StoreOpening, _ options: Options
    ) async throws {
        if let name = opening.name, !(1...200).contains(name.utf8.count) {
            throw StorageError(.configuration, "the name of a store must have 1 to 200 bytes")
        }
        let pool = ConnectionPool(address, limit: max(1, options.maximumConnections))
        let store = try await ErrorMapping(name: address.displayName).runBlocking { isCancelled in
            try options.openingFailures(address).repeating(isCancelled: isCancelled) {
                let limits = CallLimits(CallLimits.callTimeout, isCancelled: isCancelled)
                return try pool.withConnection(limits) { try opening.run($0, pool, limits) }
            }
        }
        self.init(store: store, pool: pool, options: options)
    }

    /// Returns the embedding space that was recorded when the store was created; `nil` if none was.
    ///
    /// All clients of a store must embed texts with the same model, so a new client checks this space.
    ///
    /// - Throws: `StorageError`.
    public func recordedSpace() async throws -> EmbeddingSpace? {
        let record = try await reading { connection, limits in
            try connection.run(StoreSQL.space(store), limits).rows.first?.bytesIfPresent(0)
        }
        guard let record else { return nil }
        return try record.withUnsafeBytes { try Stored.value(EmbeddingSpace.self, $0) }
    }

    /// The server and database, such as `db.example.org:5432/notes`.
    public var location: String { pool.settings.displayName }
}

extension PostgresStorageProvider.Options {
    /// Returns the policy for repeating the opening of a store. It begins now.
    fileprivate func openingFailures(_ address: ConnectionSettings) -> TemporaryFailures {
        let restart = min(retryTimeout.asTimeout, address.statedTimeout ?? .infinity)
        return TemporaryFailures(
            for: .seconds(restart), doubtful: .seconds(min(restart, openingTimeout.asTimeout)))
    }
}

/// Finds or creates a store.
private struct StoreOpening {
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

    /// Returns the id of the store.
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

/// The statements that find and create stores.
enum StoreSQL {
    static func selection(_ name: String) -> Statement {
        Statement("SELECT store FROM roost.stores WHERE name = $1::bytea", [Parameter(Array(name.utf8))])
    }

    static func space(_ store: UUID) -> Statement {
        Statement("SELECT space FROM roost.stores WHERE store = $1::uuid", [Parameter(store)])
    }

    static func insertion(_ name: String, _ store: UUID, _ space: [UInt8]?) -> Statement {
        Statement(
            """
            INSERT INTO roost.stores (name, store, space) VALUES ($1::bytea, $2::uuid, $3::bytea)
            ON CONFLICT DO NOTHING
            """, [Parameter(Array(name.utf8)), Parameter(store), Parameter(space)])
    }

    /// The name and version of the server, without the compiler with which it was built.
    static let serverVersion = Statement("SELECT split_part(version(), ' on ', 1)", isKept: false)

    /// The version of pgvector.
    static let vectorVersion = Statement(
        "SELECT extversion FROM pg_extension WHERE extname = 'vector'", isKept: false)
}
