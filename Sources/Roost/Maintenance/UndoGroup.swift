import Foundation
import Synchronization

/// The commits of one request to a process that serves a store, which ``KnowledgeStore/undo(isDryRun:)``
/// undoes as a unit. They are the commits of the task in which ``run(_:)`` calls its function, and of the
/// tasks that this task starts.
package final class UndoGroup: Sendable {
    /// The group of the current task; `nil` outside of a request.
    @TaskLocal package static var current: UndoGroup?

    let id = UUID()
    private let hasRecord = Mutex(false)

    package init() {}

    /// Calls a function whose commits belong to one group: that of the current task, or else a new one.
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await $current.withValue(current ?? UndoGroup(), operation: body)
    }

    /// Notes that a commit of the group is recorded, and returns whether it is the first one.
    func begin() -> Bool {
        hasRecord.withLock { hasRecord in
            defer { hasRecord = true }
            return !hasRecord
        }
    }
}
