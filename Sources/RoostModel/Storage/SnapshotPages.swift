/// An asynchronous sequence of the pages of one snapshot, in ascending order of rows.
///
/// ``StorageSnapshot/entryPages(matching:pageSize:)``, ``StorageSnapshot/headerPages(matching:pageSize:)``
/// and ``StorageSnapshot/vectorPages(of:pageSize:)`` return such sequences. Each page is read when it is
/// requested, and the iterator does not keep the pages that it has returned. An empty store has one empty
/// page. The iterator checks for cancellation before it reads a page. Several iterators over one sequence are
/// independent and return the same pages.
public struct SnapshotPages<Page: SnapshotPage>: AsyncSequence, Sendable {
    public typealias Element = Page

    let limit: Int
    let read: @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page

    /// The iterator over the pages of a snapshot.
    public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
        let limit: Int
        let read: @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page
        private var row: UInt32?
        private var isFinished = false

        init(limit: Int, read: @escaping @Sendable (_ row: UInt32?, _ limit: Int) async throws -> Page) {
            precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
            self.limit = limit
            self.read = read
        }

        /// Returns the next page, or `nil` after the last one.
        ///
        /// - Throws: ``StorageError`` if the page cannot be read, with `.damaged` if the snapshot returns a
        ///   page that does not end after the one before; `CancellationError`. After an error, the iterator
        ///   does not advance, so the next call tries to read the same page.
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
            return page
        }
    }

    /// Returns an iterator that begins at the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit, read: read) }
}
