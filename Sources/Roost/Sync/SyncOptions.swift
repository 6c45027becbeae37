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
