/// A page of a snapshot's entries, headers or vectors, which is read with one call.
public protocol SnapshotPage: Sendable {
    /// The row after which the next page begins; `nil` on the last page.
    var next: UInt32? { get }
}

extension EntryPage: SnapshotPage {}
extension HeaderPage: SnapshotPage {}
extension VectorPage: SnapshotPage {}
