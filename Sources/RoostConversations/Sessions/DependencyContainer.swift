public import Foundation
import RoostModel

/// What a program's parts have in common beside the sessions: where it keeps what it knows.
public struct GlobalPreferencesStorage: Sendable, Hashable {
    /// The folder of the application support folder that is the program's.
    public var name: String
    /// `nil` takes the platform's application support folder.
    public var folder: URL?

    public init(name: String = "roost", folder: URL? = nil) { (self.name, self.folder) = (name, folder) }
}

/// Hands a program's parts the storage of its sessions: its own, or else a SQLite database in the platform's
/// application support folder.
public struct DependencyContainer {
    public let globalPreferences: GlobalPreferencesStorage
    public let sessionStorage: any SessionStorageProtocol

    /// - Parameter customSessionStorage: `nil` takes the default, which is opened with its first use, and
    ///   throws there what keeps it from being opened.
    public init(
        globalPreferences: GlobalPreferencesStorage,
        customSessionStorage: (any SessionStorageProtocol)? = nil
    ) {
        self.globalPreferences = globalPreferences
        sessionStorage = customSessionStorage ?? DefaultSessionStorage(globalPreferences)
    }
}

/// The default storage, opened when it is needed.
actor DefaultSessionStorage: SessionStorageDecorator {
    private let preferences: GlobalPreferencesStorage
    private var opened: SQLiteSessionStorage?

    init(_ preferences: GlobalPreferencesStorage) { self.preferences = preferences }

    var base: any SessionStorageProtocol & Sendable {
        get throws {
            if let opened { return opened }
            let place = try ApplicationSupport.folder(preferences.name, in: preferences.folder)
            let storage = try SQLiteSessionStorage(
                databasePath: place.appendingPathComponent("conversations.sqlite").path)
            opened = storage
            return storage
        }
    }
}
