public import Foundation

/// The parameters of an ingest.
public struct IngestOptions: Sendable {
    /// Tags that are added to every entry.
    public var tags: [String] = []
    /// Whether to compute the report only, without changing the store.
    public var isDryRun = false
    /// Receives the progress after each commit.
    public var progress: (@Sendable (IngestProgress) -> Void)?
    var batchSize = 256

    /// Creates options.
    public init(
        tags: [String] = [], isDryRun: Bool = false, progress: (@Sendable (IngestProgress) -> Void)? = nil
    ) {
        (self.tags, self.isDryRun, self.progress) = (tags, isDryRun, progress)
    }
}

/// The progress of an ingest.
public struct IngestProgress: Sendable, Hashable {
    /// The number of input entries that are in the store, including those that were there before.
    public var entries = 0
    /// The number of entries that were added or changed.
    public var written = 0
    /// The number of sources that have been processed.
    public var sources = 0
    /// The fraction of the files in folders that has been read, by their sizes, 0 to 1; 0 for other sources.
    public var fractionOfFiles = 0.0
}

/// The result of an ingest.
public struct IngestReport: Sendable, Hashable, Encodable {
    /// Something that an ingest could not keep, or kept with an assumption.
    public struct Finding: Sendable, Hashable, Encodable {
        /// The kinds of findings: an input, a row or message, or a part of a text was not read; a date was not
        /// understood; an encoding was guessed.
        public enum Kind: String, Sendable, CaseIterable, Encodable {
            case input, row, part, date, encoding
        }

        /// The kind.
        public var kind: Kind
        /// The path or name of the input, and the location in it.
        public var source: String
        /// The cause, as a message for the user.
        public var reason: String
        /// The number of inputs, rows, parts or dates.
        public var count: Int

        /// Creates a finding.
        public init(kind: Kind = .input, source: String, reason: String, count: Int = 1) {
            (self.kind, self.source, self.reason, self.count) = (kind, source, reason, count)
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
    /// The numbers of new texts of ten or more words by language, such as `german`, or `other`.
    public var languages: [String: Int] = [:]
    /// The inputs that were not ingested.
    public var skipped: [Finding] = []
    /// The inputs that were ingested with an assumption, such as one about their encoding, without their date, or
    /// without a part of their text.
    public var notices: [Finding] = []
    /// The number of files that exist in the ingested folders.
    public var files = 0
    /// The number of files that were renamed or moved. Their entries are unchanged.
    public var movedFiles = 0
    /// The number of known files in the folders that no longer exist, and whose entries are still in the
    /// store.
    public var missingFiles = 0
    /// The folders for which nothing was changed.
    public var skippedFolders: [Finding] = []

    /// Creates an empty report.
    public init() {}

    /// Whether the store was changed.
    public var hasChanges: Bool { new + updated + removed + movedFiles > 0 }

    /// Adds the numbers of an ingest of other sources.
    public mutating func add(_ other: IngestReport) {
        new += other.new
        updated += other.updated
        removed += other.removed
        unchanged += other.unchanged
        reused += other.reused
        tokens += other.tokens
        omittedTokens += other.omittedTokens
        languages.merge(other.languages, uniquingKeysWith: +)
        skipped += other.skipped
        notices += other.notices
        files += other.files
        movedFiles += other.movedFiles
        missingFiles += other.missingFiles
        skippedFolders += other.skippedFolders
    }
}
