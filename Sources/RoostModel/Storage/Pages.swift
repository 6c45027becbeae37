/// A part of a snapshot's entries, headers or vectors that one call reads.
public protocol SnapshotPage: Sendable {
    /// The row after which the next page begins; `nil` on the last page.
    var next: UInt32? { get }
}

extension EntryPage: SnapshotPage {}
extension HeaderPage: SnapshotPage {}
extension VectorPage: SnapshotPage {}

/// The pages of one snapshot, in the order of their rows.
///
/// ``StorageSnapshot/entryPages(matching:pageSize:)``, ``StorageSnapshot/headerPages(matching:pageSize:)``
/// and ``StorageSnapshot/vectorPages(of:pageSize:)`` make such sequences. Pages are read one at a time,
/// when they are asked for; an iterator keeps no page after it has returned it. An empty store has one
/// empty page. Before each page the iterator checks for cancellation. Several iterators over one sequence
/// are independent and return the same pages.
public struct SnapshotPages<Page: SnapshotPage>: AsyncSequence, Sendable {
    public typealias Element = Page

    let read: @Sendable (_ row: UInt32?) async throws -> Page

    /// The iterator over the pages of a snapshot.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let read: @Sendable (_ row: UInt32?) async throws -> Page
        private var row: UInt32?
        private var isFinished = false

        init(read: @escaping @Sendable (_ row: UInt32?) async throws -> Page) { self.read = read }

        /// Returns the next page, or `nil` after the last one.
        ///
        /// - Throws: ``StorageError`` if the page cannot be read; `CancellationError`. The iterator stays
        ///   where it is, so a later call reads the same page.
        public mutating func next() async throws -> Page? {
            guard !isFinished else { return nil }
            try Task.checkCancellation()
            let page = try await read(row)
            row = page.next
            isFinished = row == nil
            return page
        }
    }

    /// Returns an iterator that begins at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: read) }
}

/// The entries of one revision of a store, one after another, in the order of their rows.
///
/// ``StorageSnapshot/allEntries(matching:pageSize:)`` and ``StorageProvider/allEntries(matching:pageSize:)``
/// make such sequences. At most one page of entries is in memory. A sequence that a provider made takes a
/// snapshot when an iterator asks for its first entry, and each iterator takes its own.
public struct EntrySequence: AsyncSequence, Sendable {
    public typealias Element = Entry

    let pages: @Sendable () async throws -> SnapshotPages<EntryPage>

    /// The iterator over the entries of one revision.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let pages: @Sendable () async throws -> SnapshotPages<EntryPage>
        private var iterator: SnapshotPages<EntryPage>.AsyncIterator?
        private var current: [Entry] = []
        private var index = 0

        init(pages: @escaping @Sendable () async throws -> SnapshotPages<EntryPage>) { self.pages = pages }

        /// Returns the next entry, or `nil` after the last one.
        ///
        /// - Throws: ``StorageError`` if the store cannot be read; `CancellationError`.
        public mutating func next() async throws -> Entry? {
            if iterator == nil { iterator = try await pages().makeAsyncIterator() }
            while index == current.count {
                guard let page = try await iterator?.next() else { return nil }
                current = page.entries
                index = 0
            }
            defer { index += 1 }
            return current[index]
        }
    }

    /// Returns an iterator that begins at the first entry.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages) }
}

/// The default limits of pages.
package enum PageSize {
    /// Entries with text, metadata and vectors: a few megabytes at usual lengths and dimensions.
    package static let entries = 1000
    /// Headers, which take less than 100 bytes each.
    package static let headers = 10_000
    /// Changes, which take about 50 bytes each.
    package static let changes = 1000
    /// Vectors of one page of entries: 6 MB at dimension 384, large enough that the cost per call disappears.
    package static let vectors = 4096
}

extension StorageSnapshot {
    /// Returns the pages of the entries that match a filter, in the order of their rows.
    ///
    ///     for try await page in snapshot.entryPages() {
    ///         count += page.entries.count
    ///     }
    ///
    /// - Parameters:
    ///   - filter: The condition on entries; by default all entries.
    ///   - pageSize: The maximum number of entries on a page, 1000 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func entryPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<EntryPage> {
        let limit = pageSize ?? PageSize.entries
        precondition(limit >= 1)
        return SnapshotPages { try await entries(after: $0, limit: limit, matching: filter) }
    }

    /// Returns the pages of the headers of the entries that match a filter, in the order of their rows.
    ///
    /// - Parameters:
    ///   - filter: The condition on entries; by default all entries.
    ///   - pageSize: The maximum number of headers on a page, 10 000 by default. Pages may be smaller.
    /// - Precondition: `pageSize` is at least 1.
    public func headerPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<HeaderPage> {
        let limit = pageSize ?? PageSize.headers
        precondition(limit >= 1)
        return SnapshotPages { try await headers(after: $0, limit: limit, matching: filter) }
    }

    /// Returns the pages of the vectors of all entries, or of their passages, in the order of the entries'
    /// rows.
    ///
    /// - Parameters:
    ///   - kind: Whether the pages have one vector per entry or one per passage.
    ///   - pageSize: The maximum number of entries whose vectors are on a page, 4096 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func vectorPages(of kind: VectorPage.Kind, pageSize: Int? = nil) -> SnapshotPages<VectorPage> {
        let limit = pageSize ?? PageSize.vectors
        precondition(limit >= 1)
        return SnapshotPages { try await vectors(of: kind, after: $0, limit: limit) }
    }

    /// Returns the entries that match a filter, one after another, in the order of their rows.
    ///
    /// - Parameters:
    ///   - filter: The condition on entries; by default all entries.
    ///   - pageSize: The maximum number of entries in memory at a time, 1000 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        let pages = entryPages(matching: filter, pageSize: pageSize)
        return EntrySequence { pages }
    }
}

extension StorageProvider {
    /// Returns the entries that match a filter, one after another, in the order of their rows.
    ///
    /// The entries are those of one snapshot, which is taken when an iterator asks for its first entry.
    ///
    /// - Parameters:
    ///   - filter: The condition on entries; by default all entries.
    ///   - pageSize: The maximum number of entries in memory at a time, 1000 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        precondition((pageSize ?? 1) >= 1)
        return EntrySequence { try await snapshot().entryPages(matching: filter, pageSize: pageSize) }
    }
}
