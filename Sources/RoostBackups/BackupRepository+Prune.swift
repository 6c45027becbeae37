import Foundation
import RoostChunks

/// What a prune removed, or would.
public struct BackupPruneReport: Sendable {
    public var forgotten: [BackupSnapshot] = []
    public var kept: [BackupSnapshot] = []
    /// Packs that nothing refers to, or of which what is needed was written anew.
    public var removedPacks = 0
    /// Packs that were written for what is still needed of others.
    public var writtenPacks = 0
    /// Segments that nothing refers to.
    public var removedSegments = 0
    /// Bytes of packs before and after.
    public var bytesBefore = 0
    public var bytesAfter = 0
    public var isDryRun = false
}

extension BackupRepository {
    /// A pack of which less than this is needed is written anew.
    private static let leastNeeded = 0.7

    /// Removes snapshots that no rule keeps, and what nothing refers to any more.
    ///
    /// Alone in the repository while it does. What is still needed of a pack is written to another, then an
    /// index that says so, and only then the old index and packs are removed: killed anywhere, it leaves a
    /// repository in which every snapshot is whole, and the next prune goes on.
    /// - Parameters:
    ///   - retention: `nil` keeps all snapshots.
    ///   - isDryRun: whether nothing is changed.
    /// - Throws: ``BackupError``: `.locked`; `.damaged` where it cannot be told what is needed, and nothing
    ///   is removed then; `.badInput` for rules that keep nothing. ``ChunkStorageError``.
    @concurrent
    public func prune(
        keeping retention: BackupRetention? = nil, isDryRun: Bool = false
    ) async throws -> BackupPruneReport {
        if let retention, retention.isEmpty {
            throw BackupError(.badInput, "rules that keep no snapshot at all; nothing was removed")
        }
        // A dry run only reads.
        return try await RepositoryLock.with(exclusive: !isDryRun, canDoWithout: isDryRun, retrieval) {
            lock in
            var report = BackupPruneReport(isDryRun: isDryRun)
            let snapshots = try await snapshots()
            let kept = retention?.kept(of: snapshots) ?? Set(snapshots.map(\.id))
            report.kept = snapshots.filter { kept.contains($0.id) }
            report.forgotten = snapshots.filter { !kept.contains($0.id) }
            guard !kept.isEmpty || snapshots.isEmpty || retention == nil else {
                throw BackupError(
                    .badInput, "the rules keep none of \(snapshots.count) snapshots; nothing was removed")
            }
            let indexes = try await indexes(leavingOutDamaged: false)
            let store = try await segments()
            let needed = try await needed(by: report.kept, store)
            let plan = try await Plan(
                PackContents.merged(indexes.flatMap(\.packs)), store, needed, retrieval, Self.leastNeeded)
            report.removedSegments = plan.removedSegments
            report.bytesBefore = plan.kept.reduce(0) { $0 + $1.storedSize } + plan.bytesToGo
            report.bytesAfter = report.bytesBefore - plan.bytesToGo + plan.bytesToMove
            report.removedPacks = plan.unneededPaths.count
            if isDryRun { return report }
            report.writtenPacks = try await carryOut(
                plan, forgetting: report.forgotten, indexes.map(\.path), store, lock)
            return report
        }
    }

    /// All segments that snapshots lead to, with those that they are relative to.
    private func needed(by snapshots: [BackupSnapshot], _ store: SegmentStore) async throws -> Set<SegmentID>
    {
        var needed = Set<SegmentID>()
        var lists = Set<SegmentID>()
        func need(_ id: SegmentID) throws {
            guard needed.insert(id).inserted else { return }
            guard let location = store.location(of: id) else {
                throw BackupError(
                    .damaged,
                    "a segment that a snapshot needs is in no index; `roost backup verify` says what is "
                        + "damaged. Nothing was removed")
            }
            if let base = location.base { try need(base) }
        }
        for snapshot in snapshots {
            for id in snapshot.sources + snapshot.clusters + snapshot.lists { try need(id) }
            for list in snapshot.originals where lists.insert(list).inserted {
                try need(list)
                for record in try await originals(of: list, store) {
                    for piece in record.pieces { try need(piece) }
                }
            }
            if let run = snapshot.run { try need(run) }
            for list in snapshot.lists where lists.insert(list).inserted {
                let data = try await store.read(list, .list)
                guard let runs = try? RunListCodec.decode(data) else {
                    throw BackupError(.damaged, "a list of entries cannot be read; nothing was removed")
                }
                for run in runs { for (id, _) in run.all { try need(id) } }
            }
        }
        return needed
    }

    /// Which packs stay, and what of the others moves.
    private struct Plan {
        var kept: [PackContents] = []
        /// Needed segments of packs that go, in their order.
        var moving: [SegmentID] = []
        /// Packs that are there and not needed any more.
        var unneededPaths: [String] = []
        var bytesToGo = 0
        var bytesToMove = 0
        var removedSegments = 0
        /// Whether an index is to be written: what the old ones say is not what is to be said.
        var changesIndex = false

        init(
            _ packs: [PackContents], _ store: SegmentStore, _ needed: Set<SegmentID>,
            _ retrieval: any ChunkStorageRetrieval, _ leastNeeded: Double
        ) async throws {
            for pack in packs {
                // Of a segment that is in several packs, one copy is needed.
                let mine = pack.segments.filter {
                    needed.contains($0.id) && store.pack(of: $0.id) == pack.name
                }
                let bytes = mine.reduce(0) { $0 + $1.location.storedSize }
                let named = pack.segments.count { $0.id != .none }
                removedSegments += named - mine.count
                if mine.count < named { changesIndex = true }
                if !mine.isEmpty, Double(bytes) >= leastNeeded * Double(pack.storedSize) {
                    // What is not needed may be relative to what goes: from now on nobody knows it.
                    var pack = pack
                    let ids = Set(mine.map(\.id))
                    for place in pack.segments.indices where !ids.contains(pack.segments[place].id) {
                        pack.segments[place].id = .none
                    }
                    kept.append(pack)
                } else {
                    changesIndex = true
                    moving += mine.map(\.id)
                    bytesToMove += bytes
                    bytesToGo += pack.storedSize
                }
            }
            let keptPaths = Set(kept.map { RepositoryObject.pack($0.name.description) })
            unneededPaths = try await retrieval.paths(in: RepositoryObject.packs).filter {
                !keptPaths.contains($0)
            }
        }
    }

    /// - Returns: how many packs were written.
    private func carryOut(
        _ plan: Plan, forgetting snapshots: [BackupSnapshot], _ oldIndexes: [String], _ store: SegmentStore,
        _ lock: RepositoryLock
    ) async throws -> Int {
        let writer = PackWriter(retrieval, SegmentStore(retrieval, naming: naming))
        for id in plan.moving {
            try Task.checkCancellation()
            guard let location = store.location(of: id) else { continue }
            // Compared with its name before the only copy goes.
            _ = try await store.read(id, location.kind)
            try await writer.add(id, location, try await store.stored(id))
        }
        try await writer.finish()
        let written = await writer.packs
        var current: String?
        if plan.changesIndex || oldIndexes.count > 1 {
            current = try await writeIndex(plan.kept + written)
        }
        try await lock.requireHeld()
        for snapshot in snapshots {
            try await retrieval.deleteChunk(at: RepositoryObject.snapshot(snapshot.id))
        }
        // From here on nothing leads to what is removed.
        try await lock.requireHeld()
        if let current {
            for path in oldIndexes where path != current { try await retrieval.deleteChunk(at: path) }
        }
        try await lock.requireHeld()
        let names = Set(written.map { RepositoryObject.pack($0.name.description) })
        for path in plan.unneededPaths where !names.contains(path) {
            try await retrieval.deleteChunk(at: path)
        }
        // Of backups that were killed. They harm nobody: where they cannot be removed, the prune is done.
        for folder in [RepositoryObject.packs, RepositoryObject.indexes, RepositoryObject.snapshots] {
            try? await retrieval.removeLeftovers(in: folder)
        }
        return written.count
    }
}
