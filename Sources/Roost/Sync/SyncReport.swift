import RoostModel

/// The result of a sync.
public struct SyncReport: Sendable, Hashable {
    /// A folder for which nothing was changed.
    public struct SkippedFolder: Sendable, Hashable, Encodable {
        /// The path of the folder.
        public var folder: String
        /// The cause, as a message for the user.
        public var reason: String
    }

    /// The numbers of entries, and the files that were skipped.
    public var entries = IngestReport()
    /// The number of files that were renamed or moved. Their entries are unchanged.
    public var movedFiles = 0
    /// The number of files that exist in the folders.
    public var files = 0
    /// The folders for which nothing was changed.
    public var skippedFolders: [SkippedFolder] = []
    /// The sources of missing files whose entries were kept.
    var keptSources: Set<Source.ID> = []

    /// Creates an empty report.
    public init() {}

    /// Whether the sync changed the store.
    public var hasChanges: Bool {
        entries.new + entries.updated + entries.removed + movedFiles > 0
    }
}

extension SyncReport: Encodable {
    private enum CodingKeys: String, CodingKey { case movedFiles, files, skippedFolders }

    /// Encodes the numbers of entries and files as members of one object.
    public func encode(to encoder: any Encoder) throws {
        try entries.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(movedFiles, forKey: .movedFiles)
        try container.encode(files, forKey: .files)
        try container.encode(skippedFolders, forKey: .skippedFolders)
    }
}

extension IngestReport {
    /// Adds the numbers and skipped inputs of another report.
    mutating func add(_ other: IngestReport) {
        new += other.new
        updated += other.updated
        removed += other.removed
        unchanged += other.unchanged
        reused += other.reused
        tokens += other.tokens
        omittedTokens += other.omittedTokens
        skipped += other.skipped
    }
}
