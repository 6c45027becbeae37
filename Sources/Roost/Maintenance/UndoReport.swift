public import Foundation

/// The result of an undo.
public struct UndoReport: Sendable, Hashable, Encodable {
    /// The name of the operation that was undone.
    public var command: String
    /// The time of the operation.
    public var date: Date
    /// The number of entries that the operation had added, which the undo removes.
    public var removed: Int
    /// The number of entries that the operation had changed or removed, which the undo restores.
    public var restored: Int
    /// Whether the undo restores the clusters.
    public var restoresClusters: Bool

    /// Creates a report.
    public init(command: String, date: Date, removed: Int, restored: Int, restoresClusters: Bool = false) {
        self.command = command
        self.date = date
        self.removed = removed
        self.restored = restored
        self.restoresClusters = restoresClusters
    }
}
