public import Foundation
public import RoostVectors

/// An asynchronous sequence of the pages of one snapshot, in ascending order of rows.
///
/// ``StorageSnapshot/entryPages(matching:pageSize:)``, ``StorageSnapshot/headerPages(matching:pageSize:)``
/// and ``StorageSnapshot/vectorPages(of:pageSize:)`` return such sequences. Each page is read when it is
/// requested, and the iterator does not keep the pages that it has returned. An empty store has one empty
/// page. The iterator checks for cancellation before it reads a page. Several iterators over one sequence are
/// independent and return the same pages.
public struct SnapshotPages<Page: SnapshotPage>: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = Page

    private let maximum: Int
    private let isLarge: @Sendable (Page) -> Bool
    private let read: @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page
    private var row: UInt32?
    private var limit: Int
    private var isFinished = false

    /// - Parameters:
    ///   - limit: The maximum of the limits of pages.
    ///   - first: The limit of the first page. That of the next one is doubled, or halved after a large page.
    init(
        limit: Int, first: Int = .max, isLarge: @escaping @Sendable (Page) -> Bool = { _ in false },
        read: @escaping @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page
    ) {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        (maximum, self.limit, self.isLarge, self.read) = (limit, Swift.min(limit, first), isLarge, read)
    }

    /// Returns the next page, or `nil` after the last one.
    ///
    /// - Throws: ``StorageError`` if the page cannot be read, with `.damaged` if the snapshot returns a page
    ///   that does not end after the one before; `CancellationError`. After an error, the iterator does not
    ///   advance, so the next call tries to read the same page.
    public mutating func next() async throws -> Page? {
        guard !isFinished else { return nil }
        try Task.checkCancellation()
        let page = try await read(row, limit)
        if let row, let next = page.next, next <= row {
            throw StorageError(
                .damaged, "cannot read the next page: a page after row \(row) ends at row \(next)")
        }
        row = page.next
        isFinished = row == nil
        limit = isLarge(page) ? Swift.max(1, limit / 2) : limit <= maximum / 2 ? 2 * limit : maximum
        return page
    }

    /// Returns an iterator that begins at the first page.
    public func makeAsyncIterator() -> SnapshotPages { self }

    /// Calls a function with each page, while the next page is read. With Swift 6.3.1, only the first call is on the
    /// actor of the caller.
    package func forEachAhead(_ body: (Page) async throws -> Void) async throws {
        var (page, rest) = try await divided()
        while let current = page {
            let unread = rest
            async let following = unread.divided()
            try await body(current)
            (page, rest) = try await following
        }
    }

    /// Returns the first page and those after it.
    @concurrent
    private func divided() async throws -> (Page?, SnapshotPages) {
        var rest = self
        let page = try await rest.next()
        return (page, rest)
    }
}

/// A page of a snapshot's entries, headers or vectors, which is read with one call.
public protocol SnapshotPage: Sendable {
    /// The row after which the next page begins; `nil` on the last page.
    var next: UInt32? { get }
}

/// One page of entries, in ascending order of rows.
public struct EntryPage: SnapshotPage {
    /// The entries of the page.
    public var entries: [Entry]
    /// The row of each entry.
    public var rows: [UInt32]
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    ///
    /// - Precondition: `entries` and `rows` have the same count.
    public init(entries: [Entry], rows: [UInt32], next: UInt32?) {
        precondition(entries.count == rows.count)
        (self.entries, self.rows, self.next) = (entries, rows, next)
    }
}

/// The id, source and date of an entry, without its text, vectors and metadata.
public struct EntryHeader: Sendable, Hashable, Identifiable {
    /// The id of the entry.
    public var id: Entry.ID
    /// The id of the source that the entry came from, if it has one.
    public var source: Source.ID?
    /// The date at which the entry was created.
    public var createdAt: Date

    /// Creates a header from its parts.
    public init(id: Entry.ID, source: Source.ID?, createdAt: Date) {
        (self.id, self.source, self.createdAt) = (id, source, createdAt)
    }

    /// Creates the header of an entry.
    public init(_ entry: Entry) { self.init(id: entry.id, source: entry.source, createdAt: entry.createdAt) }
}

/// One page of headers, in ascending order of their entries' rows.
public struct HeaderPage: SnapshotPage {
    /// The headers. A page can have fewer than the limit even if it is not the last one.
    public var headers: [EntryHeader]
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    public init(headers: [EntryHeader], next: UInt32?) { (self.headers, self.next) = (headers, next) }
}

/// One page of vectors, in ascending order of their entries' rows.
public struct VectorPage: SnapshotPage {
    /// The kind of vectors on a page.
    public enum Kind: Sendable, Hashable {
        /// One vector per entry: ``Entry/embeddings``.
        case entries
        /// One vector per passage: the vectors of ``Entry/searchablePassages``.
        case passages
    }

    /// The row of each vector's entry.
    public var rows: [UInt32]
    /// The id of each vector's entry.
    public var ids: [Entry.ID]
    /// The ordinal of each vector's passage; 0 for vectors of entries.
    public var ordinals: [UInt32]
    /// The vectors, one per row of the matrix. If the page has no vectors, the shape is (0, 0).
    public var vectors: Matrix
    /// The row after which the next page begins; `nil` on the last page.
    public var next: UInt32?

    /// Creates a page.
    ///
    /// - Precondition: `rows`, `ids` and `ordinals` have one element per row of `vectors`.
    public init(rows: [UInt32], ids: [Entry.ID], ordinals: [UInt32], vectors: Matrix, next: UInt32?) {
        precondition(rows.count == vectors.rows && ids.count == rows.count && ordinals.count == rows.count)
        (self.rows, self.ids, self.ordinals, self.vectors) = (rows, ids, ordinals, vectors)
        self.next = next
    }
}

package enum PageSize {
    /// The maximum number of entries on a page. With usual text lengths and dimensions, such a page takes about a
    /// megabyte.
    package static let entries = 256
    /// The number of entries on the first page, which a reader waits for.
    package static let firstEntries = 16
    /// The length of the texts of a page in bytes above which the next page has fewer entries.
    package static let texts = 4 << 20
    /// The number of headers on a page. A header takes less than 100 bytes.
    package static let headers = 10_000
    /// The number of changes on a page. A change takes about 50 bytes.
    package static let changes = 1000
    /// The number of entries whose vectors are on a page. With one vector per entry and 384 dimensions, such
    /// a page takes 6 MB, which makes the overhead of each call negligible.
    package static let vectors = 4096
}

/// An asynchronous sequence of the entries of one revision of a store, in ascending order of rows.
///
/// ``StorageSnapshot/allEntries(matching:pageSize:)`` and ``StorageProvider/allEntries(matching:pageSize:)``
/// return such sequences. At most one page of entries is in memory at a time. If the sequence was created by
/// a provider, each iterator takes its own snapshot when its first entry is requested.
public struct EntrySequence: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = Entry

    private let makePages: @Sendable () async throws -> SnapshotPages<EntryPage>
    private var pages: SnapshotPages<EntryPage>?
    private var current: [Entry] = []
    private var index = 0

    init(_ makePages: @escaping @Sendable () async throws -> SnapshotPages<EntryPage>) {
        self.makePages = makePages
    }

    /// Returns the next entry, or `nil` after the last one.
    ///
    /// - Throws: ``StorageError`` if the store cannot be read; `CancellationError`.
    public mutating func next() async throws -> Entry? {
        if pages == nil { pages = try await makePages() }
        while index == current.count {
            guard let page = try await pages?.next() else { return nil }
            current = page.entries
            index = 0
        }
        defer { index += 1 }
        return current[index]
    }

    /// Returns an iterator that begins at the first entry.
    public func makeAsyncIterator() -> EntrySequence { self }
}

extension StorageSnapshot {
    /// Returns the pages of the entries that match a filter, in ascending order of rows.
    ///
    ///     for try await page in snapshot.entryPages() {
    ///         count += page.entries.count
    ///     }
    ///
    /// - Parameter pageSize: The maximum number of entries on a page; 256 by default. At least 1.
    public func entryPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<EntryPage> {
        SnapshotPages(
            limit: pageSize ?? PageSize.entries, first: pageSize ?? PageSize.firstEntries,
            isLarge: { $0.entries.reduce(0) { $0 + $1.content.utf8.count } > PageSize.texts },
            read: { try await entries(after: $0, limit: $1, matching: filter) })
    }

    /// Returns the headers of the entries that match a filter, in pages and in ascending order of rows.
    ///
    /// - Parameter pageSize: The maximum number of headers on a page, 10 000 by default. Pages may be smaller. At least 1.
    public func headerPages(
        matching filter: EntryFilter = .all, pageSize: Int? = nil
    ) -> SnapshotPages<HeaderPage> {
        SnapshotPages(limit: pageSize ?? PageSize.headers) {
            try await headers(after: $0, limit: $1, matching: filter)
        }
    }

    /// Returns the vectors of all entries or of their passages, in pages and in ascending order of the
    /// entries' rows.
    ///
    /// - Parameter pageSize: The maximum number of entries whose vectors are on a page; 4096 by default. At
    ///   least 1.
    public func vectorPages(of kind: VectorPage.Kind, pageSize: Int? = nil) -> SnapshotPages<VectorPage> {
        SnapshotPages(limit: pageSize ?? PageSize.vectors) {
            try await vectors(of: kind, after: $0, limit: $1)
        }
    }

    /// Returns a sequence of the entries that match a filter, in ascending order of rows.
    ///
    /// - Parameter pageSize: The maximum number of entries in memory at a time; 256 by default. At least 1.
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
    /// - Parameter pageSize: The maximum number of entries in memory at a time; 256 by default. At least 1.
    public func allEntries(matching filter: EntryFilter = .all, pageSize: Int? = nil) -> EntrySequence {
        precondition((pageSize ?? 1) >= 1)
        return EntrySequence { try await snapshot().entryPages(matching: filter, pageSize: pageSize) }
    }
}
