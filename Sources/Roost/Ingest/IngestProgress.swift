/// The progress of an ingest.
public struct IngestProgress: Sendable, Hashable {
    /// The number of input entries that are in the store, including those that were there before.
    public var entries = 0
    /// The number of entries that were added or changed.
    public var written = 0
    /// The number of sources that have been processed completely.
    public var sources = 0
    /// The fraction of the next source that has been processed, 0 to 1.
    public var fractionOfNextSource = 0.0
    /// The fraction of the files of a sync that has been read, by their sizes, 0 to 1; 0 for other ingests.
    public var fractionOfFiles = 0.0

    /// Creates the progress of an ingest that has not begun.
    public init() {}
}
