import RoostModel

/// The snapshots of a repository, including those that cannot be read.
public struct BackupSnapshotList: Sendable {
    /// A snapshot that cannot be read.
    public struct Unreadable: Sendable, Identifiable {
        /// The complete name of the snapshot.
        public let id: String
        /// The cause: ``BackupError`` with `.damaged` or `.newerFormat`.
        public let error: BackupError
    }

    /// The snapshots that can be read, oldest first.
    public internal(set) var snapshots: [BackupSnapshot] = []
    /// The snapshots that cannot be read, in the order of their names.
    public internal(set) var unreadable: [Unreadable] = []

    /// Creates an empty list.
    public init() {}

    /// Returns the newest of the snapshots that can be read.
    ///
    /// If ``unreadable`` is not empty, one of those may be newer.
    ///
    /// - Throws: ``BackupError`` with `.notFound` if the repository has no snapshots, or snapshots of several
    ///   stores; the error of the first of ``unreadable`` if no snapshot can be read.
    public func latest() throws -> BackupSnapshot {
        guard let last = snapshots.last else {
            guard let first = unreadable.first else {
                throw BackupError(
                    .notFound, "cannot select the latest snapshot: the backup repository is empty",
                    remedy: .createBackup)
            }
            throw first.error
        }
        guard snapshots.allSatisfy({ $0.stamp.store == last.stamp.store }) else {
            throw BackupError(
                .notFound,
                "cannot select the latest snapshot: the backup repository has snapshots of several stores",
                remedy: .chooseSnapshot)
        }
        return last
    }
}
