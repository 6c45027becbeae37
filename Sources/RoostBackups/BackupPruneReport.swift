/// The result of a prune, or of its dry run.
public struct BackupPruneReport: Sendable {
    /// The snapshots that were removed.
    public var forgotten: [BackupSnapshot] = []
    /// The snapshots that remain.
    public var kept: [BackupSnapshot] = []
    /// The number of packs that were removed. A pack is removed if it is unused, or after the segments that
    /// are still in use have been copied to another pack.
    public var removedPacks = 0
    /// The number of packs that were written to hold segments from removed packs.
    public var writtenPacks = 0
    /// The number of segments that no remaining snapshot uses.
    public var removedSegments = 0
    /// The total size of all packs before the prune.
    public var bytesBefore = 0
    /// The total size of all packs after the prune.
    public var bytesAfter = 0
    /// Whether this was a dry run, which changes nothing.
    public var isDryRun = false
}
