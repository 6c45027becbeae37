public import Foundation

/// The position of a reader in the change feed of a store. It can lie between two changes of the same commit.
///
/// A reader that stores the cursor can continue from it in another process.
public struct ChangeCursor: Sendable, Hashable, Codable {
    /// The history that the revisions belong to; `nil` before the first page.
    public var epoch: UUID?
    /// The revision of the last change that the reader has seen.
    public var revision: Revision
    /// The ordinal of the last change that the reader has seen.
    public var ordinal: UInt32
    /// The revision up to which removals had already been forgotten when the reader began. The reader has
    /// never seen the entries that were removed by then, so it does not need to learn of these removals.
    public var horizon: Revision

    /// Creates a cursor. This initializer is for storage providers; readers use ``start``, ``Stamp/cursor``
    /// and the cursors that pages return.
    public init(epoch: UUID?, revision: Revision, ordinal: UInt32, horizon: Revision) {
        self.epoch = epoch
        self.revision = revision
        self.ordinal = ordinal
        self.horizon = horizon
    }

    /// The position before the first change. The changes after it include every entry of the store.
    public static let start = ChangeCursor(epoch: nil, revision: .zero, ordinal: 0, horizon: .zero)
}
