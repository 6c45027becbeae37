/// The rows with the vectors of an entry.
struct EntryParts {
    /// The row of the entry's vector; `nil` if it has none.
    var vector: ResultRow?
    /// The rows of the passages, in the order of their ordinals.
    var passages: [ResultRow] = []
}
