import RoostModel

/// Brings what a storage keeps to the schema of today, one version after another.
///
///     let schema = SchemaMigrator(steps: [.init(version: 2) { try splitSessions() }])
///     try schema.migrateIfNeeded(
///         stored: defaults.object(forKey: "StorageVersion") as? Int, isEmpty: sessions.isEmpty
///     ) { defaults.set($0, forKey: "StorageVersion") }
public struct SchemaMigrator {
    /// What makes one version of the one before.
    public struct Step {
        public let version: Int
        let migrate: () throws -> Void

        /// - Parameter migrate: is run again where it was stopped before its version was saved, so it does
        ///   no harm the second time.
        public init(version: Int, migrate: @escaping () throws -> Void) {
            (self.version, self.migrate) = (version, migrate)
        }
    }

    /// The version that the last step makes; 1 without steps.
    public let version: Int
    private let steps: [Step]

    /// - Precondition: the versions of the steps rise from 2 on.
    public init(steps: [Step] = []) {
        precondition(
            zip([1] + steps.map(\.version), steps.map(\.version)).allSatisfy(<), "versions rise from 2 on")
        (self.steps, version) = (steps, steps.last?.version ?? 1)
    }

    /// Runs the steps that are missing, and saves the version after each of them.
    ///
    /// - Parameters:
    ///   - stored: the version that was saved; `nil` is version 1, which saved none.
    ///   - isEmpty: nothing is kept yet: there is nothing to migrate.
    ///   - save: is given the version that what is kept has from now on; not called where it has it already.
    /// - Returns: the version that it had.
    /// - Throws: ``StorageError`` with `.newerFormat` where a later program saved it, and nothing has
    ///   changed; what a step or `save` throws: what the steps before it did stays.
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

    /// - Throws: ``StorageError`` with `.newerFormat`; `.damaged` for what is no version.
    func check(stored: Int) throws {
        guard stored > 0 else { throw StorageError(.damaged, "\(stored) is no version of a schema") }
        guard stored <= version else {
            throw StorageError(
                .newerFormat,
                "what is stored has schema \(stored), and this program knows \(version): a newer one wrote "
                    + "it; update to open it")
        }
    }
}
