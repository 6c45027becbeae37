import RoostModel
import RoostVectors

/// If few entries match, their vectors are compared by an exact scan. Otherwise, the index finds candidates,
/// whose exact scores the server computes. If the index finds too few, because its scan ended before enough
/// rows passed the filter, an exact scan follows. So a result is never too short.
struct NearestSearch {
    let snapshot: PostgresSnapshot
    let vector: [Float]
    let limit: Int
    let scope: PassageScope
    let isExact: Bool

    /// The maximum requested number of passages for which the index is used. A scan of the index visits one
    /// row after another in random order, so a longer one is slower than an exact scan.
    private static let maximumIndexedLimit = 5000

    /// The entries that match, as far as the plan needs to know them.
    private typealias Matching = (count: Int, restriction: NearestSQL.Restriction)

    func run(_ run: PostgresSnapshot.Run) throws -> NearestPassages {
        let matching = try matching(run)
        guard matching.count > 0, snapshot.head.vectorCount > 0 else {
            return result([], .exactScan, matching.count)
        }
        let nearest = NearestSQL(snapshot, vector, limit: limit, matching.restriction)
        var method = PassageSearchPlan.Method.exactScan
        if !isExact, matching.count > snapshot.exactSearchLimit, limit <= Self.maximumIndexedLimit {
            if let scans = try VectorIndex(snapshot).search(nearest, limit: limit, run) {
                let found = try passages(scans, run)
                if found.count >= limit, try !endedEarly(scans, found) {
                    return result(found, .index, matching.count)
                }
                method = .indexThenExactScan
            }
        }
        return result(try passages(try run(nearest.exactScans).dropLast(), run), method, matching.count)
    }

    /// Returns whether the scan of one of the tables ended before it could find all passages that are nearer
    /// than the last result: it returned too few rows, although its farthest row is nearer.
    private func endedEarly(_ scans: ArraySlice<QueryResult>, _ found: [NearestPassage]) throws -> Bool {
        guard let last = found.last?.score else { return false }
        return try scans.contains { scan in
            guard scan.rows.count < limit else { return false }
            let scores = try scan.rows.map { Float(try $0.double(2)) }
            return scores.min().map { $0 > last } ?? false
        }
    }

    private func result(
        _ passages: [NearestPassage], _ method: PassageSearchPlan.Method, _ count: Int
    ) -> NearestPassages {
        NearestPassages(
            passages: passages,
            plan: PassageSearchPlan(method, matchingEntries: count, foundPassages: passages.count))
    }

    /// Counts the entries that match. The rows of few entries are selected here, because the planner
    /// overestimates the cost of joins with them until it has statistics.
    private func matching(_ run: PostgresSnapshot.Run) throws -> Matching {
        switch scope {
        case .rows(let rows):
            return (count: rows.count, restriction: .rows(rows.map { Int64($0) }))
        case .matching(let filter):
            if filter.matchesAll { return (count: snapshot.head.entryCount, restriction: .none) }
            let limit = min(snapshot.exactSearchLimit, Int(Int32.max))
            let tags = try snapshot.tags(for: filter, run)
            let selection = snapshot.selection(
                "e.row", matching: filter, tags: tags, Parameter(limit + 1), "LIMIT $3::int8")
            let rows = try run([selection])[0].rows
            if rows.count <= limit {
                return (count: rows.count, restriction: .rows(try rows.map { try $0.int64(0) }))
            }
            let counting = snapshot.selection("count(*)", matching: filter, tags: tags)
            let count = try run([counting])[0].rows.first?.int(0)
            return (count: count ?? 0, restriction: .filter(filter, tags: tags))
        }
    }

    private func passages(_ results: some Sequence<QueryResult>, _ run: PostgresSnapshot.Run) throws
        -> [NearestPassage]
    {
        var found = try results.flatMap(\.rows).map {
            (row: try $0.int64(0), ordinal: try $0.int(1), score: try $0.double(2))
        }
        found.sort { ($1.score, $0.row, $0.ordinal) < ($0.score, $1.row, $1.ordinal) }
        found.removeLast(max(0, found.count - limit))
        guard !found.isEmpty else { return [] }
        let rows = try snapshot.entryRows(
            "e.row, e.id", where: "e.row = ANY($3::int8[])", Parameter(Set(found.map(\.row))), run)
        let ids = Dictionary(try rows.map { (try $0.int64(0), try $0.uuid(1)) }) { first, _ in first }
        return try found.map { passage in
            guard let id = ids[passage.row], let row = UInt32(exactly: passage.row) else {
                throw Stored.damaged("a vector in row \(passage.row), which has no entry")
            }
            return NearestPassage(
                entry: id, row: row, ordinal: passage.ordinal, score: Float(passage.score))
        }
    }
}

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
        parameters = snapshot.parameters + [Parameter(bytes: bytes), Parameter(limit)]
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
}
