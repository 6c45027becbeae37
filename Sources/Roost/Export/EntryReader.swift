import RoostModel

/// A reader of the entries of an archive, one after another.
protocol EntryReader {
    /// The embedding space that the archive states; `nil` if it states none, or before the first entry.
    var space: EmbeddingSpace? { get }

    /// Returns the next entry; `nil` after the last one.
    ///
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `CancellationError`; the errors of
    ///   reading.
    mutating func next() throws -> Entry?
}
