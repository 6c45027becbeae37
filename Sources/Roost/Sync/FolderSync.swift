import Foundation
import RoostChunks
import RoostFiles
import RoostModel

struct FolderSync {
    let store: KnowledgeStore
    let options: SyncOptions

    /// The time in seconds that a sync waits for another one.
    private static let lockTimeout: TimeInterval = 24 * 3600
    /// The time in seconds after which the user learns that the sync is waiting.
    private static let noticeTime: TimeInterval = 1

    /// All folders are compared before the first change, so that a file that was moved from one folder to
    /// another one keeps its entries.
    func run(_ trees: inout [SyncTree]) async throws -> (report: IngestReport, kept: Set<Source.ID>) {
        for tree in trees { try tree.finder.checkPatterns() }
        let lock = try await lock()
        defer { lock?.release() }
        let folders = try store.folders.all() + trees.map(\.folder)
        for index in trees.indices { trees[index].exclude(folders) }
        var report = IngestReport()
        var excluded = Set<SyncedFolder.ID>()
        // The missing files of skipped folders, which may also be below another folder.
        var protected = Set<Source.ID>()
        while true {
            let indices = trees.indices.filter { !excluded.contains(trees[$0].folder.id) }
            guard !indices.isEmpty else { return (report, []) }
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
                for index in plan.trees.indices where refused.contains(plan.trees[index].folder.id) {
                    protected.formUnion(plan.comparisons[index].missing)
                }
                continue
            }
            var run = SyncRun(store: store, options: options, plan: plan)
            try await run.apply(to: &included, &report)
            for (index, tree) in zip(indices, included) { trees[index] = tree }
            return (report, plan.kept)
        }
    }

    /// Asks about the folders whose files seem to be missing by mistake.
    ///
    /// - Returns: The ids of the folders for which nothing may be changed.
    private func decide(
        _ plan: inout SyncPlan, _ report: inout IngestReport
    ) async throws -> Set<SyncedFolder.ID> {
        var refused = Set<SyncedFolder.ID>()
        for index in plan.trees.indices {
            guard let risk = plan.risk(ofFolderAt: index) else { continue }
            switch try await options.decide(risk) {
            case .remove: break
            case .keep: plan.keep(Set(plan.comparisons[index].missing))
            case .skipFolder:
                refused.insert(plan.trees[index].folder.id)
                report.skippedFolders.append(.init(source: risk.folder, reason: risk.description))
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

struct SyncPlan {
    let trees: [SyncTree]
    let scans: [FolderScan]
    let comparisons: [FolderComparison]
    let moves: [SourceMove]
    let stamp: Stamp
    /// The sources of missing files whose entries are kept.
    private(set) var kept: Set<Source.ID>

    init(_ trees: [SyncTree], store: KnowledgeStore, _ options: SyncOptions) async throws {
        self.trees = trees
        let omitted = store.directory.flatMap { FileSystem.resolvedPath($0.path) }
        var scans: [FolderScan] = []
        for tree in trees {
            scans.append(
                try await FolderScan.run(tree, omitting: omitted, willEnter: options.willEnter))
        }
        self.scans = scans
        let snapshot = try await store.storage.snapshot()
        stamp = snapshot.stamp
        comparisons = try await FolderComparison.run(trees, scans, in: snapshot)
        moves = try await Self.moves(trees.map(\.state.files), comparisons, in: snapshot)
        kept = Set(comparisons.flatMap(\.missing).filter(options.keepsMissing))
    }

    var removals: [Source.ID] {
        let moved = Set(moves.map(\.origin))
        return Set(comparisons.flatMap(\.missing)).subtracting(moved).subtracting(kept).sorted()
    }

    /// Returns the reason not to remove the entries of a folder's missing files without consent; `nil` if
    /// there is none.
    func risk(ofFolderAt index: Int) -> RemovalRisk? {
        let moved = Set(moves.map(\.origin))
        let comparison = comparisons[index]
        let missing = comparison.missing.count { !moved.contains($0) && !kept.contains($0) }
        guard missing > 0 else { return nil }
        let isMany = missing * 100 > comparison.knownFiles * RemovalRisk.maximumShare
        guard let reason = scans[index].risk ?? (isMany ? .manyFiles : nil) else { return nil }
        return RemovalRisk(
            folder: trees[index].folder.path, reason: reason, missingFiles: missing,
            knownFiles: comparison.knownFiles)
    }

    mutating func keep(_ sources: Set<Source.ID>) { kept.formUnion(sources) }

    // MARK: Moves

    private static func moves(
        _ files: [[ExactText: SyncState.File]], _ comparisons: [FolderComparison],
        in snapshot: any StorageSnapshot
    ) async throws -> [SourceMove] {
        let candidates = comparisons.flatMap(\.candidates)
        guard candidates.contains(where: \.isNew) || candidates.count > 1 else { return [] }
        var states: [Source.ID: SyncState.File] = [:]
        for file in files.flatMap(\.values) { states[file.source] = file }
        var origins: [MoveDetection.Origin] = []
        func add(_ record: Source, isMissing: Bool) {
            guard let digest = record.documentDigest else { return }
            let state = states[record.id].flatMap { $0.isCurrent(in: record) ? $0 : nil }
            guard isMissing || state != nil else { return }
            origins.append(
                .init(source: record.id, digest: digest, isMissing: isMissing, status: state?.status))
        }
        let missing = Set(comparisons.flatMap(\.missing)).sorted()
        for record in try await snapshot.sources(missing) { add(record, isMissing: true) }
        for candidate in candidates where !candidate.isRepeated && !candidate.isNew {
            if let record = candidate.record { add(record, isMissing: false) }
        }
        guard !origins.isEmpty else { return [] }
        let detection = MoveDetection(from: origins, to: candidates)
        return detection.moves(try await digests(of: detection.relevantFiles))
    }

    /// Returns the digests of files by the ids of their sources. Files that cannot be read are omitted.
    private static func digests(of files: [SyncCandidate]) async throws -> [Source.ID: String] {
        try await BlockingWork.run { isCancelled in
            var digests: [Source.ID: String] = [:]
            let limit = RecordReader().maximumFileSize
            for candidate in files {
                if isCancelled() { throw CancellationError() }
                guard
                    let data = try? FileContents.read(
                        candidate.url, maximumSize: limit, maximumBinarySize: { _ in limit })
                else { continue }
                digests[candidate.source] = ChunkIdentifier(hashing: data).id
            }
            return digests
        }
    }
}
