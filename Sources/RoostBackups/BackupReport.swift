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
    /// The reason why old snapshots could not be removed after the backup; `nil` if they were, or if none had
    /// to be. The snapshot itself is complete, but the repository grows until the cause is corrected.
    public var retentionFailure: String?
}
