import Foundation
import RoostVectors
import Synchronization

extension StorageProvider {
    /// Keeps entries that were read by id in memory, at most `limit` of them, the least recently used leaving
    /// first.
    ///
    /// Right also where other handles and processes write: each snapshot asks the change feed what has
    /// changed since the one before, and forgets that. A snapshot that is older than the newest goes past the
    /// cache. Reading by pages is not cached.
    /// - Parameter limit: the most entries, at least 1.
    public func caching(limit: Int) -> some StorageProvider {
        precondition(limit >= 1, "a cache of \(limit) entries")
        return CachingStorage(base: self, cache: EntryCache(limit: limit))
    }
}

private struct CachingStorage<Base: StorageProvider>: StorageDecorator {
    let base: Base
    let cache: EntryCache

    func snapshot() async throws -> any StorageSnapshot {
        let snapshot = try await base.snapshot()
        try await cache.follow(base, to: snapshot.stamp)
        return CachingSnapshot(base: snapshot, cache: cache)
    }
}

/// Entries as of one revision, by id, in two halves: what is used moves to the young one; when that is
/// full, the old half goes and the young one takes its place.
private final class EntryCache: Sendable {
    private struct State {
        var epoch: UUID?
        var revision = Revision.zero
        var young: [Entry.ID: Entry] = [:]
        var old: [Entry.ID: Entry] = [:]

        func isOf(_ stamp: Stamp) -> Bool { epoch == stamp.epoch && revision == stamp.revision }
    }

    private let half: Int
    private let state = Mutex(State())

    init(limit: Int) { half = (limit + 1) / 2 }

    /// Forgets what has changed up to a snapshot.
    func follow(_ base: some StorageProvider, to stamp: Stamp) async throws {
        // A simple backend has no history to follow: what it had is not known to be what it has.
        if stamp.epoch == StoreState.unnamed { return state.withLock { $0 = State() } }
        let (epoch, revision) = state.withLock { ($0.epoch, $0.revision) }
        if epoch == stamp.epoch, revision >= stamp.revision { return }
        var changed: Set<Entry.ID>?
        if epoch == stamp.epoch {
            let cursor = ChangeCursor(
                epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
            changed = try await base.changedEntries(after: cursor, limit: half * 2 + 1000)?.ids
        }
        state.withLock { state in
            // Another task may have followed meanwhile, and what was cached since is not known to be right.
            if let changed, state.epoch == epoch, state.revision == revision {
                for id in changed {
                    state.young[id] = nil
                    state.old[id] = nil
                }
            } else if state.epoch == stamp.epoch, state.revision >= stamp.revision {
                return
            } else {
                state.young = [:]
                state.old = [:]
            }
            state.epoch = stamp.epoch
            state.revision = stamp.revision
        }
    }

    func entries(_ ids: [Entry.ID], of stamp: Stamp) -> [Entry.ID: Entry] {
        state.withLock { state in
            guard state.isOf(stamp) else { return [:] }
            var found: [Entry.ID: Entry] = [:]
            for id in ids {
                guard let entry = state.young[id] ?? state.old[id] else { continue }
                found[id] = entry
                insert(entry, &state)
            }
            return found
        }
    }

    func insert(_ entries: [Entry], of stamp: Stamp) {
        state.withLock { state in
            guard state.isOf(stamp) else { return }
            for entry in entries { insert(entry, &state) }
        }
    }

    private func insert(_ entry: Entry, _ state: inout State) {
        state.old[entry.id] = nil
        state.young[entry.id] = entry
        guard state.young.count >= half else { return }
        state.old = state.young
        state.young = [:]
    }
}

private struct CachingSnapshot: StorageSnapshot {
    let base: any StorageSnapshot
    let cache: EntryCache

    var stamp: Stamp { base.stamp }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        var found = cache.entries(ids, of: stamp)
        let missing = ids.filter { found[$0] == nil }
        if !missing.isEmpty {
            let read = try await base.entries(missing)
            cache.insert(read, of: stamp)
            for entry in read { found[entry.id] = entry }
        }
        return ids.compactMap { found[$0] }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        try await base.entries(after: row, limit: limit, matching: filter)
    }
    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage {
        try await base.headers(after: row, limit: limit, matching: filter)
    }
    func rows(matching filter: EntryFilter) async throws -> RowSet { try await base.rows(matching: filter) }
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        try await base.vectors(of: kind, after: row, limit: limit)
    }
    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await base.revisions(of: ids)
    }
    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry] {
        try await base.embeddedEntries(withContent: digests)
    }
    func sources(_ ids: [Source.ID]) async throws -> [Source] { try await base.sources(ids) }
    func sources() async throws -> [Source] { try await base.sources() }
    func clusters() async throws -> [Cluster] { try await base.clusters() }
    func clusterRecords() async throws -> [Cluster] { try await base.clusterRecords() }
    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await base.assignments(of: ids)
    }
    func clusteringRun() async throws -> ClusteringRun? { try await base.clusteringRun() }
    func clustersRevision() async throws -> Revision { try await base.clustersRevision() }
}
