import RoostModel

/// The rules that all session storages of this package share.
enum SessionRules {
    static let missing = StorageError(.notFound, "session not found")

    /// The maximum length of a session id in bytes.
    private static let maximumIDLength = 4096

    /// Validates the id of a session.
    ///
    /// - Throws: `StorageError` with `.invalidBatch`.
    static func check(id: String) throws {
        guard !id.isEmpty else { throw StorageError.invalid("invalid session id: it is empty") }
        guard id.utf8.count <= maximumIDLength else {
            throw StorageError.invalid(
                "invalid session id: it exceeds the limit of \(maximumIDLength) bytes")
        }
    }

    static let clash = StorageError.conflict(
        "cannot change the session id: another session has the new id")
}
