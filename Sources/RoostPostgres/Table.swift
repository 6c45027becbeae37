/// A table with the columns that are inserted, in this order. The first column is always the id of the store.
///
/// `checksum` covers the columns before it; `body_checksum` also covers those after `checksum`.
struct Table: Sendable {
    struct Column: Sendable {
        let name: String
        let type: ColumnType
    }

    let name: String
    let columns: [Column]

    private init(_ name: String, _ columns: KeyValuePairs<String, ColumnType>) {
        self.name = name
        self.columns = columns.map { Column(name: $0.key, type: $0.value) }
    }

    static let entries = Table(
        "entries",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "id": .uuid,
            "source": .bytea, "key": .bytea, "created": .int8, "updated": .int8, "digest": .bytea,
            "fingerprint": .bytea, "passages": .int8, "dimension": .int8, "location": .bytea,
            "checksum": .int8, "content": .bytea, "metadata": .bytea, "tags": .bytea,
            "structure": .bytea, "body_checksum": .int8,
        ])
    static let vectors = Table(
        "vectors",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "ordinal": .int8, "embedding": .vector,
            "checksum": .int8,
        ])
    static let passages = Table(
        "passages",
        [
            "store": .uuid, "row": .int8, "ordinal": .int8, "added_revision": .int8, "range_start": .int8,
            "range_end": .int8, "tokens": .int8, "embedding": .vector, "checksum": .int8,
        ])
    static let attributes = Table(
        "attributes",
        [
            "store": .uuid, "row": .int8, "name": .uuid, "value": .uuid, "added_revision": .int8,
            "text": .bytea, "number": .float8, "integer_number": .int8,
        ])
    static let removals = Table(
        "removals",
        [
            "store": .uuid, "revision": .int8, "ordinal": .int8, "id": .uuid, "removed": .int8,
            "checksum": .int8,
        ])
    static let sources = Table(
        "sources",
        [
            "store": .uuid, "name": .uuid, "added_revision": .int8, "id": .bytea, "fingerprint": .bytea,
            "ingested": .int8, "checksum": .int8,
        ])
    static let clusters = Table(
        "clusters",
        [
            "store": .uuid, "position": .int8, "added_revision": .int8, "id": .uuid, "record": .bytea,
            "centroid": .bytea, "checksum": .int8,
        ])
    static let assignments = Table(
        "assignments",
        [
            "store": .uuid, "row": .int8, "added_revision": .int8, "entry": .uuid, "cluster": .uuid,
            "outlier": .bytea, "run": .uuid, "similarity": .float8, "confidence": .float8, "checksum": .int8,
        ])

    /// The tables whose rows are valid from `added_revision` until before `removed_revision`.
    static let versioned = [entries, vectors, passages, attributes, sources, clusters, assignments]

    /// The number of `removed_revision` in rows that are still valid.
    static let neverRemoved = Int64.max

    /// Returns the columns after the id of the store, each with an alias of the table.
    func selection(_ alias: String) -> String {
        columns.dropFirst().map { "\(alias).\($0.name)" }.joined(separator: ", ")
    }
}
