public import Foundation
import RoostModel

/// Histories where the platform keeps what programs know, durably: a SQLite database in the application
/// support folder of the user.
public struct DeviceChatStorage: ChatStorageDecorator {
    private let storage: SQLiteChatStorage
    public var base: any ChatStorage { storage }

    /// - Parameters:
    ///   - name: of the program, or of what the histories are of: a folder's name.
    ///   - folder: `nil` takes the platform's.
    /// - Throws: ``StorageError``; `.invalidBatch` for a name that is no folder's.
    public init(
        name: String = "roost", folder: URL? = nil, retention: ChatRetention = .window
    ) throws {
        let place = try ApplicationSupport.folder(name, in: folder)
        storage = try SQLiteChatStorage(
            databasePath: place.appendingPathComponent("conversations.sqlite").path, retention: retention)
    }
}

extension DeviceChatStorage: MaintainedStorage {
    public static let schemaVersion = SQLiteChatStorage.schemaVersion

    @discardableResult
    public func migrateIfNeeded() async throws -> Int { try await storage.migrateIfNeeded() }

    public func damage() async throws -> [ConversationDamage<ChatScope>] { try await storage.damage() }

    public func setDamagedAside() async throws -> [ConversationDamage<ChatScope>] {
        try await storage.setDamagedAside()
    }
}
