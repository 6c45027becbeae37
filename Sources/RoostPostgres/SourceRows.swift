import Foundation
import RoostModel

/// Reads and writes the records of sources.
enum SourceRows {
    static let columns = Table.sources.selection("s")

    static func name(_ id: Source.ID) -> UUID { Stored.shortDigest(.source, id) }

    /// Returns the source in a row with the columns ``columns``, without the ids of its entries.
    static func source(_ row: ResultRow, store: UUID) throws -> Source {
        try row.verify(0..<5, after: Stored.checksumSeed(store), "a source record")
        return Source(
            id: try row.text(2), fingerprint: try row.text(3),
            ingestedAt: Date(milliseconds: try row.int64(4)))
    }

    static func append(_ source: Source, at revision: Revision, store: UUID, to rows: inout RowBuffer) {
        rows.append(store)
        rows.append(name(source.id))
        rows.append(revision)
        rows.append(source.id)
        rows.append(source.fingerprint)
        rows.append(source.ingestedAt.milliseconds)
        rows.seal()
    }
}
