public import Foundation
import RoostFiles
@_exported import RoostModel
import Synchronization

/// A storage provider that stores entries in PostgreSQL with pgvector, or in a compatible server.
///
/// Any number of clients on any number of machines can use a store at the same time. Many stores can share
/// one database; each has a name. Snapshots are conditions on revisions and keep no transaction open. Copies
/// of a provider share their connections, so closing one copy closes them all.
///
/// The durability of a commit when it returns is that of the server (`synchronous_commit`, replication).
public struct PostgresStorageProvider: StorageProvider {
    /// Options for opening a store.
    public struct Options: Sendable {
        /// The maximum number of connections of the provider and its snapshots, 8 by default.
        public var maximumConnections = 8
        /// The maximum number of seconds for which a commit waits for another writer, 30 by default;
        /// `infinity` waits for weeks. After that, calls throw `.locked`.
        public var lockTimeout: TimeInterval = 30
        /// The number of seconds for which calls are repeated after the connection was lost, 30 by default. A
        /// restart of the server is usually shorter.
        public var retryTimeout: TimeInterval = 30
        /// The maximum number of seconds for which opening a store waits for a server that refuses or breaks
        /// connections, 5 by default.
        public var openingTimeout: TimeInterval = 5
        /// The number of seconds for which ``PostgresStorageProvider/compact()`` keeps the data of superseded
        /// revisions, one hour by default. Snapshots that are older become unreadable. With `infinity`,
        /// they stay readable.
        public var snapshotLifetime: TimeInterval = 3600

        /// The size in bytes from which a part of a commit is sent. Tests use small parts.
        var partSize = 8 << 20

        /// The maximum number of matching entries for which a search in the database compares all their
        /// vectors, 20,000 by default. With more matching entries, searches use the index if it is complete.
        public var exactSearchLimit = 20_000

        /// Creates the default options.
        public init() {}
    }

    let options: Options
    let pool: ConnectionPool
    let store: UUID
    private let writers = TaskQueue()
    private let state = SharedState()

    private final class SharedState: Sendable {
        private struct Contents {
            var isClosed = false
            var latest = HeadCheck(epoch: nil, revision: .zero, batch: nil)
            var insertedRows = 0
            var analysisThreshold = 2000
        }

        private let contents = Mutex(Contents())

        func close() { contents.withLock { $0.isClosed = true } }

        func checkOpen() throws {
            if contents.withLock({ $0.isClosed }) { throw StorageError(.closed, "the store was closed") }
        }

        /// Counts inserted rows, and returns whether the server should collect statistics. The threshold
        /// doubles each time, so a bulk load runs few analyses.
        func isAnalysisDue(after rows: Int) -> Bool {
            contents.withLock { contents in
                contents.insertedRows += rows
                guard contents.insertedRows >= contents.analysisThreshold else { return false }
                contents.insertedRows = 0
                contents.analysisThreshold *= 2
                return true
            }
        }

        var latest: HeadCheck { contents.withLock { $0.latest } }

        /// Remembers a head. Calls can receive heads in another order than that of their revisions.
        func record(_ head: Head) {
            contents.withLock { contents in
                let latest = contents.latest
                let isNewer = latest.epoch != head.epoch || latest.revision < head.revision
                guard isNewer || latest.revision == head.revision && latest.batch == nil else { return }
                contents.latest = HeadCheck(epoch: head.epoch, revision: head.revision, batch: head.batch)
            }
        }
    }

    init(store: UUID, pool: ConnectionPool, options: Options) {
        (self.store, self.pool, self.options) = (store, pool, options)
    }

    // MARK: StorageProvider

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        return try await write(batch).revision
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try await write(WriteBatch(newEpoch: UUID())).head.stamp
    }

    private func write(_ batch: WriteBatch) async throws -> CommitTransaction.Outcome {
        // The queue gives each handle one transaction at a time. Without it, waiting writers of one process
        // would use up the connections.
        try await writers.run {
            try await pool.errors.runBlocking { isCancelled in
                try state.checkOpen()
                let outcome = try CommitTransaction(
                    batch: batch, store: store, pool: pool,
                    lockTimeout: .seconds(options.lockTimeout.asTimeout),
                    retryTimeout: .seconds(options.retryTimeout.asTimeout), partSize: options.partSize,
                    isCancelled: isCancelled, check: state.latest
                ).run()
                state.record(outcome.head)
                if state.isAnalysisDue(after: outcome.insertedRows) { analyze() }
                return outcome
            }
        }
    }

    /// Lets the server collect statistics about the tables, which it needs for good plans. The server does
    /// this regularly too, but only about once a minute. Only the owner of the tables may do it, so errors
    /// are ignored.
    private func analyze() {
        // The commit is complete, so its caller must not wait long for the lock of a vacuum or of an index
        // build.
        let limits = CallLimits(.seconds(min(5, options.lockTimeout.asTimeout)))
        try? pool.withConnection(limits) { _ = try $0.run(TableSQL.analysis, limits) }
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try Task.checkCancellation()
        let head = try await withConnection { connection, limits in try currentHead(connection, limits) }
        return PostgresSnapshot(
            head: head, pool: pool, retryTimeout: options.retryTimeout,
            exactSearchLimit: options.exactSearchLimit)
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        try Task.checkCancellation()
        return try await withConnection { connection, limits in
            let head = try currentHead(connection, limits)
            return try ChangeReader(head: head).page(after: cursor, limit: limit, connection, limits)
        }
    }

    public func close() async throws {
        // Waiting in the queue lets writers that called earlier finish first. A canceled task waits, too.
        try await Task {
            try await writers.run {
                state.close()
                pool.drain()
            }
        }.value
    }

    /// Deletes the rows that no snapshot needs, except those of snapshots younger than
    /// ``Options/snapshotLifetime``, and the records of removals after 30 days.
    ///
    /// Readers and writers can continue meanwhile. The server reuses the space after its next vacuum.
    ///
    /// - Throws: `StorageError`. If the method throws, the contents of the store are unchanged.
    public func compact() async throws {
        try await writers.run {
            try state.checkOpen()
            try await pool.call(
                retryTimeout: options.retryTimeout, timeout: .seconds(options.lockTimeout.asTimeout)
            ) { try Compaction(store: store, keeping: options.snapshotLifetime).run($0, $1) }
        }
    }

    // MARK: Calls

    private func currentHead(_ connection: Connection, _ limits: CallLimits) throws -> Head {
        let end = ContinuousClock.now + HeadCheck.recoveryTime
        while true {
            let check = state.latest
            let selection = Head.selection(store, seen: check.revision)
            guard let row = try connection.run(selection, limits).rows.first else {
                throw BatchReading.missing
            }
            var head = try Head(row, store: store)
            head.batch = try row.uuidIfPresent(Head.batchColumn)
            // A writer needs no such loop, because it waits for the lock that an incomplete commit keeps.
            if check.isNewer(than: head), ContinuousClock.now < end,
                try pool.features(connection, limits).isDistributed
            {
                try TemporaryFailures.pause(.milliseconds(200), isCancelled: limits.isCancelled)
                continue
            }
            try check.check(head, found: try row.uuidIfPresent(Head.seenBatchColumn))
            state.record(head)
            return head
        }
    }

    func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (Connection, CallLimits) throws -> Value
    ) async throws -> Value {
        try state.checkOpen()
        return try await pool.call(retryTimeout: options.retryTimeout, body)
    }
}

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
        try await self.init(address, .init(store: store, isCreating: false), options)
    }

    private init(
        _ address: ConnectionSettings, _ opening: StoreOpening, _ options: Options
    ) async throws {
        if let name = opening.name, !(1...200).contains(name.utf8.count) {
            throw StorageError(.configuration, "the name of a store must have 1 to 200 bytes")
        }
        let pool = ConnectionPool(address, limit: max(1, options.maximumConnections))
        let store = try await pool.call(retryTimeout: options.openingTimeout) {
            try opening.run($0, pool, $1)
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
            let selection = Statement(
                "SELECT space FROM roost.stores WHERE store = $1::uuid", [Parameter(store)])
            return try connection.run(selection, limits).rows.first?.bytesIfPresent(0)
        }
        guard let record else { return nil }
        return try record.withUnsafeBytes { try Stored.value(EmbeddingSpace.self, $0) }
    }

    /// The server and database, such as `db.example.org:5432/notes`.
    public var location: String { pool.settings.displayName }
}

extension PostgresStorageProvider {
    /// Gives a user of the server access to all stores in the database. The user that is connected must own the
    /// tables.
    ///
    /// - Parameters:
    ///   - role: The name of the user, who must exist.
    ///   - isReadOnly: Whether the user may only read; rights to write are withdrawn.
    /// - Throws: `StorageError`.
    public func grantAccess(to role: String, isReadOnly: Bool) async throws {
        let user = "\"" + role.replacing("\"", with: "\"\"") + "\""
        let tables = "ON ALL TABLES IN SCHEMA roost"
        let writing = "INSERT, UPDATE, DELETE \(tables)"
        let statements = [
            "GRANT USAGE ON SCHEMA roost TO \(user)", "GRANT SELECT \(tables) TO \(user)",
            isReadOnly ? "REVOKE \(writing) FROM \(user)" : "GRANT \(writing) TO \(user)",
        ]
        try await withConnection { connection, limits in
            for sql in statements { try connection.execute(sql, limits) }
        }
    }

    /// Checks the server: its version and that of pgvector.
    ///
    /// The contents are checked by reading them, because every row has a checksum.
    ///
    /// - Throws: `StorageError` if the server cannot be reached.
    public func inspectServer() async throws -> [StorageFinding] {
        let (server, extensionVersion) = try await withConnection { connection, limits in
            func text(_ sql: String) throws -> String? {
                try connection.run(Statement(sql, isKept: false), limits).rows.first?.text(0)
            }
            // The name and version of the server, without the compiler with which it was built.
            let server = try text("SELECT split_part(version(), ' on ', 1)") ?? ""
            // Servers with a built-in type for vectors do not have this catalog or this extension.
            let version = try? text("SELECT extversion FROM pg_extension WHERE extname = 'vector'")
            return (server, version)
        }
        var findings = [StorageFinding.note(location, "is served by \(server)")]
        if let version = extensionVersion {
            findings.append(.note(location, "has pgvector \(version) (0.8.4 or newer is recommended)"))
        }
        return findings
    }
}
