import Foundation
import RoostModel
import RoostVectors

extension PostgresSnapshot {
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        return try await read { run in
            let statement = Statement(
                Self.vectorSelection,
                parameters + [
                    Parameter(row.map { Int64($0) } ?? -1), Parameter(limit == .max ? limit : limit + 1),
                ])
            let rows = try run([statement])[0].rows
            let page = rows.prefix(limit)
            let parts = try self.parts(of: page, withPassages: kind == .passages, run)
            var collector = VectorCollector(store: store)
            for row in page {
                try collector.add(row, parts[try row.int64(0)] ?? EntryParts(), kind)
            }
            return collector.page(next: rows.count > limit ? try page.last?.row(0) : nil)
        }
    }

    func passageVectors(ofRows rows: RowSet) async throws -> VectorPage {
        guard !rows.isEmpty else { return VectorCollector(store: store).page(next: nil) }
        return try await read { run in
            let found = try entryRows(
                EntryRows.headerColumns,
                where: "e.row = ANY($3::int8[]) AND e.dimension > 0 ORDER BY e.row",
                Parameter(rows.map { Int64($0) }), run)
            let parts = try self.parts(of: found, withPassages: true, run)
            var collector = VectorCollector(store: store)
            for row in found { try collector.add(row, parts[try row.int64(0)] ?? EntryParts(), .passages) }
            return collector.page(next: nil)
        }
    }

    func sampledRows(_ count: Int) async throws -> RowSet {
        // If there are few entries, all of them are in the sample: few rows would hit them if most rows of the
        // store were removed. Otherwise, the entry in each of several evenly spread rows is, or the next one. Ids
        // are not spread evenly if they contain times.
        let starts = (0..<Int64(count)).map { $0 * head.nextRow / Int64(count) }
        let selection =
            head.vectorCount <= count
            ? Statement(
                "SELECT e.row FROM roost.entries e WHERE \(Self.isVisible) AND e.dimension > 0", parameters)
            : Statement(
                """
                SELECT sampled.row FROM unnest($3::int8[]) AS pivot (start) CROSS JOIN LATERAL (
                    SELECT e.row FROM roost.entries e
                    WHERE \(Self.isVisible) AND e.row >= pivot.start AND e.dimension > 0
                    ORDER BY e.row LIMIT 1) AS sampled
                """, parameters + [Parameter(starts)])
        return try await read { run in RowSet(try run([selection])[0].rows.map { try $0.row(0) }) }
    }

    private static let vectorSelection = """
        SELECT \(EntryRows.headerColumns) FROM roost.entries e
        WHERE \(isVisible) AND e.row > $3::int8 AND e.dimension > 0 ORDER BY e.row LIMIT $4::int8
        """
}

/// Builds a page of vectors from result rows, and checks that no entry lacks any of its vectors.
struct VectorCollector {
    let store: UUID
    private var rows: [UInt32] = []
    private var ids: [Entry.ID] = []
    private var ordinals: [UInt32] = []
    private var elements: [Float] = []
    private var dimension: Int?

    init(store: UUID) { self.store = store }

    mutating func add(_ row: ResultRow, _ parts: EntryParts, _ kind: VectorPage.Kind) throws {
        let header = try EntryRows.Header(row, store: store)
        guard let vector = parts.vector else { throw Stored.damaged("an entry that lacks a vector") }
        try EntryRows.verifyVector(vector, store: store)
        guard kind == .passages, header.passageCount > 0 else {
            return try append(vector, EntryRows.vectorColumn, header, ordinal: 0)
        }
        guard parts.passages.count == header.passageCount else {
            throw Stored.damaged("an entry that lacks a passage")
        }
        for passage in parts.passages {
            try passage.verify(0..<7, after: Stored.checksumSeed(store), "a passage")
            let ordinal = UInt32(clamping: try passage.int64(1))
            if passage.isNull(6) {
                try append(vector, EntryRows.vectorColumn, header, ordinal: ordinal)
            } else {
                try append(passage, 6, header, ordinal: ordinal)
            }
        }
    }

    private mutating func append(
        _ row: ResultRow, _ column: Int, _ header: EntryRows.Header, ordinal: UInt32
    ) throws {
        let start = elements.count
        try row.appendVector(column, to: &elements)
        let found = elements.count - start
        guard found == header.dimension, found == dimension ?? found else {
            throw Stored.damaged("a vector with the unexpected dimension \(found)")
        }
        dimension = found
        rows.append(header.row)
        ids.append(header.id)
        ordinals.append(ordinal)
    }

    func page(next: UInt32?) -> VectorPage {
        VectorPage(
            rows: rows, ids: ids, ordinals: ordinals,
            vectors: Matrix(rows: rows.count, columns: dimension ?? 0, elements: elements), next: next)
    }
}

extension PostgresSnapshot: PassageSearch {
    var passageSearch: (any PassageSearch)? { self }

    func nearestPassages(
        to vector: [Float], limit: Int, in scope: PassageScope, isExact: Bool
    ) async throws -> NearestPassages {
        precondition(limit >= 1, "the limit of a search must be at least 1, not \(limit)")
        guard head.vectorCount == 0 || vector.count == head.dimension else {
            throw StorageError(
                .dimensionMismatch,
                "cannot search: the vector has \(vector.count) components, but those of the store have "
                    + "\(head.dimension)")
        }
        let search = NearestSearch(
            snapshot: self, vector: vector, limit: limit, scope: scope, isExact: isExact)
        return try await read { run in try search.run(run) }
    }

    func indexState() async throws -> PassageIndexState {
        try await read { run in try VectorIndex(self).state(run) }
    }

    /// The maximum time for one step of a build, which can take hours: a week.
    private static let buildTimeout = Duration.seconds(7 * 86_400)

    func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws {
        let lock = try await pool.errors.runBlocking { isCancelled in
            let lock = try IndexBuildLock(pool.settings)
            let limits = CallLimits(Self.buildTimeout, isCancelled: isCancelled)
            // A statement that waits for the lock would keep a snapshot, for which the build would wait.
            while try !lock.acquire(limits) {
                progress("waiting for another build in the database", nil)
                try TemporaryFailures.pause(.milliseconds(200), isCancelled: isCancelled)
            }
            return lock
        }
        do {
            try await buildMissingPartsUnderLock(progress)
        } catch {
            // A task that was canceled cannot wait, so the connection is closed.
            withExtendedLifetime(lock) {}
            throw error
        }
        // The build has succeeded, also if the task is canceled before the lock is released.
        try? await pool.errors.runBlocking { _ in lock.release() }
    }

    private func buildMissingPartsUnderLock(
        _ progress: @escaping @Sendable (String, Double?) -> Void
    ) async throws {
        let statements = try await read { run in try VectorIndex(self).missingParts(run) }
        for (number, sql) in statements.enumerated() {
            progress("step \(number + 1) of \(statements.count)", nil)
            try await pool.call(retryTimeout: 0, timeout: Self.buildTimeout) { try $0.execute(sql, $1) }
        }
    }
}
