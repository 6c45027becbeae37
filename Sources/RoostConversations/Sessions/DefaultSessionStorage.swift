import Foundation

/// The default storage, which is opened when it is first used.
actor DefaultSessionStorage: SessionStorageDecorator {
    private let preferences: GlobalPreferencesStorage
    private var opened: SQLiteSessionStorage?

    init(_ preferences: GlobalPreferencesStorage) { self.preferences = preferences }

    var base: any SessionStorageProtocol & Sendable {
        get throws {
            if let opened { return opened }
            let directory = try ApplicationSupport.folder(preferences.name, in: preferences.folder)
            let storage = try SQLiteSessionStorage(
                databasePath: directory.appendingPathComponent("conversations.sqlite").path)
            opened = storage
            return storage
        }
    }
}
