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
        sessionStorage = customSessionStorage ?? SQLiteSessionStorage(globalPreferences)
    }
}

/// The location of an application's data.
public struct GlobalPreferencesStorage: Sendable, Hashable {
    /// The name of the application's folder.
    public var name: String
    /// The parent folder; `nil` uses the application support folder on Apple platforms, and `$XDG_DATA_HOME` or
    /// `~/.local/share` on Linux.
    public var folder: URL?

    /// Creates a location.
    public init(name: String = "roost", folder: URL? = nil) { (self.name, self.folder) = (name, folder) }

    /// Returns the path of the application's database of conversations.
    func databasePath() throws -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw StorageError.invalid("'\(name.prefix(60))' is not a valid folder name")
        }
        let directory = (folder ?? Self.platformFolder).appendingPathComponent(name, isDirectory: true)
        return directory.appendingPathComponent("conversations.sqlite").path
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
