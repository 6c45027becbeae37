import RoostVectors

/// A snapshot that passes the calls that read it through an interceptor.
struct InterceptedSnapshot<Interceptor: StorageInterceptor>: StorageSnapshot {
    let base: any StorageSnapshot
    let interceptor: Interceptor

    var stamp: Stamp { base.stamp }

    // The calls of a search in the storage are not intercepted.
    var passageSearch: (any PassageSearch)? { base.passageSearch }

    func entries(_ ids: [Entry.ID]) async throws -> [Entry] {
        try await interceptor.intercept(.readEntries, size: ids.count) { try await base.entries(ids) }
    }

    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage {
        try await interceptor.intercept(.readPage, size: limit) {
            try await base.entries(after: row, limit: limit, matching: filter)
        }
    }

    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage {
        try await interceptor.intercept(.readPage, size: limit) {
            try await base.headers(after: row, limit: limit, matching: filter)
        }
    }

    func rows(matching filter: EntryFilter) async throws -> RowSet {
        try await interceptor.intercept(.readRows, size: 0) { try await base.rows(matching: filter) }
    }

    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage {
        try await interceptor.intercept(.readVectors, size: limit) {
            try await base.vectors(of: kind, after: row, limit: limit)
        }
    }

    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision] {
        try await interceptor.intercept(.readRevisions, size: ids.count) {
            try await base.revisions(of: ids)
        }
    }

    func embeddedEntries(
        withContent digests: Set<ContentDigest>
    ) async throws -> [ContentDigest: Entry] {
        try await interceptor.intercept(.readEmbeddedEntries, size: digests.count) {
            try await base.embeddedEntries(withContent: digests)
        }
    }

    func sources(_ ids: [Source.ID]) async throws -> [Source] {
        try await interceptor.intercept(.readSources, size: ids.count) { try await base.sources(ids) }
    }

    func sources() async throws -> [Source] {
        try await interceptor.intercept(.readSources, size: 0) { try await base.sources() }
    }

    func sources(after id: Source.ID?, limit: Int) async throws -> SourcePage {
        try await interceptor.intercept(.readSources, size: limit) {
            try await base.sources(after: id, limit: limit)
        }
    }

    func sourceCount() async throws -> Int {
        try await interceptor.intercept(.readSources, size: 0) { try await base.sourceCount() }
    }

    func clusters() async throws -> [Cluster] {
        try await interceptor.intercept(.readClusters, size: 0) { try await base.clusters() }
    }

    func clusterRecords() async throws -> [Cluster] {
        try await interceptor.intercept(.readClusters, size: 0) { try await base.clusterRecords() }
    }

    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment] {
        try await interceptor.intercept(.readAssignments, size: ids?.count ?? 0) {
            try await base.assignments(of: ids)
        }
    }

    func clusteringRun() async throws -> ClusteringRun? {
        try await interceptor.intercept(.readClusteringRun, size: 0) { try await base.clusteringRun() }
    }

    func clustersRevision() async throws -> Revision {
        try await interceptor.intercept(.readClustersRevision, size: 0) {
            try await base.clustersRevision()
        }
    }
}
