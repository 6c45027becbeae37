import RoostModel

/// The parameters of a sync.
public struct SyncOptions: Sendable {
    /// Whether to compute the report only, without changing the store.
    public var isDryRun = false
    /// Decides about a folder whose files seem to be missing by mistake. By default, nothing is changed for
    /// such a folder.
    public var decide: @Sendable (RemovalRisk) async throws -> RemovalDecision = { _ in .skipFolder }
    /// Called with the number of entries before entries are removed, for example to create a backup.
    public var willRemove: @Sendable (Int) async throws -> Void = { _ in }
    /// Called with a description of the other process if the sync has to wait for it.
    public var onWaiting: @Sendable (String) -> Void = { _ in }
    /// Receives the progress after each commit.
    public var progress: (@Sendable (IngestProgress) -> Void)?
    /// Returns whether the entries of a missing file are not removed yet.
    var keepsMissing: @Sendable (Source.ID) -> Bool = { _ in false }
    /// The resolution of the times of files, in nanoseconds. A file that was changed later than this time
    /// before a sync is read again by the next one.
    var settlingTime = FileStatus.settlingTime
    /// Called with the path of each folder before its contents are listed.
    var willEnter: @Sendable (String) -> Void = { _ in }

    /// Creates options with default values.
    public init() {}
}

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

/// A reason not to remove the entries of missing files without the consent of the user.
public struct RemovalRisk: Sendable, Hashable, CustomStringConvertible {
    /// The condition of the folder.
    public enum Reason: Sendable, Hashable {
        /// The folder does not exist.
        case missing
        /// The folder cannot be read.
        case unreadable
        /// The folder is empty.
        case empty
        /// The folder was the root of a file system, which is no longer mounted.
        case unmounted
        /// More than 20% of the known files of the folder are missing.
        case manyFiles
    }

    /// The path of the folder.
    public var folder: String
    /// The condition of the folder.
    public var reason: Reason
    /// The number of known files that are missing and have not been moved.
    public var missingFiles: Int
    /// The number of known files.
    public var knownFiles: Int

    /// The maximum share of a folder's known files that are removed without consent, in percent.
    static let maximumShare = 20

    /// A sentence that describes the condition, without a final period.
    public var description: String {
        let files = "\(missingFiles) of \(knownFiles) known files"
        return switch reason {
        case .missing: "the folder \(folder) does not exist, so \(files) would be removed"
        case .unreadable: "the folder \(folder) cannot be read, so \(files) would be removed"
        case .empty: "the folder \(folder) is empty, so \(files) would be removed"
        case .unmounted:
            "the file system at \(folder) is no longer mounted, so \(files) would be removed"
        case .manyFiles: "\(files) in \(folder) are missing"
        }
    }
}

/// The treatment of a folder with a ``RemovalRisk``.
public enum RemovalDecision: Sendable, Hashable {
    /// Sync the folder and remove the entries of missing files.
    case remove
    /// Sync the folder and keep the entries of missing files.
    case keep
    /// Change nothing for the folder.
    case skipFolder
}
