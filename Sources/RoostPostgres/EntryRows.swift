import Foundation
import RoostFiles
import RoostModel

enum EntryRows {
    typealias Found = (row: UInt32, entry: Entry)

    // MARK: Writing

    /// - Parameter writesParts: Whether to write the vectors, passages and attributes too. They need not be
    ///   written if only the location changed.
    static func append(
        _ entry: Entry, row: Int64, at position: ChangePosition, store: UUID, writesParts: Bool,
        to rows: inout PendingRows
    ) throws {
        let fingerprint = EntryFingerprint.of(entry)
        rows.entries.append(store)
        rows.entries.append(row)
        rows.entries.append(position.revision)
        rows.entries.append(Int64(position.ordinal))
        rows.entries.append(entry.id)
        rows.entries.append(entry.source)
        rows.entries.append(entry.key)
        rows.entries.append(entry.createdAt.milliseconds)
        rows.entries.append(entry.updatedAt.milliseconds)
        rows.entries.append(ContentDigest(of: entry.content).bytes)
        rows.entries.append(fingerprint)
        rows.entries.append(entry.passages.count)
        rows.entries.append(entry.embeddings.count)
        rows.entries.append(try entry.location.map { try Stored.json($0) })
        rows.entries.seal()
        rows.entries.append(entry.content)
        rows.entries.append(Stored.json(metadata: .object(entry.metadata)))
        rows.entries.append(Stored.json(metadata: .array(entry.tags.map { .string($0) })))
        rows.entries.append(entry.structure?.coded)
        rows.entries.seal()
        if writesParts { appendParts(of: entry, row: row, at: position.revision, store: store, to: &rows) }
    }

    private static func appendParts(
        of entry: Entry, row: Int64, at revision: Revision, store: UUID, to rows: inout PendingRows
    ) {
        if !entry.embeddings.isEmpty {
            rows.vectors.append(store)
            rows.vectors.append(row)
            rows.vectors.append(revision)
            rows.vectors.append(searchableOrdinal(of: entry))
            rows.vectors.append(vector: entry.embeddings)
            rows.vectors.seal()
        }
        for passage in entry.passages {
            rows.passages.append(store)
            rows.passages.append(row)
            rows.passages.append(passage.ordinal)
            rows.passages.append(revision)
            rows.passages.append(passage.utf8Range.lowerBound)
            rows.passages.append(passage.utf8Range.upperBound)
            rows.passages.append(passage.tokenCount)
            // If an entry has only one passage, the passage has the same vector as the entry, and the vector
            // is stored only once. A passage without a vector belongs to an entry without one.
            rows.passages.append(vector: passage.vector == entry.embeddings ? nil : passage.vector)
            rows.passages.seal()
        }
        for attribute in Attribute.all(of: entry) {
            let number = attribute.number
            rows.attributes.append(store)
            rows.attributes.append(row)
            rows.attributes.append(attribute.name)
            rows.attributes.append(attribute.value)
            rows.attributes.append(revision)
            rows.attributes.append(attribute.text)
            rows.attributes.append(number?.double)
            rows.attributes.append(number?.integer)
        }
    }

    /// Returns the ordinal of the passage that has the same vector as the entry; `nil` if no passage has.
    private static func searchableOrdinal(of entry: Entry) -> Int? {
        guard !entry.passages.isEmpty else { return 0 }
        return entry.passages.first { $0.vector == entry.embeddings }?.ordinal
    }

    // MARK: Reading

    static let headerColumns = selection(0..<14)
    /// The columns of an entry without its vectors.
    static let columns = selection(0..<19)

    /// The index of the header's checksum, which is followed by the body.
    private static let checksumColumn = 13
    private static let bodyChecksumColumn = 18

    private static func selection(_ columns: Range<Int>) -> String {
        // The first column of the table is the id of the store, which is not selected.
        Table.entries.columns[columns.lowerBound + 1..<columns.upperBound + 1]
            .map { "e.\($0.name)" }.joined(separator: ", ")
    }

    @discardableResult
    static func verifyHeader(_ row: ResultRow, store: UUID) throws -> UInt32 {
        try row.verify(0..<checksumColumn, after: Stored.checksumSeed(store), "an entry")
    }

    /// The header of an entry, without its text, vectors and metadata.
    struct Header {
        let row: UInt32
        let position: ChangePosition
        let id: UUID
        let fingerprint: [UInt8]
        let location: [UInt8]?
        let dimension: Int
        let passageCount: Int

        init(_ row: ResultRow, store: UUID) throws {
            try EntryRows.verifyHeader(row, store: store)
            self.row = try row.row(0)
            position = ChangePosition(
                revision: try row.revision(1), ordinal: UInt32(clamping: try row.int64(2)))
            id = try row.uuid(3)
            fingerprint = row.bytes(9)
            passageCount = try row.int(10)
            dimension = try row.int(11)
            location = row.bytesIfPresent(12)
        }
    }

    static func entryHeader(_ row: ResultRow, store: UUID) throws -> (row: UInt32, header: EntryHeader) {
        try verifyHeader(row, store: store)
        let header = EntryHeader(
            id: try row.uuid(3), source: try row.textIfPresent(4),
            createdAt: Date(milliseconds: try row.int64(6)))
        return (try row.row(0), header)
    }

    static func entry(_ row: ResultRow, parts: EntryParts, store: UUID) throws -> Found {
        let header = try Header(row, store: store)
        let seed = try verifyHeader(row, store: store)
        // The checksum of the body continues that of the header.
        try row.verify(checksumColumn + 1..<bodyChecksumColumn, after: seed, "an entry in row \(header.row)")
        let embeddings = try parts.vector.map { try vector($0, store: store) } ?? []
        let passages = parts.passages
        guard embeddings.count == header.dimension, passages.count == header.passageCount else {
            throw Stored.damaged("an entry in row \(header.row) that lacks a passage or a vector")
        }
        let metadata = row.rawBytes(15)
        let tags = row.rawBytes(16)
        let content = try row.text(14)
        let location = row.isNull(12) ? nil : try Stored.value(EntryLocation.self, row.rawBytes(12))
        let structure = row.bytesIfPresent(17).map {
            TextStructure(coded: $0, length: content.utf8.count)
        }
        if let structure, structure == nil {
            throw Stored.damaged("the structure of an entry, which is not that of its text")
        }
        let entry = Entry(
            id: header.id, content: content, structure: structure ?? nil, embeddings: embeddings,
            passages: try passages.map { try passage($0, embeddings, in: content, store: store) },
            source: try row.textIfPresent(4), key: try row.textIfPresent(5), location: location,
            metadata: metadata.count == 2 ? [:] : try Stored.value([String: MetadataValue].self, metadata),
            tags: tags.count == 2 ? [] : try Stored.value([String].self, tags),
            createdAt: Date(milliseconds: try row.int64(6)), updatedAt: Date(milliseconds: try row.int64(7)))
        return (header.row, entry)
    }

    static let vectorColumns = Table.vectors.selection("v")
    static let vectorColumn = 3

    static func verifyVector(_ row: ResultRow, store: UUID) throws {
        try row.verify(0..<4, after: Stored.checksumSeed(store), "a vector")
    }

    private static func vector(_ row: ResultRow, store: UUID) throws -> [Float] {
        try verifyVector(row, store: store)
        return try row.vector(vectorColumn)
    }

    static let passageColumns = Table.passages.selection("p")

    private static func passage(
        _ row: ResultRow, _ embeddings: [Float], in content: String, store: UUID
    ) throws -> Passage {
        try row.verify(0..<7, after: Stored.checksumSeed(store), "a passage")
        let (start, end) = (try row.int(3), try row.int(4))
        guard start >= 0, start <= end, end <= content.utf8.count else {
            throw Stored.damaged("a passage outside of the text of its entry")
        }
        return Passage(
            ordinal: try row.int(1), utf8Range: start..<end, tokenCount: try row.int(5),
            vector: row.isNull(6) ? embeddings : try row.vector(6))
    }
}

struct EntryParts {
    var vector: ResultRow?
    /// The rows of the passages, in the order of their ordinals.
    var passages: [ResultRow] = []
}
