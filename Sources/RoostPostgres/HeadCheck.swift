import Foundation
import RoostModel

/// The latest state of a store that a process had seen before a call. The head that the call receives must
/// belong to the same history and must not be older.
///
/// A database that was restored or failed over to an older state has a lower revision until other clients
/// write to it. After that, the commit with the revision that the process has seen has another batch. The
/// batches are compared, and not the identity of the server, because a failover that loses nothing needs no
/// action.
struct HeadCheck {
    /// The epoch of the state; `nil` if the process has not seen any.
    let epoch: UUID?
    let revision: Revision
    /// The id of the batch of the revision; `nil` if it is not known.
    let batch: UUID?

    /// - Parameters:
    ///   - head: The received head.
    ///   - found: The batch of ``revision`` on the server; `nil` if there is no record.
    /// - Throws: `StorageError` with `.damaged` if the head belongs to the same epoch, and has an older
    ///   revision or another history.
    func check(_ head: Head, found: UUID?) throws {
        guard epoch == head.epoch else { return }
        guard revision <= head.revision else {
            throw Self.changed(
                "the server has revision \(head.revision) of the store, but this process has seen revision "
                    + "\(revision)")
        }
        // A compaction deletes the records of old commits, so a missing one proves nothing.
        guard let batch, let found, found != batch else { return }
        throw Self.changed(
            "revision \(revision) of the store on the server differs from the one that this process has seen")
    }

    private static func changed(_ fact: String) -> StorageError {
        StorageError(
            .damaged,
            "\(fact): the database was restored or failed over to an older state. Begin a new epoch, so that "
                + "all clients read the store again",
            remedy: .repairStore)
    }
}
