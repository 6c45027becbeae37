package import Foundation
package import RoostModel

/// The bytes of an ``EntryArchive`` in JSON Lines, one page of entries at a time.
package struct EntryLines: AsyncSequence, Sendable {
    package typealias Element = Data

    private let pages: SnapshotPages<EntryPage>
    /// The embedding space of the vectors to write; `nil` omits vectors.
    private let space: EmbeddingSpace?

    /// The number of entries that are encoded at once.
    private static let pageSize = 500

    fileprivate init(
        _ snapshot: any StorageSnapshot, matching filter: EntryFilter, space: EmbeddingSpace?
    ) {
        pages = snapshot.entryPages(matching: filter, pageSize: Self.pageSize)
        self.space = space
    }

    /// The iterator over the bytes of an archive.
    package struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pages: SnapshotPages<EntryPage>.AsyncIterator
        fileprivate let space: EmbeddingSpace?
        private var isFirst = true

        fileprivate init(_ pages: SnapshotPages<EntryPage>.AsyncIterator, space: EmbeddingSpace?) {
            (self.pages, self.space) = (pages, space)
        }

        /// Returns the bytes of the header or of the next page; `nil` after the last one.
        package mutating func next() async throws -> Data? {
            if isFirst, let space {
                isFirst = false
                let header = EntryArchive.Header(schemaVersion: EntryArchive.currentVersion, space: space)
                return try await lines([header])
            }
            guard let page = try await pages.next() else { return nil }
            return try await lines(page.entries)
        }

        /// Returns values as lines. A page with vectors takes many milliseconds, so it is not encoded on the
        /// actor of the caller, which can be the main actor.
        @concurrent
        private func lines(_ values: [some Encodable & Sendable]) async throws -> Data {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            encoder.userInfo[.omitsVectors] = space == nil
            return try values.reduce(into: Data()) { bytes, value in
                bytes += try encoder.encode(value).escapingControlsInJSON()
                bytes.append(UInt8(ascii: "\n"))
            }
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pages.makeAsyncIterator(), space: space)
    }
}

extension KnowledgeStore {
    /// Returns the entries of a snapshot as JSON Lines. At most one page of entries is in memory at a time.
    ///
    /// - Parameters:
    ///   - filter: The filter that entries must match.
    ///   - withEmbeddings: Whether to include vectors, and a header that states their embedding space.
    package func entryLines(
        of snapshot: any StorageSnapshot, matching filter: EntryFilter, withEmbeddings: Bool
    ) -> EntryLines {
        EntryLines(snapshot, matching: filter, space: withEmbeddings ? embedder.space : nil)
    }
}
