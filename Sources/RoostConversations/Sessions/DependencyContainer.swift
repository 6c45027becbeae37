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
