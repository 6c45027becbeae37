import Foundation
import RoostModel

/// The latest state of a store that a process had seen before a call. The head that the call receives must
/// not be older.
struct HeadCheck {
    /// The epoch of the state; `nil` if the process has not seen any.
    let epoch: UUID?
    let revision: Revision

    /// - Throws: `StorageError` with `.damaged` if a head has an older revision of the same epoch.
    func check(_ head: Head) throws {
        guard epoch != head.epoch || revision <= head.revision else {
            throw StorageError(
                .damaged,
                "the server has revision \(head.revision) of the store, but this process has seen revision "
                    + "\(revision): the database was restored or failed over to an older state. Begin a new "
                    + "epoch, so that all clients read the store again",
                remedy: .repairStore)
        }
    }
}
