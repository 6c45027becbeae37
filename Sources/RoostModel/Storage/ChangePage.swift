/// The result of reading the changes after a cursor.
public enum ChangePage: Sendable, Hashable {
    /// Changes in commit order.
    ///
    /// - Parameters:
    ///   - next: The cursor from which the next page follows. For a store without commits it is
    ///     ``ChangeCursor/start``.
    ///   - isLast: Whether the page contained all remaining changes when it was read.
    case changes([Change], next: ChangeCursor, isLast: Bool)
    /// The store cannot continue from the cursor: the store was restored or repaired, or it has forgotten
    /// removals that the reader has not seen. The reader must discard its derived data and begin at
    /// ``ChangeCursor/start``.
    case resetRequired
}
