import Roost

extension StoreOptions {
    /// Runs an import with a display of its progress, then updates the index and closes the store.
    ///
    /// - Parameters:
    ///   - store: The store that receives the entries.
    ///   - unit: The plural name of what is imported.
    ///   - work: The import. It calls its argument with the number of imported items and that of all items.
    func runImport<Report>(
        into store: KnowledgeStore, unit: String,
        _ work: (_ progress: @escaping @Sendable (Int, Int) -> Void) async throws -> Report
    ) async throws -> Report {
        let progress = Progress(isQuiet: quiet, unit: unit)
        defer { progress.finish() }
        let report: Report
        do {
            report = try await work { done, all in
                progress.update(done, fraction: Double(done) / Double(max(1, all)))
            }
        } catch is CancellationError {
            progress.finish()
            try? await store.close()
            throw CommandError(
                .interrupted,
                "stopped: \(progress.done) \(unit) are in the store; run the same command again to continue")
        }
        progress.finish()
        await refreshIndex(of: store)
        try await store.close()
        return report
    }
}
