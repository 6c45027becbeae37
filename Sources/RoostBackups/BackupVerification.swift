public import RoostModel

/// The result of verifying a backup repository.
public struct BackupVerification: Sendable {
    /// A corrupt or missing object of the repository, and the data that it affects.
    public struct Finding: Sendable {
        /// The path of the object in the repository, or the name of a segment.
        public var object: String
        /// A human-readable sentence that describes the fault.
        public var problem: String
        /// The ids of the snapshots that cannot be restored completely.
        public var snapshots: [String] = []
        /// The affected entries whose ids can still be read.
        public var entries: [Entry.ID] = []
        /// The number of affected entries, including those whose ids cannot be read.
        public var entryCount = 0
        /// The affected clusters whose ids can still be read.
        public var clusters: [Cluster.ID] = []
        /// The number of affected original files.
        public var documentCount = 0
    }

    /// The faults that were found.
    public var findings: [Finding] = []
    /// The snapshots that a newer version of Roost wrote. Their data is not checked, except for the contents
    /// of the packs.
    public var newerSnapshots: [BackupSnapshotList.Unreadable] = []
    /// The number of snapshots that could be read.
    public var snapshotCount = 0
    /// The number of packs that the indexes list.
    public var packCount = 0
    /// The number of segments that the indexes list.
    public var segmentCount = 0
    /// Whether the contents of all packs were verified. Otherwise, only their existence was checked.
    public var hasReadData = false
    /// The paths of packs that no index lists. They come from a backup that was interrupted or is still
    /// running. A prune removes them.
    public var strayPacks: [String] = []

    /// Whether all snapshots were checked and no fault was found.
    public var isSound: Bool { findings.isEmpty && newerSnapshots.isEmpty }
}
