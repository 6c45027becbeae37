import RoostModel

/// Migrates stored data to the current schema, one version after another.
///
///     let schema = SchemaMigrator(steps: [.init(version: 2) { try splitSessions() }])
///     try schema.migrateIfNeeded(
///         stored: defaults.object(forKey: "StorageVersion") as? Int, isEmpty: sessions.isEmpty
///     ) { defaults.set($0, forKey: "StorageVersion") }
public struct SchemaMigrator {
    /// A migration from one version to the next.
    public struct Step {
        /// The version that the step produces.
        public let version: Int
        let migrate: () throws -> Void

        /// Creates a step.
        ///
        /// - Parameters:
        ///   - version: The version that the step produces.
        ///   - migrate: The migration. It must be idempotent: if the process ends before the version is
        ///     saved, it runs again.
        public init(version: Int, migrate: @escaping () throws -> Void) {
            (self.version, self.migrate) = (version, migrate)
        }
    }

    /// The current version: that of the last step, or 1 if there are no steps.
    public let version: Int
    private let steps: [Step]

    /// Creates a migrator.
    ///
    /// - Parameter steps: The migrations, in the order of their versions.
    /// - Precondition: The versions are ascending and at least 2.
    public init(steps: [Step] = []) {
        precondition(
            zip([1] + steps.map(\.version), steps.map(\.version)).allSatisfy(<),
            "the versions of the steps must be ascending and at least 2")
        (self.steps, version) = (steps, steps.last?.version ?? 1)
    }

    /// Runs the missing steps, and saves the version after each of them.
    ///
    /// - Parameters:
    ///   - stored: The stored version. `nil` means version 1, which did not store a version.
    ///   - isEmpty: Whether there is no data yet, so that only the version has to be saved.
    ///   - save: Stores the new version. It is not called if the stored version is current.
    /// - Returns: The version before the migration.
    /// - Throws: `StorageError` with `.newerFormat` if a newer program wrote the data, which is unchanged in
    ///   that case; the errors of the steps and of `save`. Completed steps are not rolled back.
    @discardableResult
    public func migrateIfNeeded(
        stored: Int?, isEmpty: Bool = false, save: (Int) throws -> Void
    ) throws -> Int {
        let before = stored ?? (isEmpty ? version : 1)
        try check(stored: before)
        if !isEmpty {
            for step in steps where step.version > before {
                try step.migrate()
                if step.version < version { try save(step.version) }
            }
        }
        if stored != version { try save(version) }
        return before
    }

    /// Checks that this migrator supports a stored version.
    ///
    /// - Throws: `StorageError`: `.newerFormat`; `.damaged` if the version is not a positive number.
    func check(stored: Int) throws {
        guard stored > 0 else {
            throw StorageError(.damaged, "invalid schema version \(stored)")
        }
        guard stored <= version else {
            throw StorageError(
                .newerFormat,
                "schema version \(stored) is newer than this version supports (\(version))",
                remedy: .upgradeRoost)
        }
    }
}
