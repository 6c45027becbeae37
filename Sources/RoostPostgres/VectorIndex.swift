import Foundation
import RoostModel

struct VectorIndex {
    private let snapshot: PostgresSnapshot
    private let sql: VectorIndexSQL

    init(_ snapshot: PostgresSnapshot) {
        self.snapshot = snapshot
        sql = VectorIndexSQL(store: snapshot.store, dimension: snapshot.head.dimension)
    }

    private func capabilities(_ run: NearestSearch.Run) throws -> VectorCapabilities {
        if let known = snapshot.pool.vectorCapabilities { return known }
        let results = try run(VectorIndexSQL.capabilities + [DistributionSQL.isAvailable])
        let row = results[1].rows[0]
        let found = VectorCapabilities(
            hasHalfVectors: try row.bool(0), continuesScans: try row.bool(1),
            isDistributed: try results[2].rows[0].bool(0))
        snapshot.pool.vectorCapabilities = found
        return found
    }

    /// The reason why no index can be built; `nil` if one can.
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

    private struct Existing {
        let name: String
        let isValid: Bool
        let bytes: Int
    }

    private func existing(_ run: NearestSearch.Run) throws -> [Existing] {
        try run([sql.indexes])[0].rows.map {
            Existing(name: try $0.text(0), isValid: try $0.bool(1), bytes: try $0.int(2))
        }
    }

    // MARK: Searching

    /// The statements of a transaction, and the positions of those that find passages.
    struct Searches {
        let all: [Statement]
        let searches: Range<Int>
    }

    /// Returns the statements that search with the index; `nil` if it is not complete.
    func searches(_ nearest: NearestSQL, limit: Int, _ run: NearestSearch.Run) throws -> Searches? {
        let capabilities = try capabilities(run)
        guard obstacle(capabilities) == nil else { return nil }
        let names = try existing(run).filter(\.isValid).map(\.name)
        guard sql.names.allSatisfy(names.contains) else { return nil }
        let settings = VectorIndexSQL.settings(
            limit: limit, continues: capabilities.continuesScans, isDistributed: capabilities.isDistributed)
        let searches = sql.searches(nearest)
        let first = 1 + settings.count
        return Searches(
            all: [TableSQL.begin] + settings + searches + [TableSQL.commit],
            searches: first..<first + searches.count)
    }

    // MARK: State

    func state(_ run: NearestSearch.Run) throws -> PassageIndexState {
        if let obstacle = obstacle(try capabilities(run)) {
            return PassageIndexState(isComplete: false, bytes: 0, obstacle: obstacle)
        }
        let usable = try existing(run).filter { $0.isValid && sql.names.contains($0.name) }
        let isComplete = usable.count == sql.names.count
        return PassageIndexState(
            isComplete: isComplete, bytes: isComplete ? usable.reduce(0) { $0 + $1.bytes } : 0)
    }

    /// Returns the statements that build what is missing: the names of indexes with other dimensions and of
    /// incomplete ones, which are removed first, and the definitions of the indexes.
    func missingParts(_ run: NearestSearch.Run) throws -> [String] {
        if let obstacle = obstacle(try capabilities(run)) {
            throw StorageError(.unsupported, "cannot build an index in the database: \(obstacle)")
        }
        let existing = try existing(run)
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

/// The right to build the indexes of a store, which one client at a time has.
///
/// It belongs to a transaction on a separate connection, so it ends when the last reference to the lock does,
/// or with the client.
final class IndexBuildLock: Sendable {
    private let connection: Connection

    init(_ store: UUID, _ settings: ConnectionSettings, _ limits: CallLimits) throws {
        connection = try Connection(settings)
        let (statements, position) = VectorIndexSQL.lock(store)
        guard try connection.run(statements, limits)[position].rows[0].bool(0) else { throw Self.isTaken }
    }

    /// Ends the transaction, so that another client can build as soon as the method returns. If only the
    /// connection is closed, the server ends the transaction some time later.
    func release() {
        // If the statement fails, the server ends the transaction with the connection.
        _ = try? connection.run([TableSQL.rollback], CallLimits(Self.releaseTimeout))
    }

    private static let releaseTimeout = Duration.seconds(10)

    static var isTaken: StorageError {
        StorageError(
            .locked, "another client is building the index in the database; try again later",
            isRetryable: true, remedy: .retryLater)
    }
}
