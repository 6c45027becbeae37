public import Foundation

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
