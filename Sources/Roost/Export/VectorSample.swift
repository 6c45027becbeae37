import RoostModel

/// A sample of the entries of an archive, whose vectors are compared with those of the store's model
/// (``VectorComparison``).
struct VectorSample: Sendable {
    /// The numbers of components of the vectors of all entries that have one.
    private(set) var dimensions: Set<Int> = []
    /// The last entries with vectors, at most ``partSize``.
    private var part: [Entry] = []
    /// The shortest entries of the parts before.
    private var chosen: [Entry] = []

    /// The number of consecutive entries of which at least one is compared. Files without a header can be
    /// joined, so the vectors of one part say little about another one.
    private static let partSize = 64

    /// Adds the next entry of the archive.
    mutating func add(_ entry: Entry) {
        guard !entry.embeddings.isEmpty else { return }
        dimensions.insert(entry.embeddings.count)
        if part.count == Self.partSize {
            chosen += shortest(1)
            part.removeAll(keepingCapacity: true)
        }
        part.append(entry)
    }

    /// The shortest entries of all, and the shortest one of each part of a long archive.
    var entries: [Entry] {
        chosen.isEmpty ? shortest(VectorComparison.sampleSize) : chosen + shortest(1)
    }

    private func shortest(_ count: Int) -> [Entry] {
        func key(_ entry: Entry) -> (Int, String) { (entry.content.utf8.count, entry.id.text) }
        return Array(part.sorted { key($0) < key($1) }.prefix(count))
    }
}
