import RoostModel

struct NearestSQL {
    enum Restriction {
        case none
        case rows([Int64])
        case filter(EntryFilter, tags: [String])
    }

    /// The parameters that all statements have: the store, the revision, the vector and the limit.
    let parameters: [Parameter]
    let restriction: Restriction

    init(_ snapshot: PostgresSnapshot, _ vector: [Float], limit: Int, _ restriction: Restriction) {
        var bytes: [UInt8] = []
        bytes.append(vector: vector)
        parameters = snapshot.parameters + [Parameter(bytes), Parameter(limit)]
        self.restriction = restriction
    }

    /// One of the two tables that contain the vectors of passages. A vector that an entry and its passage
    /// share is only in the table `vectors`.
    struct Source {
        let table: Table
        /// The condition that a row `v` contains the vector of a passage.
        let hasPassage: String

        static let vectors = Source(table: .vectors, hasPassage: "v.ordinal IS NOT NULL")
        static let passages = Source(table: .passages, hasPassage: "v.embedding IS NOT NULL")
        static let all = [vectors, passages]
    }

    /// Returns the condition that a row `v` belongs to the snapshot and to an entry that may be found, and
    /// the parameters of the statement.
    func condition(_ source: Source) -> (sql: String, parameters: [Parameter]) {
        let sql = "v.store = $1::uuid AND \(TableSQL.isValid("v")) AND \(source.hasPassage)"
        switch restriction {
        case .none: return (sql, parameters)
        case .rows(let rows): return (sql + " AND v.row = ANY($5::int8[])", parameters + [Parameter(rows)])
        case .filter(let filter, let tags):
            let condition = FilterSQL(filter, tags: tags, after: parameters)
            let rows = "SELECT e.row FROM roost.entries e WHERE \(PostgresSnapshot.isVisible)"
            return (sql + " AND v.row IN (\(rows) AND \(condition.sql))", condition.parameters)
        }
    }

    var isKept: Bool {
        if case .filter = restriction { false } else { true }
    }

    var exactScans: [Statement] {
        Source.all.map { source in
            let condition = condition(source)
            return Statement(
                """
                SELECT v.row, v.ordinal, -(v.embedding <#> $3::vector) FROM roost.\(source.table.name) v
                WHERE \(condition.sql)
                ORDER BY v.embedding <#> $3::vector, v.row LIMIT $4::int8
                """, condition.parameters, isKept: isKept)
        }
    }

    static func rows(
        matching filter: EntryFilter, tags: [String], limit: Int, _ snapshot: PostgresSnapshot
    ) -> Statement {
        let condition = FilterSQL(filter, tags: tags, after: snapshot.parameters + [Parameter(limit)])
        return Statement(
            """
            SELECT e.row FROM roost.entries e
            WHERE \(PostgresSnapshot.isVisible) AND \(condition.sql) LIMIT $3::int8
            """, condition.parameters, isKept: false)
    }

    static func count(
        matching filter: EntryFilter, tags: [String], _ snapshot: PostgresSnapshot
    ) -> Statement {
        let condition = FilterSQL(filter, tags: tags, after: snapshot.parameters)
        return Statement(
            """
            SELECT count(*) FROM roost.entries e WHERE \(PostgresSnapshot.isVisible) AND \(condition.sql)
            """, condition.parameters, isKept: false)
    }

    static func ids(ofRows rows: [Int64], _ snapshot: PostgresSnapshot) -> Statement {
        Statement(
            """
            SELECT e.row, e.id FROM roost.entries e
            WHERE \(PostgresSnapshot.isVisible) AND e.row = ANY($3::int8[])
            """, snapshot.parameters + [Parameter(rows)])
    }
}
