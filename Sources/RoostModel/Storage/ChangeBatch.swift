/// Consecutive changes of a store, and the cursor after them.
public struct ChangeBatch: Sendable, Hashable {
    /// The changes in commit order; at least one.
    public var changes: [Change]
    /// The cursor from which the next changes follow. A reader can store it and continue from it later.
    public var next: ChangeCursor

    /// Creates a batch.
    public init(changes: [Change], next: ChangeCursor) {
        (self.changes, self.next) = (changes, next)
    }
}
