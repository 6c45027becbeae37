import Foundation
import RoostVectors
import Synchronization

extension StorageProvider {
    /// Returns a provider that caches the entries that are read by id and evicts those that were not used
    /// recently.
    ///
    /// The cache is coherent even if other handles and processes write to the store: each new snapshot reads
    /// the changes since the previous snapshot and drops the changed entries from the cache. Only the newest
    /// snapshot uses the cache. Reads of whole pages are not cached.
    ///
    /// - Parameter limit: The maximum number of entries in the cache.
    /// - Precondition: `limit` is at least 1.
    public func caching(limit: Int) -> some StorageProvider {
        precondition(limit >= 1, "a cache needs a limit of at least 1 entry, not \(limit)")
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

/// The cached entries of one revision by id. Two generations approximate least-recently-used eviction.
///
/// An entry that is used moves to the young generation. When the young generation is full, the entries of the
/// old generation are dropped, the young generation becomes the old one, and a new, empty one begins.
private final class EntryCache: Sendable {
    private struct State {
        var epoch: UUID?
        var revision = Revision.zero
        var young: [Entry.ID: Entry] = [:]
        var old: [Entry.ID: Entry] = [:]

        func isAt(_ stamp: Stamp) -> Bool { epoch == stamp.epoch && revision == stamp.revision }
    }

    /// The number of entries at which the young generation is full.
    private let generationSize: Int
    private let state = Mutex(State())

    /// If the number of changes exceeds the cache size by more than this, the cache is dropped, because
    /// following the change feed would cost more. The value is one page of the feed.
    private static let changesBeyondCache = 1000

    init(limit: Int) { generationSize = (limit + 1) / 2 }

    /// Moves the cache to the revision of a snapshot by dropping the entries that have changed since the
    /// cached revision.
    func follow(_ base: some StorageProvider, to stamp: Stamp) async throws {
        // A backend without a history cannot tell what has changed, so no cached entry may be used again.
        if stamp.epoch == StoreState.unnamed { return state.withLock { $0 = State() } }
        let (epoch, revision) = state.withLock { ($0.epoch, $0.revision) }
        if epoch == stamp.epoch, revision >= stamp.revision { return }
        var changed: Set<Entry.ID>?
        if epoch == stamp.epoch {
            let cursor = ChangeCursor(
                epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
            let limit = 2 * generationSize + Self.changesBeyondCache
            changed = try await base.changedEntries(after: cursor, limit: limit)?.ids
        }
        state.withLock { state in
            // If another task has moved the cache to a different revision since the changes were read,
            // `changed` no longer tells which entries to drop.
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
            guard state.isAt(stamp) else { return [:] }
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
            guard state.isAt(stamp) else { return }
            for entry in entries { insert(entry, &state) }
        }
    }

    private func insert(_ entry: Entry, _ state: inout State) {
        state.old[entry.id] = nil
        state.young[entry.id] = entry
        guard state.young.count >= generationSize else { return }
        state.old = state.young
        state.young = [:]
    }
}

private struct CachingSnapshot: StorageSnapshot {
    let base: any StorageSnapshot
    let cache: EntryCache

    var stamp: Stamp { base.stamp }

    var passageSearch: (any PassageSearch)? { base.passageSearch }

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
    func sources(after id: Source.ID?, limit: Int) async throws -> SourcePage {
        try await base.sources(after: id, limit: limit)
    }
    func sourceCount() async throws -> Int { try await base.sourceCount() }
    func clusters() async throws -> [Cluster] { try await base.clusters() }
    func clusterRecords() async throws -> [Cluster] { try await base.clusterRecords() }
    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await base.assignments(of: ids)
    }
    func clusteringRun() async throws -> ClusteringRun? { try await base.clusteringRun() }
    func clustersRevision() async throws -> Revision { try await base.clustersRevision() }
    func textStatistics(maximumTokens limit: Int?) async throws -> TextStatistics {
        try await base.textStatistics(maximumTokens: limit)
    }
}
