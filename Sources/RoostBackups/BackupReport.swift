/// The result of a backup.
public struct BackupReport: Sendable {
    /// The snapshot that was created.
    public var snapshot: BackupSnapshot
    /// The number of bytes of packs, index and snapshot that were written.
    public var writtenBytes: Int
    /// The number of the snapshot's segments that the repository did not have before.
    public var newSegments: Int
    /// The number of all segments of the snapshot.
    public var segments: Int
    /// The SHA-256 digests of original files that are corrupt. The snapshot does not contain them.
    public var damagedDocuments: [String] = []
}
