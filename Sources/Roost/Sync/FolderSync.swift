import Foundation
import RoostFiles
import RoostModel

struct FolderSync {
    let store: KnowledgeStore
    let options: SyncOptions

    /// The time in seconds that a sync waits for another one.
    private static let lockTimeout: TimeInterval = 24 * 3600
    /// The time in seconds after which the user learns that the sync is waiting.
    private static let noticeTime: TimeInterval = 1

    /// Syncs folders, and updates the states of the trees.
    ///
    /// All folders are compared before the first change, so that a file that was moved from one folder to
    /// another one keeps its entries.
    func run(_ trees: inout [SyncTree]) async throws -> SyncReport {
        for tree in trees { try tree.folder.finder.checkPatterns() }
        let lock = try await lock()
        defer { lock?.release() }
        let folders = try store.folders.all() + trees.map(\.folder)
        for index in trees.indices { trees[index].exclude(folders) }
        var report = SyncReport()
        var excluded = Set<SyncedFolder.ID>()
        // The missing files of skipped folders, which may also be below another folder.
        var protected = Set<Source.ID>()
        while true {
            let indices = trees.indices.filter { !excluded.contains(trees[$0].folder.id) }
            guard !indices.isEmpty else { return report }
            var included = indices.map { trees[$0] }
            var plan = try await SyncPlan(included, store: store, options)
            // A file that was moved during the search may have been found nowhere. Only files that two
            // searches miss are removed.
            let first = Set(plan.removals)
            if !first.isEmpty {
                plan = try await SyncPlan(included, store: store, options)
                plan.keep(Set(plan.removals).subtracting(first))
            }
            plan.keep(protected)
            let refused = try await decide(&plan, &report)
            guard refused.isEmpty else {
                // Files that were moved from or to a skipped folder are compared again without it.
                excluded.formUnion(refused)
                for index in plan.folders.indices where refused.contains(plan.folders[index].id) {
                    protected.formUnion(plan.comparisons[index].missing)
                }
                continue
            }
            var run = SyncRun(store: store, options: options, plan: plan)
            try await run.apply(to: &included, &report)
            for (index, tree) in zip(indices, included) { trees[index] = tree }
            return report
        }
    }

    /// Asks about the folders whose files seem to be missing by mistake.
    ///
    /// - Returns: The ids of the folders for which nothing may be changed.
    private func decide(
        _ plan: inout SyncPlan, _ report: inout SyncReport
    ) async throws -> Set<SyncedFolder.ID> {
        var refused = Set<SyncedFolder.ID>()
        for index in plan.folders.indices {
            guard let risk = plan.risk(ofFolderAt: index) else { continue }
            switch try await options.decide(risk) {
            case .remove: break
            case .keep: plan.keepMissingFiles(ofFolderAt: index)
            case .skipFolder:
                refused.insert(plan.folders[index].id)
                report.skippedFolders.append(.init(folder: risk.folder, reason: risk.description))
            }
        }
        return refused
    }

    /// Acquires the lock that permits one sync at a time; `nil` for a store without a folder.
    private func lock() async throws -> FileLock? {
        guard let directory = store.directory, !options.isDryRun else { return nil }
        // The lock must not create the folder of a store that was moved away.
        guard StoreManifest.exists(in: directory) else { throw RoostError.noStore(in: directory) }
        let onWaiting = options.onWaiting
        return try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                let folder = SyncState.folder(in: directory)
                try FileSystem.standard.createFolder(folder)
                let url = folder.appendingPathComponent("sync.lock")
                do {
                    return try FileLock.acquire(url, timeout: Self.noticeTime, isCancelled: isCancelled)
                } catch let error as LockTimeout {
                    onWaiting(error.holder)
                    return try FileLock.acquire(url, timeout: Self.lockTimeout, isCancelled: isCancelled)
                }
            }
        }
    }
}
