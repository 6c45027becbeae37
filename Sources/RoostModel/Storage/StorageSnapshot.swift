public import Foundation
public import RoostVectors

/// One revision of a store, to be read at leisure: nothing committed later is seen.
///
/// For every requirement:
/// - **Atomicity, visibility**: answers are of the one revision of ``stamp``, those of several calls too.
/// - **Idempotence**: reads only; the same call gives the same answer.
/// - **Cancellation**: may throw `CancellationError`; the snapshot can be read on by others.
/// - **Errors**: ``StorageError`` with `.damaged` where something is not as it was written, or with
///   `.inputOutput`; never a partial answer. Being closed is no error: a snapshot outlives its handle.
///
/// Entries have row numbers, which grow in the order of insertion and are not used again in an epoch.
public protocol StorageSnapshot: Sendable {
    /// Which state this is.
    var stamp: Stamp { get }

    /// Entries by id, in the order asked; those that are not there are left out, one asked for twice comes
    /// twice.
    func entries(_ ids: [Entry.ID]) async throws -> [Entry]

    /// Entries in the order of their rows.
    ///
    /// - Parameters:
    ///   - row: where the page before ended, `nil` for the first.
    ///   - limit: the most entries to return.
    /// - Precondition: `limit` is at least 1.
    func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> EntryPage

    /// What entries are about, in the order of their rows: what is enough to count and to sort them, at a
    /// fraction of what whole entries cost. The default reads those.
    ///
    /// - Precondition: `limit` is at least 1.
    func headers(after row: UInt32?, limit: Int, matching filter: EntryFilter) async throws -> HeaderPage

    /// The rows of the entries that meet a filter.
    func rows(matching filter: EntryFilter) async throws -> RowSet

    /// The vectors of entries or of their passages, in the order of the entries' rows. All passages of an
    /// entry are on one page; entries without vectors are passed over.
    ///
    /// - Parameter limit: the most entries on a page.
    /// - Precondition: `limit` is at least 1.
    func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) async throws -> VectorPage

    /// For each of these entries that is there, the revision that last changed it.
    func revisions(of ids: [Entry.ID]) async throws -> [Entry.ID: Revision]

    /// For each of these digests that some entry's content has, one such entry that has embeddings: its
    /// text need not be embedded again.
    func embeddedEntries(withContent digests: Set<ContentDigest>) async throws -> [ContentDigest: Entry]

    /// Source records by id, with the ids of their entries; those that are not there are left out.
    func sources(_ ids: [Source.ID]) async throws -> [Source]

    /// All source records, by id, without the ids of their entries.
    func sources() async throws -> [Source]

    /// All clusters with their members, in the order in which they were first saved.
    func clusters() async throws -> [Cluster]

    /// All clusters without their members, in the same order: what is enough to place an entry.
    func clusterRecords() async throws -> [Cluster]

    /// The assignments of these entries, or of all for `nil`, in the order of the entries' rows.
    func assignments(of ids: [Entry.ID]?) async throws -> [Assignment]

    /// The run that made the clusters, if one did.
    func clusteringRun() async throws -> ClusteringRun?

    /// The revision at which run, clusters or assignments were last written: what
    /// ``WriteBatch/Expectation`` compares. Removing an entry does not count.
    func clustersRevision() async throws -> Revision
}

extension StorageSnapshot {
    public func headers(
        after row: UInt32?, limit: Int, matching filter: EntryFilter
    ) async throws -> HeaderPage {
        // Whole entries are read a few at a time.
        let page = try await entries(after: row, limit: min(limit, 1000), matching: filter)
        return HeaderPage(headers: page.entries.map(EntryHeader.init), next: page.next)
    }

    public func clusterRecords() async throws -> [Cluster] {
        try await clusters().map { cluster in
            var record = cluster
            record.members = []
            return record
        }
    }
}

/// Entries in the order of their rows.
public struct EntryPage: Sendable {
    public var entries: [Entry]
    /// The row of each entry.
    public var rows: [UInt32]
    /// Where the next page begins; `nil` after the last.
    public var next: UInt32?

    public init(entries: [Entry], rows: [UInt32], next: UInt32?) {
        precondition(entries.count == rows.count)
        self.entries = entries
        self.rows = rows
        self.next = next
    }
}

/// What an entry is, without its text, vectors and metadata.
public struct EntryHeader: Sendable, Hashable, Identifiable {
    public var id: Entry.ID
    public var source: String?
    public var createdAt: Date

    public init(id: Entry.ID, source: String?, createdAt: Date) {
        (self.id, self.source, self.createdAt) = (id, source, createdAt)
    }

    public init(_ entry: Entry) {
        self.init(id: entry.id, source: entry.source, createdAt: entry.createdAt)
    }
}

/// Headers in the order of their entries' rows.
public struct HeaderPage: Sendable {
    /// At most as many as were asked for, perhaps fewer.
    public var headers: [EntryHeader]
    /// Where the next page begins; `nil` after the last.
    public var next: UInt32?

    public init(headers: [EntryHeader], next: UInt32?) {
        (self.headers, self.next) = (headers, next)
    }
}

/// Vectors in the order of their entries' rows.
public struct VectorPage: Sendable {
    public enum Kind: Sendable, Hashable {
        /// One vector an entry: its embeddings.
        case entries
        /// One vector a passage.
        case passages
    }

    /// The entry's row for each vector.
    public var rows: [UInt32]
    /// The entry's id for each vector.
    public var ids: [Entry.ID]
    /// The passage's ordinal for each vector; 0 for entries.
    public var ordinals: [UInt32]
    /// (vectors, dimension); (0, 0) where there are none.
    public var vectors: Matrix
    /// Where the next page begins; `nil` after the last.
    public var next: UInt32?

    public init(rows: [UInt32], ids: [Entry.ID], ordinals: [UInt32], vectors: Matrix, next: UInt32?) {
        precondition(rows.count == vectors.rows && ids.count == rows.count && ordinals.count == rows.count)
        self.rows = rows
        self.ids = ids
        self.ordinals = ordinals
        self.vectors = vectors
        self.next = next
    }
}
