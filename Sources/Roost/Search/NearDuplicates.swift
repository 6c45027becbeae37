import RoostModel
import RoostVectors

/// The entries of a list, compared with later ones to find near-duplicates.
struct NearDuplicates {
    private let threshold: Float
    private var entries: [Entry] = []
    /// The first entry with each text.
    private var texts: [[UInt8]: Int] = [:]

    /// - Parameter threshold: The minimum cosine similarity of near-duplicates.
    init(threshold: Float) { self.threshold = threshold }

    mutating func add(_ entry: Entry) {
        let text = Array(entry.content.utf8)
        if texts[text] == nil { texts[text] = entries.count }
        entries.append(entry)
    }

    /// Returns the number of the first entry whose text is equal or whose vector is similar;
    /// otherwise `nil`.
    ///
    /// - Complexity: O(entries).
    func first(similarTo entry: Entry) -> Int? {
        let equal = texts[Array(entry.content.utf8)]
        guard !entry.embeddings.isEmpty else { return equal }
        let similar = entries.prefix(equal ?? entries.count).firstIndex {
            $0.embeddings.count == entry.embeddings.count
                && innerProduct($0.embeddings, entry.embeddings) >= threshold
        }
        return similar ?? equal
    }
}
