import Foundation
import RoostModel

extension BackupRepository {
    /// The minimum share of a pack's bytes that must be in use. Below it, the segments in use are copied to a
    /// new pack. A lower value would leave more unused bytes; a higher one would cause more copying.
    private static let minimumUsage = 0.7

    /// Removes the snapshots that no rule keeps, and all data that no remaining snapshot uses.
    ///
    /// Other processes cannot use the repository during a prune. Segments in use are copied to new packs
    /// first, then a new index is written, and only then the old indexes and packs are deleted.
    ///
    /// - **Atomicity**: Even if the process is killed, every remaining snapshot is complete, and the next
    ///   prune resumes the work.
    /// - Parameters:
    ///   - retention: The rules; `nil` keeps all snapshots.
    ///   - isDryRun: Whether to compute the result without changing anything.
    /// - Returns: The snapshots and the amount of data that were removed or, in a dry run, would be removed.
    /// - Throws: ``BackupError``: `.locked` if another process is using the repository; `.damaged` if a
    ///   snapshot cannot be read, so that the data that it uses is unknown, or if a remaining snapshot is
    ///   incomplete; in both cases nothing is removed; `.newerFormat`; `.badInput` if the rules keep no
    ///   snapshot. `ChunkStorageError` if reading or writing fails.
    @concurrent
    public func prune(
        keeping retention: BackupRetention? = nil, isDryRun: Bool = false
    ) async throws -> BackupPruneReport {
        if let retention, retention.isEmpty {
            throw BackupError(
                .badInput, "cannot prune the backup: the rules keep no snapshot; nothing was removed")
        }
        // A dry run only reads, so it needs no exclusive lock.
        return try await RepositoryLock.with(exclusive: !isDryRun, toleratesReadOnly: isDryRun, retrieval) {
            lock in
            var report = BackupPruneReport()
            let snapshots = try await readableSnapshotsForPruning()
            let kept = retention?.kept(of: snapshots) ?? Set(snapshots.map(\.id))
            report.kept = snapshots.filter { kept.contains($0.id) }
            report.forgotten = snapshots.filter { !kept.contains($0.id) }
            guard !kept.isEmpty || snapshots.isEmpty || retention == nil else {
                throw BackupError(
                    .badInput,
                    "cannot prune the backup: the rules keep none of \(snapshots.count) snapshots; nothing "
                        + "was removed")
            }
            // A corrupt index is not needed if the others list all segments of the remaining snapshots, which
            // `needed` checks.
            let indexes = try await indexes()
            let store = try await segments()
            let needed = try await needed(by: report.kept, store)
            var plan = try await Plan(indexes.packs, store, needed, retrieval)
            // A new index replaces the corrupt ones.
            if !indexes.damaged.isEmpty { plan.changesIndex = true }
            report.bytesBefore = plan.kept.reduce(0) { $0 + $1.storedSize } + plan.bytesToRemove
            report.bytesAfter = report.bytesBefore - plan.bytesToRemove + plan.bytesToMove
            if isDryRun { return report }
            try await carryOut(plan, forgetting: report.forgotten, indexes.paths, store, lock)
            return report
        }
    }

    /// - Throws: ``BackupError`` if a snapshot cannot be read, because its data would be removed.
    private func readableSnapshotsForPruning() async throws -> [BackupSnapshot] {
        let list = try await snapshotList()
        guard let first = list.unreadable.first else { return list.snapshots }
        guard first.error.code == .damaged else { throw first.error }
        let names = list.unreadable.map { String($0.id.prefix(12)) }.joined(separator: ", ")
        throw BackupError(
            .damaged,
            "cannot prune the backup: the data of snapshot \(names), which cannot be read, is unknown; "
                + "nothing was removed", remedy: .forgetSnapshot)
    }

    private func needed(by snapshots: [BackupSnapshot], _ store: SegmentStore) async throws -> Set<SegmentID>
    {
        var needed = Set<SegmentID>()
        for snapshot in snapshots {
            func isUnreadable(_ list: SegmentID, _ error: any Error) -> Bool { false }
            try await forEachGroup(of: snapshot, store, isUnreadable: isUnreadable) { group in
                for (id, _) in group.segments where needed.insert(id).inserted {
                    guard store.location(of: id) != nil else {
                        throw BackupError(
                            .damaged,
                            "cannot prune the backup: data of snapshot \(snapshot.id.prefix(12)) is missing "
                                + "or damaged; nothing was removed", remedy: .verifyBackup)
                    }
                }
            }
        }
        return needed
    }

    /// The packs to keep, and the segments to copy from all other packs.
    private struct Plan {
        var kept: [PackContents] = []
        /// The segments that are still in use although their packs are removed, in the order of the packs.
        var moving: [SegmentID] = []
        var unneededPaths: [String] = []
        var bytesToRemove = 0
        var bytesToMove = 0
        /// Whether the set of segments changes. If it does, a new index must be written.
        var changesIndex = false

        init(
            _ packs: [PackContents], _ store: SegmentStore, _ needed: Set<SegmentID>,
            _ retrieval: any ChunkStorageRetrieval
        ) async throws {
            for pack in packs {
                // A segment can be in several packs, but only one copy has to be kept.
                let used = pack.segments.filter {
                    needed.contains($0.id) && store.pack(of: $0.id) == pack.name
                }
                let bytes = used.reduce(0) { $0 + $1.location.storedSize }
                if !used.isEmpty, Double(bytes) >= BackupRepository.minimumUsage * Double(pack.storedSize) {
                    kept.append(pack)
                } else {
                    changesIndex = true
                    moving += used.map(\.id)
                    bytesToMove += bytes
                    bytesToRemove += pack.storedSize
                }
            }
            let keptPaths = Set(kept.map { RepositoryObject.pack($0.name.description) })
            unneededPaths = try await retrieval.paths(in: RepositoryObject.packs).filter {
                !keptPaths.contains($0)
            }
        }
    }

    /// Executes a plan in an order that keeps every snapshot complete at all times.
    private func carryOut(
        _ plan: Plan, forgetting snapshots: [BackupSnapshot], _ oldIndexes: [String], _ store: SegmentStore,
        _ lock: RepositoryLock
    ) async throws {
        let written = try await PackWriter.with(retrieval, SegmentStore(retrieval, naming: naming)) {
            writer in
            for id in plan.moving {
                try Task.checkCancellation()
                guard let location = store.location(of: id) else { continue }
                // Reading verifies the digest of the segment before its only copy is deleted.
                _ = try await store.read(id, location.kind)
                try await writer.add(id, location, try await store.stored(id))
            }
            try await writer.finish()
            return await writer.packs
        }
        var current: String?
        if plan.changesIndex || oldIndexes.count > 1 {
            current = try await writeIndex(plan.kept + written).path
        }
        try await lock.requireHeld()
        for snapshot in snapshots {
            try await retrieval.deleteChunk(at: RepositoryObject.snapshot(snapshot.id))
        }
        // From here on, no snapshot refers to the data that is removed.
        try await lock.requireHeld()
        if let current {
            for path in oldIndexes where path != current { try await retrieval.deleteChunk(at: path) }
        }
        try await lock.requireHeld()
        let names = Set(written.map { RepositoryObject.pack($0.name.description) })
        for path in plan.unneededPaths where !names.contains(path) {
            try await retrieval.deleteChunk(at: path)
        }
        // Remnants of interrupted writes only take up space, so the prune succeeds even if they cannot be
        // removed.
        for folder in [RepositoryObject.packs, RepositoryObject.indexes, RepositoryObject.snapshots] {
            try? await retrieval.removeLeftovers(in: folder)
        }
    }
}
