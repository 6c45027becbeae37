public import Foundation
public import RoostVectors

/// A read-only view of one revision of a store. Later commits do not change it.
///
/// All methods have these properties:
/// - **Atomicity, visibility**: The results of all calls come from one revision of the store, which is the
///   revision of ``stamp``.
/// - **Idempotence**: Calls change nothing. The same call always returns the same result.
/// - **Cancellation**: A call may throw `CancellationError`. Other calls are not affected.
/// - **Errors**: A call throws ``StorageError`` with `.damaged` if stored data is missing or corrupt, or with
///   `.inputOutput`. It never returns an incomplete result. A snapshot stays readable after its provider is
///   closed.
///
/// Every entry has a row number. Row numbers grow in the order of insertion and are never reused within an
/// epoch.
///
/// To read all entries, headers or vectors, iterate over ``entryPages(matching:pageSize:)``,
/// ``headerPages(matching:pageSize:)`` or ``vectorPages(of:pageSize:)``, which read the snapshot page by
/// page.
public protocol StorageSnapshot: Sendable {
    /// The store, epoch and revision of the snapshot.
    var stamp: Stamp { get }

    /// Returns the entries with the given ids, in the order of the ids.
    ///
    /// - Parameter ids: The ids of the entries. Ids that the store does not contain are skipped. If an id
    ///   occurs twice, its entry is returned twice.
    func entries(_ ids: [Entry.ID]) async throws -> [Entry]

    /// Returns one page of the entries that match a filter, in ascending order of rows.
    ///
    /// - Parameters:
    ///   - row: The row after which the page begins (``EntryPage/next`` of the previous page); `nil` for
    ///     the first page.
    ///   - limit: The maximum number of entries on the page, at least 1.
    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage

    /// Returns one page of the headers of the entries that match a filter, in ascending order of rows.
    ///
    /// Headers are enough to count and sort entries, and reading them costs much less than reading entries.
    /// The default implementation reads whole entries.
    ///
    /// - Parameters:
    ///   - row: The row after which the page begins (``HeaderPage/next`` of the previous page); `nil` for
    ///     the first page.
    ///   - limit: The maximum number of headers on the page, at least 1.
    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage

    /// Returns the rows of the entries that match a filter.
    func rows(matching filter: EntryFilter) async throws -> RowSet

    /// Returns one page of the vectors of entries or of their passages, in ascending order of the entries'
    /// rows.
    ///
    /// All passages of an entry are on one page. Entries without vectors are skipped.
    ///
    /// - Parameters:
    ///   - kind: Whether to return one vector per entry or one per passage.
    ///   - row: The row after which the page begins (``VectorPage/next`` of the previous page); `nil` for
    ///     the first page.
    ///   - limit: The maximum number of entries whose vectors are on the page, at least 1.
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage

    /// Returns the revisions of the latest changes of entries.
    ///
    /// - Returns: One revision for each id that the store contains.
    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision]

    /// Returns entries whose embeddings can be reused for texts with the same content.
    ///
    /// - Returns: For each digest, a stored entry that has this digest and an embedding. Digests without such
    ///   an entry are absent.
    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry]

    /// Returns the source records with the given ids, including the ids of their entries.
    ///
    /// - Parameter ids: The ids of the sources. Ids without a record are skipped.
    func sources(_ ids: [Source.ID]) async throws -> [Source]

    /// Returns all source records in the order of their ids (as bytes in UTF-8), without the ids of their
    /// entries.
    func sources() async throws -> [Source]

    /// Returns the number of source records.
    ///
    /// The default implementation reads all records.
    func sourceCount() async throws -> Int

    /// Returns all clusters with their members, in the order in which the clusters were first saved.
    ///
    /// Representatives that the store no longer contains are omitted.
    func clusters() async throws -> [Cluster]

    /// Returns all clusters without their members, in the same order as ``clusters()``.
    ///
    /// The records contain everything that is needed to assign an entry to a cluster, and reading them costs
    /// much less than calling ``clusters()``. The default implementation reads the members too.
    func clusterRecords() async throws -> [Cluster]

    /// Returns assignments in the order of their entries' rows.
    ///
    /// - Parameter ids: The ids of the entries; `nil` for all entries.
    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment]

    /// Returns the run that created the clusters, or `nil` if no run created them.
    func clusteringRun() async throws -> ClusteringRun?

    /// Returns the revision of the latest write to the run, the clusters or the assignments.
    ///
    /// ``WriteBatch/Expectation/clusters`` is compared with this revision. Removing an entry also removes its
    /// assignment but does not change this revision.
    func clustersRevision() async throws -> Revision

    /// The search for the nearest passages that the storage runs itself; `nil`, which is the default, if the
    /// caller must read the vectors and compare them.
    var passageSearch: (any PassageSearch)? { get }
}

extension StorageSnapshot {
    public var passageSearch: (any PassageSearch)? { nil }

    public func headers(
        after row: UInt32?, limit: Int, matching filter: EntryFilter
    ) async throws -> HeaderPage {
        // This implementation reads whole entries, which are much larger than headers. The limit is therefore
        // at most that of a page of entries.
        let page = try await entries(after: row, limit: min(limit, PageSize.entries), matching: filter)
        return HeaderPage(headers: page.entries.map(EntryHeader.init), next: page.next)
    }

    public func sourceCount() async throws -> Int { try await sources().count }

    public func clusterRecords() async throws -> [Cluster] {
        try await clusters().map { changing($0) { $0.members = [] } }
    }
}
