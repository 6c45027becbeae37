public import Foundation
import RoostModel

/// The result of copying sessions from one storage to another.
public struct SessionMigrationReport: Sendable, Hashable {
    /// The number of sessions that were copied.
    public var moved = 0
    /// The number of sessions that were not copied because the target already had the same session, possibly
    /// with further messages.
    public var unchanged = 0
    /// The number of copied sessions whose dates the target could not store.
    public var withoutDates = 0
    /// The ids of sessions that were not copied, because the target has a different session with the same id.
    public var conflicts: [String] = []
    /// The data in the source that could not be read and was therefore not copied.
    public var unreadable: [ConversationDamage<String>] = []
}

/// Copies all readable sessions from one storage to another. The source does not change.
///
/// The most recently accessed session is copied last, so that the order is preserved even if the target does
/// not store dates. Each copy is read back and compared with the original. If the migration is interrupted,
/// calling the function again copies the remaining sessions.
///
/// If the target already has a session with the same id, that session is replaced only if its first user
/// message is the same and the session in the source continues it. A session in the target is not changed if
/// it has further messages or is a different session.
///
/// - Parameters:
///   - source: The storage to copy from.
///   - target: The storage to copy to.
/// - Returns: A report of the sessions that were copied and skipped.
/// - Throws: The errors of the storages; `StorageError` with `.damaged` if the target returns a session
///   that differs from the copied one. The sessions that were copied before remain in the target.
@discardableResult
public func migrateSessions(
    from source: any SessionStorageProtocol, to target: any SessionStorageProtocol
) async throws -> SessionMigrationReport {
    var report = SessionMigrationReport()
    var innermost: any SessionStorageProtocol = source
    while let decorator = innermost as? any SessionStorageDecorator { innermost = try await decorator.base }
    if let maintained = innermost as? any MaintainedStorage<String> {
        report.unreadable = try await maintained.damage()
    }
    for session in try await source.getAllSessions().reversed() {
        try Task.checkCancellation()
        func isSame(_ other: StoredSession) -> Bool {
            other.firstUserMessage == session.firstUserMessage && other.messages == session.messages
        }
        let existing = try await target.getSession(id: session.id)
        if existing == session {
            report.unchanged += 1
            continue
        }
        if let existing {
            guard existing.firstUserMessage == session.firstUserMessage else {
                report.conflicts.append(session.id)
                continue
            }
            let isContinued = existing.messages.starts(with: session.messages)
            let isOlder = session.messages.starts(with: existing.messages)
            if isContinued, !isOlder || existing.lastAccessedAt >= session.lastAccessedAt {
                report.unchanged += 1
                continue
            }
            guard isOlder else {
                report.conflicts.append(session.id)
                continue
            }
        }
        let keptDates = try await target.importSession(session)
        guard let written = try await target.getSession(id: session.id), isSame(written),
            !keptDates || written == session
        else {
            throw StorageError(
                .damaged,
                "cannot copy a session: the target storage did not return the data that was written")
        }
        report.moved += 1
        if !keptDates { report.withoutDates += 1 }
    }
    return report
}

/// Deletes sessions that have not been accessed since a given time.
///
/// - Parameters:
///   - storage: The storage to delete from.
///   - date: Sessions whose last access was before this time are deleted.
///   - keep: The number of most recently accessed sessions that are always kept.
///   - isDryRun: Whether to return the ids without deleting the sessions.
/// - Returns: The ids of the sessions that were deleted, or that would be deleted in a dry run.
/// - Throws: The errors of the storage. Some sessions may have been deleted in that case.
@discardableResult
public func pruneSessions(
    in storage: any SessionStorageProtocol, accessedBefore date: Date, keeping keep: Int = 0,
    isDryRun: Bool = false
) async throws -> [String] {
    let old = try await storage.getAllSessions().dropFirst(max(0, keep))
        .filter { $0.lastAccessedAt < date }.map(\.id)
    guard !isDryRun else { return old }
    var deleted: [String] = []
    for id in old {
        // The session may have been accessed after the sessions were listed.
        guard let session = try await storage.getSession(id: id), session.lastAccessedAt < date else {
            continue
        }
        try await storage.deleteSession(id: id)
        deleted.append(id)
    }
    return deleted
}
