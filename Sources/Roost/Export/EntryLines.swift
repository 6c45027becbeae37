package import Foundation
package import RoostModel

/// An asynchronous sequence of the bytes of an ``EntryArchive`` in the format of lines, one page of entries
/// at a time.
package struct EntryLines: AsyncSequence, Sendable {
    package typealias Element = Data

    let exporter: EntryExporter
    let pages: SnapshotPages<EntryPage>

    /// The iterator over the bytes of an archive.
    package struct AsyncIterator: AsyncIteratorProtocol {
        let exporter: EntryExporter
        var pages: SnapshotPages<EntryPage>.AsyncIterator
        var isFirst = true

        /// Returns the bytes of the header or of the next page; `nil` after the last one.
        ///
        /// - Throws: `StorageError`; `CancellationError`.
        package mutating func next() async throws -> Data? {
            if isFirst, exporter.writesHeader {
                isFirst = false
                return try exporter.headerLine()
            }
            return try await pages.next().map { try exporter.lines(of: $0.entries) }
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(exporter: exporter, pages: pages.makeAsyncIterator())
    }
}

extension KnowledgeStore {
    /// Returns the entries of a snapshot as an ``EntryArchive`` in the format of lines. At most one page of
    /// entries is in memory at a time.
    ///
    /// - Parameters:
    ///   - filter: The filter that entries must match.
    ///   - withEmbeddings: Whether to include vectors.
    ///   - withHeader: Whether the first line is a header.
    package func entryLines(
        of snapshot: any StorageSnapshot, matching filter: EntryFilter, withEmbeddings: Bool,
        withHeader: Bool
    ) -> EntryLines {
        EntryLines(
            exporter: EntryExporter(
                format: .jsonl, space: withEmbeddings ? embedder.space : nil, writesHeader: withHeader),
            pages: snapshot.entryPages(matching: filter, pageSize: EntryExporter.pageSize))
    }
}
