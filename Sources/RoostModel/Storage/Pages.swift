import RoostVectors

/// A page of a snapshot's entries, headers or vectors, which is read with one call.
public protocol SnapshotPage: Sendable {
    /// The row after which the next page begins; `nil` on the last page.
    var next: UInt32? { get }
}

extension EntryPage: SnapshotPage {}
extension HeaderPage: SnapshotPage {}
extension VectorPage: SnapshotPage {}

/// An asynchronous sequence of the pages of one snapshot, in ascending order of rows.
///
/// ``StorageSnapshot/entryPages(matching:pageSize:)``, ``StorageSnapshot/headerPages(matching:pageSize:)``
/// and ``StorageSnapshot/vectorPages(of:pageSize:)`` return such sequences. Each page is read when it is
/// requested, and the iterator does not keep the pages that it has returned. An empty store has one empty
/// page. The iterator checks for cancellation before it reads a page. Several iterators over one sequence are
/// independent and return the same pages.
public struct SnapshotPages<Page: SnapshotPage>: AsyncSequence, Sendable {
    public typealias Element = Page

    let limit: PageLimit<Page>
    let read: @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page

    /// The iterator over the pages of a snapshot.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let limit: PageLimit<Page>
        let read: @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page
        private var row: UInt32?
        private var isFinished = false
        private var entries: Int

        init(
            limit: PageLimit<Page>,
            read: @escaping @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page
        ) {
            self.limit = limit
            self.read = read
            entries = limit.first
        }

        /// Returns the next page, or `nil` after the last one.
        ///
        /// - Throws: ``StorageError`` if the page cannot be read; `CancellationError`. After an error, the
        ///   iterator does not advance, so the next call tries to read the same page.
        public mutating func next() async throws -> Page? {
            guard !isFinished else { return nil }
            try Task.checkCancellation()
            let page = try await read(row, entries)
            entries = limit.next(after: page)
            row = page.next
            isFinished = row == nil
            return page
        }
    }

    /// Returns an iterator that begins at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit, read: read) }
}

/// An asynchronous sequence of the entries of one revision of a store, in ascending order of rows.
///
/// ``StorageSnapshot/allEntries(matching:pageSize:)`` and ``StorageProvider/allEntries(matching:pageSize:)``
/// return such sequences. At most one page of entries is in memory at a time. If the sequence was created by
/// a provider, each iterator takes its own snapshot when its first entry is requested.
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

/// The default page sizes.
package enum PageSize {
    /// The number of entries on a page. With usual text lengths and dimensions, such a page takes a few
    /// megabytes.
    package static let entries = 1000
    /// The number of headers on a page. A header takes less than 100 bytes.
    package static let headers = 10_000
    /// The number of changes on a page. A change takes about 50 bytes.
    package static let changes = 1000
    /// The number of entries whose vectors are on a page. With one vector per entry and 384 dimensions, such
    /// a page takes 6 MB, which makes the overhead of each call negligible.
    package static let vectors = 4096
}

extension StorageSnapshot {
    /// Returns the pages of the entries that match a filter, in ascending order of rows.
    ///
    ///     for try await page in snapshot.entryPages() {
    ///         count += page.entries.count
    ///     }
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries on a page; by default 1000, and fewer if they are large.
    /// - Precondition: `pageSize` is at least 1.
    public func entryPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<EntryPage> {
        let limit = PageLimit<EntryPage>(pageSize, default: PageSize.entries) { page in
            let numbers = page.entries.reduce(0) {
                $0 + $1.embeddings.count + $1.passages.reduce(0) { $0 + $1.vector.count }
            }
            let texts = page.entries.reduce(0) { $0 + $1.content.utf8.count }
            return (page.entries.count, texts + numbers * MemoryLayout<Float>.size)
        }
        return SnapshotPages(limit: limit) { try await entries(after: $0, limit: $1, matching: filter) }
    }

    /// Returns the headers of the entries that match a filter, in pages and in ascending order of rows.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of headers on a page, 10 000 by default. Pages may be smaller.
    /// - Precondition: `pageSize` is at least 1.
    public func headerPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<HeaderPage> {
        let limit = PageLimit<HeaderPage>(pageSize ?? PageSize.headers)
        return SnapshotPages(limit: limit) { try await headers(after: $0, limit: $1, matching: filter) }
    }

    /// Returns the vectors of all entries or of their passages, in pages and in ascending order of the
    /// entries' rows.
    ///
    /// - Parameters:
    ///   - kind: Whether the pages have one vector per entry or one per passage.
    ///   - pageSize: The maximum number of entries whose vectors are on a page; by default 4096, and fewer if
    ///     they have many vectors.
    /// - Precondition: `pageSize` is at least 1.
    public func vectorPages(of kind: VectorPage.Kind, pageSize: Int? = nil) -> SnapshotPages<VectorPage> {
        let limit = PageLimit<VectorPage>(pageSize, default: PageSize.vectors) { page in
            let entries = page.rows.indices.reduce(0) { count, index in
                index == 0 || page.rows[index] != page.rows[index - 1] ? count + 1 : count
            }
            return (entries, page.vectors.elements.count * MemoryLayout<Float>.size)
        }
        return SnapshotPages(limit: limit) { try await vectors(of: kind, after: $0, limit: $1) }
    }

    /// Returns a sequence of the entries that match a filter, in ascending order of rows.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries in memory at a time, 1000 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        let pages = entryPages(matching: filter, pageSize: pageSize)
        return EntrySequence { pages }
    }
}

extension StorageProvider {
    /// Returns a sequence of the entries that match a filter, in ascending order of rows.
    ///
    /// All entries come from one snapshot. Each iterator takes it when its first entry is requested.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries must satisfy; by default, all entries match.
    ///   - pageSize: The maximum number of entries in memory at a time, 1000 by default.
    /// - Precondition: `pageSize` is at least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        precondition((pageSize ?? 1) >= 1)
        return EntrySequence { try await snapshot().entryPages(matching: filter, pageSize: pageSize) }
    }
}
