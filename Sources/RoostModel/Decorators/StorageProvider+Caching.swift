import Foundation
import RoostVectors

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
}
