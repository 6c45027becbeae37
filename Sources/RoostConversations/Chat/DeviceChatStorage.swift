public import Foundation
import RoostModel

/// A chat storage that keeps histories in a SQLite database at the platform's standard location: the
/// application support folder, or `$XDG_DATA_HOME` (by default `~/.local/share`) on Linux.
public struct DeviceChatStorage: ChatStorageDecorator {
    private let storage: SQLiteChatStorage
    /// The database storage to which all calls are forwarded.
    public var base: any ChatStorage { storage }

    /// Opens or creates the database `conversations.sqlite` in the application's folder.
    ///
    /// - Parameters:
    ///   - name: The name of the application's folder.
    ///   - folder: The parent folder; `nil` uses the platform's standard location.
    ///   - retention: The treatment of messages outside the window.
    /// - Throws: `StorageError`: `.invalidBatch` if `name` is not a valid folder name; the errors of
    ///   ``SQLiteChatStorage/init(databasePath:retention:)``.
    public init(
        name: String = "roost", folder: URL? = nil, retention: ChatRetention = .window
    ) throws {
        let directory = try ApplicationSupport.folder(name, in: folder)
        storage = try SQLiteChatStorage(
            databasePath: directory.appendingPathComponent("conversations.sqlite").path, retention: retention)
    }
}

extension DeviceChatStorage: MaintainedStorage {
    public func damage() async throws -> [ConversationDamage<ChatScope>] { try await storage.damage() }

}
