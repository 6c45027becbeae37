import RoostModel

/// The version of the stored form of conversations in files and in the user defaults.
enum ConversationSchema {
    static let current = 1

    /// Refuses data that a newer program wrote.
    ///
    /// - Throws: `StorageError`: `.newerFormat`; `.damaged` if the version is not a positive number.
    static func check(_ stored: Int, in location: String) throws {
        guard stored > 0 else {
            throw StorageError(.damaged, "cannot open \(location): invalid schema version \(stored)")
        }
        guard stored <= current else {
            throw StorageError(
                .newerFormat,
                "cannot open \(location): schema version \(stored) is newer than this version supports "
                    + "(\(current))", remedy: .upgradeRoost)
        }
    }
}
