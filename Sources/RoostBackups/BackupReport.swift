/// The result of a backup.
public struct BackupReport: Sendable {
    /// The snapshot that was created.
    public var snapshot: BackupSnapshot
    /// The total size in bytes of the packs, the index and the snapshot that were written.
    public var writtenBytes: Int
    /// The number of segments in the snapshot that the repository did not have before.
    public var newSegments: Int
    /// The total number of segments in the snapshot.
    public var segments: Int
    /// The SHA-256 digests of original files that are corrupt. The snapshot does not contain them.
    public var damagedDocuments: [String] = []
    /// The paths of packs in the repository that are missing or have a wrong length, and whose data this
    /// backup did not write again because its snapshot does not need all of it. Older snapshots are
    /// incomplete.
    public var incompletePacks: [String] = []
    /// The reason why old snapshots could not be removed after the backup; `nil` if they were, or if none had
    /// to be. The snapshot itself is complete, but the repository grows until the cause is corrected.
    public var retentionFailure: String?
}
