/// The parameters of watching folders.
public struct WatchOptions: Sendable {
    /// Receives reports.
    public var onEvent: @Sendable (WatchEvent) -> Void = { _ in }
    /// Called with the number of entries before entries are removed, for example to create a backup.
    public var willRemove: @Sendable (Int) async throws -> Void = { _ in }
    /// Called with the remembered folders whenever their list has been read. An error ends the watch.
    public var check: @Sendable ([SyncedFolder]) throws -> Void = { _ in }
    /// Called when nothing has changed for some seconds after a sync, for example to update the index.
    public var onIdle: @Sendable () async -> Void = {}
    /// The time between two searches of all folders, if the system cannot report changes.
    public var pollingInterval = Duration.seconds(5)
    /// The time for which the entries of a missing file are kept: editors and file managers remove a file
    /// and create it again.
    public var removalDelay = Duration.seconds(2)
    /// The observer of the folders; `nil` for the best one that the system supports.
    var observer: (any FolderObserver)?

    /// Creates options with default values.
    public init() {}
}
