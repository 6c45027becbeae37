public import Foundation
import RoostModel

/// What a move of sessions did.
public struct SessionMigrationReport: Sendable, Hashable {
    public var moved = 0
    /// Sessions that the target had already: just so, or gone on with there.
    public var unchanged = 0
    /// Sessions whose dates the target could not keep.
    public var withoutDates = 0
    /// The ids of sessions that the target has otherwise: they were left alone.
    public var conflicts: [String] = []
    /// What of the source could not be read, and was not copied.
    public var unreadable: [ConversationDamage<String>] = []
}

/// Copies all sessions of one storage into another that can be read; the source stays as it is.
///
/// The last accessed comes last, so that the order stays also where dates are not kept. Each session is
/// compared after it was written. A move that was stopped is gone on with by the next one. A session that the
/// target has already is replaced only where it began with the same words, and the source has its messages
/// and more; one that went on in the target, or is another, is left alone.
/// - Throws: what the storages throw; ``StorageError`` with `.damaged` where the target gives back others
///   than it was given. What was moved before is there.
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
        let there = try await target.getSession(id: session.id)
        if there == session {
            report.unchanged += 1
            continue
        }
        if let there {
            guard there.firstUserMessage == session.firstUserMessage else {
                report.conflicts.append(session.id)
                continue
            }
            let isContinued = there.messages.starts(with: session.messages)
            let isOlder = session.messages.starts(with: there.messages)
            if isContinued, !isOlder || there.lastAccessedAt >= session.lastAccessedAt {
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
            throw StorageError(.damaged, "the storage that sessions are moved to gives back others")
        }
        report.moved += 1
        if !keptDates { report.withoutDates += 1 }
    }
    return report
}

/// Removes sessions that were not accessed for long.
///
/// - Parameters:
///   - date: those accessed before it go.
///   - keep: so many of the last accessed stay whatever their dates.
/// - Returns: the ids of those that went, or would.
@discardableResult
public func pruneSessions(
    in storage: any SessionStorageProtocol, accessedBefore date: Date, keeping keep: Int = 0,
    isDryRun: Bool = false
) async throws -> [String] {
    let old = try await storage.getAllSessions().dropFirst(max(0, keep))
        .filter { $0.lastAccessedAt < date }.map(\.id)
    guard !isDryRun else { return old }
    var gone: [String] = []
    for id in old {
        // Somebody may have gone on with it meanwhile.
        guard let session = try await storage.getSession(id: id), session.lastAccessedAt < date else {
            continue
        }
        try await storage.deleteSession(id: id)
        gone.append(id)
    }
    return gone
}
