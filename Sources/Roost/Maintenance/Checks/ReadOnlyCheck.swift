import Foundation
import RoostModel

/// Reports a store that can only be read.
struct ReadOnlyCheck: StoreFileCheck {
    func findings(in configuration: StoreConfiguration) -> [StorageFinding] {
        guard StoreConfiguration.isReadOnly(configuration.directory) else { return [] }
        return [
            .note(
                configuration.directory.path,
                "the folder is read-only: it is on a read-only file system, or the permission to write is "
                    + "missing")
        ]
    }
}
