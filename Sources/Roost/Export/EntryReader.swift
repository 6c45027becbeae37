import RoostModel

/// A reader of the entries of an archive, one after another.
protocol EntryReader {
    /// The embedding space that the archive states; `nil` if it states none, or before the first entry.
    var space: EmbeddingSpace? { get }
    /// Whether an entry that was read is a row of a table, which has neither passages nor a location.
    var hasRows: Bool { get }

    /// Returns the next entry; `nil` after the last one.
    ///
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`; the errors of
    ///   reading.
    mutating func next() throws -> Entry?
}
