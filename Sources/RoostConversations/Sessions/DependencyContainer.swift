public import Foundation
import RoostModel

/// Provides the parts of an application with a session storage: a custom one or, by default, a SQLite
/// database in the platform's application support folder.
public struct DependencyContainer {
    /// The location of the application's data.
    public let globalPreferences: GlobalPreferencesStorage
    /// The session storage of the application.
    public let sessionStorage: any SessionStorageProtocol

    /// Creates a container.
    ///
    /// - Parameters:
    ///   - globalPreferences: The location of the application's data.
    ///   - customSessionStorage: The session storage; `nil` uses the default database, which is opened when
    ///     it is first used. That call throws an error if the database cannot be opened.
    public init(
        globalPreferences: GlobalPreferencesStorage,
        customSessionStorage: (any SessionStorageProtocol)? = nil
    ) {
        self.globalPreferences = globalPreferences
        sessionStorage = customSessionStorage ?? DefaultSessionStorage(globalPreferences)
    }
}

/// The location of an application's data.
public struct GlobalPreferencesStorage: Sendable, Hashable {
    /// The name of the application's folder.
    public var name: String
    /// The parent folder; `nil` uses the platform's application support folder (``DeviceChatStorage``).
    public var folder: URL?

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - name: The name of the application's folder.
    ///   - folder: The parent folder; `nil` uses the platform's standard location.
    public init(name: String = "roost", folder: URL? = nil) { (self.name, self.folder) = (name, folder) }
}

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

/// The platform's folder for application data: the application support folder on Apple platforms,
/// `$XDG_DATA_HOME` or `~/.local/share` on Linux.
enum ApplicationSupport {
    /// Returns the folder of an application.
    static func folder(_ name: String, in given: URL?) throws -> URL {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw StorageError.invalid("'\(name.prefix(60))' is not a valid folder name")
        }
        let base = given ?? platformFolder
        return base.appendingPathComponent(name, isDirectory: true)
    }

    private static var platformFolder: URL {
        #if os(Linux)
            let environment = ProcessInfo.processInfo.environment
            if let named = environment["XDG_DATA_HOME"], named.hasPrefix("/") {
                return URL(fileURLWithPath: named)
            }
            return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
        #else
            return URL.applicationSupportDirectory
        #endif
    }
}
