import RoostModel
import Synchronization

/// Whether the snapshots of a storage can search passages. All snapshots of a storage are alike, so only the
/// first search asks; another snapshot for every search would take a noticeable part of its time.
final class PassageSearchSupport: Sendable {
    private let known = Mutex<Bool?>(nil)

    /// Whether the storage cannot search; `false` if this is not known yet.
    var isKnownToBeMissing: Bool { known.withLock { $0 == false } }

    func record(_ isSupported: Bool) { known.withLock { $0 = isSupported } }
}
