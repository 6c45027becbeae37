public import Foundation

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
