import Foundation

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

    /// Returns the statement that lists the indexes of the store: the name, whether it is complete, and its
    /// size in bytes.
    var indexes: Statement {
        Statement(
            """
            SELECT c.relname::text, i.indisvalid, pg_relation_size(c.oid)
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

    /// Returns the statements of a transaction that lets one client at a time build indexes of a store, and
    /// the position of the one that returns whether no other client does.
    ///
    /// The last statement keeps the server from ending the idle transaction. It also closes the result of the
    /// one before, whose snapshot the build would wait for.
    static func lock(_ store: UUID) -> (statements: [Statement], position: Int) {
        let (high, low) = withUnsafeBytes(of: store.uuid) { bytes in
            (bytes.bigEndian(at: 0, as: Int64.self), bytes.bigEndian(at: 8, as: Int64.self))
        }
        return (
            [
                TableSQL.begin,
                Statement("SELECT pg_try_advisory_xact_lock($1::int8)", [Parameter(high ^ low)]),
                Statement("SET LOCAL idle_in_transaction_session_timeout = 0", isKept: false),
            ], 1
        )
    }

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
