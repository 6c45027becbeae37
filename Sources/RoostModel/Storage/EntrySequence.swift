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
