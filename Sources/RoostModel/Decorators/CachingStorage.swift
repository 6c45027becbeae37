import RoostVectors
import Synchronization

extension StorageProvider {
    /// Returns a provider that caches the entries that are read by id and evicts those that were not used
    /// recently.
    ///
    /// The cache is coherent even if other handles and processes write to the store: it has the entries of the
    /// newest revision, and only snapshots of this revision use it. Reads of whole pages are not cached.
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
        cache.move(to: snapshot.stamp)
        return CachingSnapshot(base: snapshot, cache: cache)
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
    func sourceCount() async throws -> Int { try await base.sourceCount() }
    func clusters() async throws -> [Cluster] { try await base.clusters() }
    func clusterRecords() async throws -> [Cluster] { try await base.clusterRecords() }
    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await base.assignments(of: ids)
    }
    func clusteringRun() async throws -> ClusteringRun? { try await base.clusteringRun() }
    func clustersRevision() async throws -> Revision { try await base.clustersRevision() }
}

/// The entries of the newest revision that were read by id. Two generations approximate least-recently-used
/// eviction.
///
/// An entry that is used moves to the young generation. When the young generation is full, the entries of the
/// old generation are dropped, the young generation becomes the old one, and a new, empty one begins.
private final class EntryCache: Sendable {
    private struct State {
        var stamp: Stamp?
        var young: [Entry.ID: Entry] = [:]
        var old: [Entry.ID: Entry] = [:]
    }

    private let generationSize: Int
    private let state = Mutex(State())

    init(limit: Int) {
        // No store has this many entries, and the sums of numbers of entries do not overflow.
        generationSize = (min(limit, Int.max / 4) + 1) / 2
    }

    /// Empties the cache if a snapshot is newer than its entries.
    func move(to stamp: Stamp) {
        state.withLock { state in
            if let current = state.stamp, current.epoch == stamp.epoch, current.revision >= stamp.revision {
                return
            }
            // A backend without a history cannot tell whether anything has changed.
            state = State(stamp: stamp.epoch == StoreState.unnamed ? nil : stamp)
        }
    }

    func entries(_ ids: [Entry.ID], of stamp: Stamp) -> [Entry.ID: Entry] {
        state.withLock { state in
            guard state.stamp == stamp else { return [:] }
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
            guard state.stamp == stamp else { return }
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
