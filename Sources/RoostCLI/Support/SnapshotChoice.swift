import ArgumentParser
import RoostBackups

/// The snapshot that an argument selects, and the snapshots that could not be read meanwhile.
struct SnapshotChoice {
    let snapshot: BackupSnapshot
    /// The snapshots that cannot be read, one of which may be newer than ``snapshot``; empty unless the
    /// argument is `latest`.
    let unreadable: [BackupSnapshotList.Unreadable]

    /// Selects a snapshot.
    ///
    /// - Parameters:
    ///   - argument: The id of a snapshot, the beginning of one, or `latest`.
    ///   - repository: The repository that contains the snapshot.
    init(_ argument: String, in repository: BackupRepository) async throws {
        guard argument == "latest" else {
            snapshot = try await repository.snapshot(argument)
            unreadable = []
            return
        }
        let list = try await repository.snapshotList()
        snapshot = try list.latest()
        unreadable = list.unreadable
    }

    /// Prints a message for each snapshot that could not be read, and ends the command with a status that
    /// reports them.
    func reportUnreadable() throws { try Self.report(unreadable, "; it may be newer than the one used here") }

    /// Prints a message for each snapshot of a list that cannot be read, and ends the command with a status
    /// that reports them.
    static func reportUnreadable(_ list: BackupSnapshotList) throws { try report(list.unreadable, "") }

    private static func report(_ unreadable: [BackupSnapshotList.Unreadable], _ consequence: String) throws {
        guard !unreadable.isEmpty else { return }
        for snapshot in unreadable {
            let isDamaged = snapshot.error.code == .damaged
            let step =
                isDamaged
                ? "remove it with `roost backup forget \(snapshot.id.prefix(12))`"
                : "upgrade Roost to read it"
            Terminal.error("roost: \(snapshot.error.message)\(consequence); \(step)")
        }
        throw ExitCode(ExitStatus.badData.rawValue)
    }
}
