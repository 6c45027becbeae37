public import Foundation

/// The parameters of an ingest.
public struct IngestOptions: Sendable {
    /// Tags that are added to every entry.
    public var tags: [String] = []
    /// Whether to compute the report only, without changing the store.
    public var isDryRun = false
    /// The approximate number of entries per commit. A number below 1 is treated as 1.
    public var batchSize = 256 {
        didSet { batchSize = max(1, batchSize) }
    }
    /// The maximum number of bytes of text that are embedded per commit, except for a longer text. With a
    /// slow model, a commit has fewer, so that an interruption loses only one or two seconds of work.
    public var batchBytes = 128 << 10
    /// Receives the progress after each commit.
    public var progress: (@Sendable (IngestProgress) -> Void)?

    /// Creates options.
    public init(
        tags: [String] = [], isDryRun: Bool = false, batchSize: Int = 256,
        progress: (@Sendable (IngestProgress) -> Void)? = nil
    ) {
        self.tags = tags
        self.isDryRun = isDryRun
        self.batchSize = max(1, batchSize)
        self.progress = progress
    }
}

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

/// The result of an ingest.
public struct IngestReport: Sendable, Hashable, Encodable {
    /// An input that was not ingested.
    public struct Skip: Sendable, Hashable, Encodable {
        /// The path or name of the input.
        public var source: String
        /// The cause, as a message for the user.
        public var reason: String

        /// Creates the record of a skipped input.
        public init(source: String, reason: String) {
            self.source = source
            self.reason = reason
        }

        /// Creates the record of a file that could not be read.
        ///
        /// The path at the beginning of the error's message is omitted, because it is in ``source``.
        public init(_ file: URL, _ error: any Error) {
            var reason = "\(error)"
            for prefix in ["cannot read \(file.path): ", "\(file.path), ", "\(file.path): "]
            where reason.hasPrefix(prefix) {
                reason = String(reason.dropFirst(prefix.count))
            }
            self.init(source: file.path, reason: reason)
        }
    }

    /// The number of entries that were added.
    public var new = 0
    /// The number of entries that were changed.
    public var updated = 0
    /// The number of entries that were removed.
    public var removed = 0
    /// The number of entries that were already in the store.
    public var unchanged = 0
    /// The number of texts whose vectors were copied from an equal text.
    public var reused = 0
    /// The number of tokens that were embedded.
    public var tokens = 0
    /// The number of tokens beyond the model's limit, which no vector represents.
    public var omittedTokens = 0
    /// The inputs that were not ingested.
    public var skipped: [Skip] = []
    /// The number of known files below the ingested folders that no longer exist, and whose entries are still
    /// in the store.
    public var missingFiles = 0

    /// Creates an empty report.
    public init() {}
}
