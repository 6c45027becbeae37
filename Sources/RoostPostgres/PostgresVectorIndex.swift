import Foundation
import RoostModel

struct VectorIndex {
    private let snapshot: PostgresSnapshot
    private let sql: VectorIndexSQL

    init(_ snapshot: PostgresSnapshot) {
        self.snapshot = snapshot
        sql = VectorIndexSQL(store: snapshot.store, dimension: snapshot.head.dimension)
    }

    private func capabilities(_ run: PostgresSnapshot.Run) throws -> VectorCapabilities {
        if let known = snapshot.pool.vectorCapabilities { return known }
        let results = try run(VectorIndexSQL.capabilities + [Schema.features])
        let row = results[1].rows[0]
        let found = VectorCapabilities(
            hasHalfVectors: try row.bool(0), continuesScans: try row.bool(1),
            isDistributed: try results[2].rows[0].bool(1))
        snapshot.pool.vectorCapabilities = found
        return found
    }

    private func obstacle(_ capabilities: VectorCapabilities) -> String? {
        if !capabilities.hasHalfVectors {
            return "the database has no type halfvec; install pgvector 0.8.4 or newer"
        }
        if snapshot.head.vectorCount == 0 { return "the store has no vectors" }
        guard snapshot.head.dimension <= VectorIndexSQL.maximumDimension else {
            return "vectors of \(snapshot.head.dimension) dimensions exceed the maximum of "
                + "\(VectorIndexSQL.maximumDimension)"
        }
        return nil
    }

    private func existing(_ run: PostgresSnapshot.Run) throws -> [(name: String, isValid: Bool)] {
        try run([sql.indexes])[0].rows.map { (try $0.text(0), try $0.bool(1)) }
    }

    // MARK: Searching

    /// Searches with the index, one scan for each of its tables; returns `nil` if it is not complete.
    func search(
        _ nearest: NearestSQL, limit: Int, _ run: PostgresSnapshot.Run
    ) throws -> ArraySlice<QueryResult>? {
        let capabilities = try capabilities(run)
        guard obstacle(capabilities) == nil else { return nil }
        let names = try existing(run).filter(\.isValid).map(\.name)
        guard sql.names.allSatisfy(names.contains) else { return nil }
        let settings = VectorIndexSQL.settings(
            limit: limit, continues: capabilities.continuesScans, isDistributed: capabilities.isDistributed)
        let searches = sql.searches(nearest)
        return try run([TableSQL.begin] + settings + searches + [TableSQL.commit])
            .dropFirst(1 + settings.count).dropLast()
    }

    // MARK: State

    func state(_ run: PostgresSnapshot.Run) throws -> PassageIndexState {
        let capabilities = try capabilities(run)
        if let obstacle = obstacle(capabilities) {
            return PassageIndexState(isComplete: false, bytes: 0, obstacle: obstacle)
        }
        let usable = try existing(run).filter { $0.isValid && sql.names.contains($0.name) }
        guard usable.count == sql.names.count else { return PassageIndexState(isComplete: false, bytes: 0) }
        func bytes(_ function: String) throws -> Int { try run([sql.size(function)])[0].rows[0].int(0) }
        // Tables that are older than the extension are not distributed, and Citus refuses to measure them.
        let distributed = capabilities.isDistributed ? try? bytes("citus_relation_size") : nil
        return PassageIndexState(isComplete: true, bytes: try distributed ?? bytes("pg_relation_size"))
    }

    /// Returns the statements that build what is missing: the names of indexes with other dimensions and of
    /// incomplete ones, which are removed first, and the definitions of the indexes.
    func missingParts(_ run: PostgresSnapshot.Run) throws -> [String] {
        if let obstacle = obstacle(try capabilities(run)) {
            throw StorageError(.unsupported, "cannot build an index in the database: \(obstacle)")
        }
        let existing = try existing(run)
        if existing.isEmpty {
            let count = try run([VectorIndexSQL.indexedStores])[0].rows[0].int(0)
            guard count < VectorIndexSQL.maximumStores else {
                throw StorageError(
                    .unsupported,
                    "cannot build an index in the database: \(count) other stores in it have one, which is the "
                        + "maximum; copy the store to another database")
            }
        }
        let unusable = existing.filter { !$0.isValid || !sql.names.contains($0.name) }.map(\.name)
        let usable = Set(existing.map(\.name)).subtracting(unusable)
        return unusable.map(VectorIndexSQL.removal)
            + zip(NearestSQL.Source.all, sql.names).filter { !usable.contains($0.1) }
            .map { sql.creation($0.0) }
    }
}

struct VectorCapabilities: Sendable {
    let hasHalfVectors: Bool
    /// Whether a scan of an index can continue until enough rows pass a filter.
    let continuesScans: Bool
    let isDistributed: Bool
}

/// The right to build indexes in a database, which one client at a time has: if two build at once, each waits for
/// the other's snapshot, also if they build for different stores.
///
/// It belongs to a transaction on a separate connection, so it ends when the last reference to the lock does,
/// or with the client.
final class IndexBuildLock: Sendable {
    private let connection: Connection

    init(_ settings: ConnectionSettings) throws { connection = try Connection(settings) }

    /// Returns whether no other client has the right.
    func acquire(_ limits: CallLimits) throws -> Bool {
        let (statements, position) = VectorIndexSQL.lock
        guard try connection.run(statements, limits)[position].rows[0].bool(0) else {
            connection.rollBack(limits)
            return false
        }
        return true
    }

    /// Ends the transaction, so that another client can build as soon as the method returns. If only the
    /// connection is closed, the server ends the transaction some time later.
    func release() {
        // If the statement fails, the server ends the transaction with the connection.
        _ = try? connection.run([TableSQL.rollback], CallLimits(Self.releaseTimeout))
    }

    private static let releaseTimeout = Duration.seconds(10)
}

/// The statements that build and use the index over vectors. They need pgvector's type `halfvec` and its HNSW
/// index, which ``capabilities`` looks for; without them, searches compare all vectors.
///
/// Each store has its own partial indexes, because an HNSW index cannot have the id of the store as its first
/// column, and because the vectors of an index must have one dimension.
struct VectorIndexSQL {
    let store: UUID
    let dimension: Int

    /// The maximum dimension of an index over `halfvec`.
    static let maximumDimension = 4000

    /// Returns whether the database has the type `halfvec`, and the setting for scans that continue until
    /// enough rows pass a filter. The settings of an extension exist once the session has used it.
    static let capabilities = [
        Statement("SELECT '[1]'::vector <#> '[1]'::vector", isKept: false),
        Statement(
            """
            SELECT to_regtype('halfvec') IS NOT NULL, current_setting('hnsw.iterative_scan', true) IS NOT NULL
            """, isKept: false),
    ]

    private func name(_ source: NearestSQL.Source) -> String {
        "\(source.table.name)_\(dimension)_\(Self.suffix(store))"
    }

    private static func suffix(_ store: UUID) -> String {
        store.uuidString.lowercased().replacing("-", with: "")
    }

    /// The maximum number of stores with an index in one database. The planner considers the indexes of all stores
    /// for each search, which takes 1 ms with 100 stores and 8 ms with 400.
    static let maximumStores = 100

    static let indexedStores = Statement(
        """
        SELECT count(DISTINCT right(relname, 32)) FROM pg_class
        WHERE relnamespace = to_regnamespace('roost') AND relname ~ '^vectors_[0-9]+_[0-9a-f]{32}$'
        """, isKept: false)

    /// Returns the statement that reads the size of the indexes in bytes. In a cluster, the index that the
    /// coordinator lists is empty, and those of the parts of its table have the rows.
    func size(_ function: String) -> Statement {
        let names = names.map { "'\($0)'" }.joined(separator: ", ")
        return Statement(
            """
            SELECT coalesce(sum(\(function)(c.oid)), 0)::int8
            FROM pg_class c WHERE c.relnamespace = to_regnamespace('roost') AND c.relname IN (\(names))
            """, isKept: false)
    }

    /// Returns the statement that lists the indexes of the store: the name, and whether it is complete.
    var indexes: Statement {
        Statement(
            """
            SELECT c.relname::text, i.indisvalid
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE c.relnamespace = to_regnamespace('roost') AND c.relname LIKE '%\\_\(Self.suffix(store))'
            """, isKept: true)
    }

    var names: [String] { NearestSQL.Source.all.map(name) }

    static func removal(_ name: String) -> String {
        let quoted = name.replacing("\"", with: "\"\"")
        return "DROP INDEX CONCURRENTLY IF EXISTS roost.\"\(quoted)\""
    }

    /// Returns the statement that builds one of the indexes. Other clients can write meanwhile.
    func creation(_ source: NearestSQL.Source) -> String {
        """
        CREATE INDEX CONCURRENTLY IF NOT EXISTS \(name(source)) ON roost.\(source.table.name)
        USING hnsw ((embedding::halfvec(\(dimension))) halfvec_ip_ops)
        WHERE store = '\(store.uuidString.lowercased())'::uuid
            AND \(source.hasPassage.replacing("v.", with: "")) AND vector_dims(embedding) = \(dimension)
        """
    }

    /// The statements of a transaction that lets one client at a time build indexes in the database, and the
    /// position of the one that returns whether no other client does.
    ///
    /// The last statement keeps the server from ending the idle transaction. It also closes the result of the
    /// one before, whose snapshot the build would wait for.
    static let lock = (
        statements: [
            TableSQL.begin,
            Statement("SELECT pg_try_advisory_xact_lock($1::int8)", [Parameter(lockKey)]),
            Statement("SET LOCAL idle_in_transaction_session_timeout = 0", isKept: false),
        ], position: 1
    )

    /// A number that other programs are unlikely to lock: the letters "roost ix".
    private static let lockKey: Int64 = 0x726F_6F73_7420_6978

    // MARK: Searching

    /// The planner does not know how many rows the scan reads until enough pass the filter, so the plans
    /// without the index are disabled.
    ///
    /// - Parameter continues: Whether the scan can continue until enough rows pass the filter.
    static func settings(limit: Int, continues: Bool, isDistributed: Bool) -> [Statement] {
        var settings = isDistributed ? ["citus.propagate_set_commands = 'local'"] : []
        settings.append("hnsw.ef_search = \(min(maximumCandidates, max(minimumCandidates, limit)))")
        if continues { settings.append("hnsw.iterative_scan = relaxed_order") }
        settings += ["seqscan", "sort", "bitmapscan", "hashjoin", "mergejoin"].map { "enable_\($0) = off" }
        return settings.map { Statement("SET LOCAL \($0)", isKept: false) }
    }

    /// The bounds of `hnsw.ef_search`, the number of candidates of a scan. pgvector's default of 40 finds too
    /// few of the nearest passages.
    private static let (minimumCandidates, maximumCandidates) = (200, 1000)

    /// Returns the statements that find passages with the index, ordered by their exact scores.
    func searches(_ nearest: NearestSQL) -> [Statement] {
        NearestSQL.Source.all.map { source in
            let condition = nearest.condition(source)
            return Statement(
                """
                SELECT c.row, c.ordinal, -(c.embedding <#> $3::vector) FROM (
                    SELECT v.row, v.ordinal, v.embedding FROM roost.\(source.table.name) v
                    WHERE \(condition.sql) AND vector_dims(v.embedding) = \(dimension)
                    ORDER BY v.embedding::halfvec(\(dimension)) <#> $3::vector::halfvec(\(dimension))
                    LIMIT $4::int8) c
                """, condition.parameters, isKept: nearest.isKept)
        }
    }
}
