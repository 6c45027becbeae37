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
            let failures = TemporaryFailures(for: .seconds(options.openingTimeout.asTimeout))
            return try failures.repeating(isCancelled: isCancelled) {
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
        let record = try await withConnection { connection, limits in
            try connection.run(StoreSQL.space(store), limits).rows.first?.bytesIfPresent(0)
        }
        guard let record else { return nil }
        return try record.withUnsafeBytes { try Stored.value(EmbeddingSpace.self, $0) }
    }

    /// The server and database, such as `db.example.org:5432/notes`.
    public var location: String { pool.settings.displayName }
}

extension PostgresStorageProvider {
    /// Checks the server: its version and that of pgvector.
    ///
    /// The contents are checked by reading them, because every row has a checksum.
    ///
    /// - Throws: `StorageError` if the server cannot be reached.
    public func inspectServer() async throws -> [StorageFinding] {
        let (server, extensionVersion) = try await withConnection { connection, limits in
            let server = try connection.run(StoreSQL.serverVersion, limits).rows[0].text(0)
            // Servers with a built-in type for vectors do not have this catalog or this extension.
            let version = try? connection.run(StoreSQL.vectorVersion, limits).rows.first?.text(0)
            return (server, version)
        }
        var findings = [StorageFinding.note(location, "is served by \(server)")]
        if let version = extensionVersion {
            findings.append(.note(location, "has pgvector \(version) (0.8.4 or newer is recommended)"))
        }
        return findings
    }
}
