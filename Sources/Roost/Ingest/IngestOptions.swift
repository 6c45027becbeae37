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
