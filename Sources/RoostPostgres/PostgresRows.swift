import Foundation
import RoostFiles
import RoostModel
import RoostVectors

enum EntryRows {
    typealias Found = (row: UInt32, entry: Entry)

    // MARK: Writing

    /// - Parameter writesParts: Whether to write the vectors, passages and attributes too. They need not be
    ///   written if only the location changed.
    static func append(
        _ entry: Entry, row: Int64, at position: ChangePosition, store: UUID, writesParts: Bool,
        to rows: inout PendingRows
    ) throws {
        rows.entries.append(
            store, row, position.revision, Int64(position.ordinal), entry.id, entry.source, entry.key,
            entry.createdAt.milliseconds, entry.updatedAt.milliseconds,
            ContentDigest(of: entry.content).bytes, EntryFingerprint.of(entry), entry.passages.count,
            entry.embeddings.count, try entry.location.map { try Stored.json($0) })
        rows.entries.seal()
        rows.entries.append(
            entry.content, Stored.json(metadata: .object(entry.metadata)),
            Stored.json(metadata: .array(entry.tags.map { .string($0) })), entry.structure?.coded)
        rows.entries.seal()
        if writesParts { appendParts(of: entry, row: row, at: position.revision, store: store, to: &rows) }
    }

    private static func appendParts(
        of entry: Entry, row: Int64, at revision: Revision, store: UUID, to rows: inout PendingRows
    ) {
        if !entry.embeddings.isEmpty {
            rows.vectors.append(store, row, revision, searchableOrdinal(of: entry))
            rows.vectors.append(vector: entry.embeddings)
            rows.vectors.seal()
        }
        for passage in entry.passages {
            rows.passages.append(
                store, row, passage.ordinal, revision, passage.utf8Range.lowerBound,
                passage.utf8Range.upperBound, passage.tokenCount)
            // If an entry has only one passage, the passage has the same vector as the entry, and the vector
            // is stored only once. A passage without a vector belongs to an entry without one.
            rows.passages.append(vector: passage.vector == entry.embeddings ? nil : passage.vector)
            rows.passages.seal()
        }
        for attribute in Attribute.all(of: entry) {
            let number = attribute.number
            rows.attributes.append(
                store, row, attribute.name, attribute.value, revision, attribute.text, number?.double,
                number?.integer)
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
    var passages: [ResultRow] = []
}

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
        rows.append(
            store, name(source.id), revision, source.id, source.fingerprint, source.ingestedAt.milliseconds)
        rows.seal()
    }
}

enum ClusterRows {
    struct Positioned {
        let position: Int64
        let cluster: Cluster
    }

    static let columns = Table.clusters.selection("c")

    static let assignmentColumns = Table.assignments.selection("a")

    /// Returns the cluster in a row with the columns ``columns``, without its members.
    static func positioned(_ row: ResultRow, store: UUID) throws -> Positioned {
        try row.verify(0..<5, after: Stored.checksumSeed(store), "a cluster")
        var cluster = try Stored.value(Cluster.self, row.rawBytes(3))
        let centroid = row.rawBytes(4)
        guard centroid.count % 4 == 0 else {
            throw Stored.damaged("a centroid of \(centroid.count) bytes")
        }
        centroid.appendElements(from: 0, to: &cluster.centroid)
        return Positioned(position: try row.int64(0), cluster: cluster)
    }

    static func assignment(_ row: ResultRow, store: UUID) throws -> Assignment {
        try row.verify(0..<8, after: Stored.checksumSeed(store), "an assignment")
        let target: Assignment.Target
        if let cluster = try row.uuidIfPresent(3) {
            target = .cluster(cluster)
        } else {
            guard let reason = try row.textIfPresent(4).flatMap(Partition.OutlierReason.init) else {
                throw Stored.damaged("an assignment with neither a cluster nor an outlier reason")
            }
            target = .outlier(reason)
        }
        return Assignment(
            entry: try row.uuid(2), target: target, run: try row.uuidIfPresent(5),
            similarity: Float(try row.double(6)), confidence: Float(try row.double(7)))
    }

    static func append(
        _ cluster: Cluster, position: Int64, at revision: Revision, store: UUID, to rows: inout RowBuffer
    ) throws {
        var record = cluster
        (record.members, record.centroid) = ([], [])
        var centroid: [UInt8] = []
        centroid.append(elements: cluster.centroid)
        rows.append(store, position, revision, cluster.id, try Stored.json(record), centroid)
        rows.seal()
    }

    static func append(
        _ assignment: Assignment, row: Int64, at revision: Revision, store: UUID, to rows: inout RowBuffer
    ) {
        rows.append(
            store, row, revision, assignment.entry, assignment.cluster, assignment.outlierReason?.rawValue,
            assignment.run, Double(assignment.similarity), Double(assignment.confidence))
        rows.seal()
    }
}
