import Foundation
import RoostModel

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

    private static let maximumBuildAttempts = 10

    /// The maximum time for one step of a build, which can take hours: a week.
    private static let buildTimeout = Duration.seconds(7 * 86_400)

    func buildIndex(progress: @escaping @Sendable (String, Double?) -> Void) async throws {
        for _ in 1..<Self.maximumBuildAttempts {
            do {
                return try await buildMissingParts(progress)
            } catch let error as StorageError where error.code == .unavailable && error.isRetryable {
                // Builds for several stores of one database wait for each other, and the server ends one of
                // them if that is a deadlock. The next attempt replaces the incomplete index.
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...1000)))
            }
        }
        try await buildMissingParts(progress)
    }

    private func buildMissingParts(
        _ progress: @escaping @Sendable (String, Double?) -> Void
    ) async throws {
        let errors = ErrorMapping(name: pool.settings.displayName)
        let lock = try await errors.runBlocking { isCancelled in
            try IndexBuildLock(
                store, pool.settings, CallLimits(CallLimits.callTimeout, isCancelled: isCancelled))
        }
        do {
            try await buildMissingPartsUnderLock(progress)
        } catch {
            // A task that was canceled cannot wait, so the connection is closed.
            withExtendedLifetime(lock) {}
            throw error
        }
        // The build has succeeded, also if the task is canceled before the lock is released.
        try? await errors.runBlocking { _ in lock.release() }
    }

    private func buildMissingPartsUnderLock(
        _ progress: @escaping @Sendable (String, Double?) -> Void
    ) async throws {
        let statements = try await read { run in try VectorIndex(self).missingParts(run) }
        for (number, sql) in statements.enumerated() {
            progress("step \(number + 1) of \(statements.count)", nil)
            try await ErrorMapping(name: pool.settings.displayName).runBlocking { isCancelled in
                let limits = CallLimits(Self.buildTimeout, isCancelled: isCancelled)
                try pool.withConnection(limits) { try $0.execute(sql, limits) }
            }
        }
    }
}
