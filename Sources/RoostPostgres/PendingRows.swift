/// The rows that a part of a commit inserts.
struct PendingRows {
    var entries = RowBuffer(.entries)
    var vectors = RowBuffer(.vectors)
    var passages = RowBuffer(.passages)
    var attributes = RowBuffer(.attributes)
    var removals = RowBuffer(.removals)
    var sources = RowBuffer(.sources)
    var clusters = RowBuffer(.clusters)
    var assignments = RowBuffer(.assignments)

    var filled: [RowBuffer] {
        [entries, vectors, passages, attributes, removals, sources, clusters, assignments]
            .filter { !$0.isEmpty }
    }

    /// The number of bytes of all rows.
    var size: Int {
        entries.size + vectors.size + passages.size + attributes.size + removals.size + sources.size
            + clusters.size + assignments.size
    }
}
