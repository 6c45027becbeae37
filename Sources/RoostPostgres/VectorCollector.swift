import Foundation
import RoostModel
import RoostVectors

/// Builds a page of vectors from result rows, and checks that no entry lacks any of its vectors.
struct VectorCollector {
    let store: UUID
    private var rows: [UInt32] = []
    private var ids: [Entry.ID] = []
    private var ordinals: [UInt32] = []
    private var elements: [Float] = []
    private var dimension: Int?

    init(store: UUID) { self.store = store }

    /// Adds the vectors of an entry.
    ///
    /// - Parameters:
    ///   - row: The header of the entry.
    ///   - parts: The rows of its vectors.
    ///   - kind: Whether to add the vector of the entry or those of its passages.
    mutating func add(_ row: ResultRow, _ parts: EntryParts, _ kind: VectorPage.Kind) throws {
        let header = try EntryRows.Header(row, store: store)
        guard let vector = parts.vector else { throw Stored.damaged("an entry that lacks a vector") }
        try EntryRows.verifyVector(vector, store: store)
        guard kind == .passages, header.passageCount > 0 else {
            return try append(vector, EntryRows.vectorColumn, header, ordinal: 0)
        }
        guard parts.passages.count == header.passageCount else {
            throw Stored.damaged("an entry that lacks a passage")
        }
        for passage in parts.passages {
            try passage.verify(0..<7, after: Stored.checksumSeed(store), "a passage")
            let ordinal = UInt32(clamping: try passage.int64(1))
            if passage.isNull(6) {
                try append(vector, EntryRows.vectorColumn, header, ordinal: ordinal)
            } else {
                try append(passage, 6, header, ordinal: ordinal)
            }
        }
    }

    private mutating func append(
        _ row: ResultRow, _ column: Int, _ header: EntryRows.Header, ordinal: UInt32
    ) throws {
        let start = elements.count
        try row.appendVector(column, to: &elements)
        let found = elements.count - start
        guard found == header.dimension, found == dimension ?? found else {
            throw Stored.damaged("a vector with the unexpected dimension \(found)")
        }
        dimension = found
        rows.append(header.row)
        ids.append(header.id)
        ordinals.append(ordinal)
    }

    func page(next: UInt32?) -> VectorPage {
        VectorPage(
            rows: rows, ids: ids, ordinals: ordinals,
            vectors: Matrix(rows: rows.count, columns: dimension ?? 0, elements: elements), next: next)
    }
}
