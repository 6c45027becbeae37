import Foundation
import RoostFiles
import RoostModel

/// Reports the process that holds the writers' lock.
struct LockCheck: StoreFileCheck {
    /// The maximum length of a lock holder's description in bytes.
    private static let maximumLength = 200

    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        let url = StoreConfiguration.lockURL(configuration.directory)
        if let lock = try? FileLock.shared(url) {
            lock.release()
            return []
        }
        guard let data = FileManager.default.contents(atPath: url.path) else { return [] }
        let holder = String(decoding: data.prefix(Self.maximumLength), as: UTF8.self)
        return [.note(url.path, "is held by \(holder.trimmingCharacters(in: .whitespacesAndNewlines))")]
    }
}
