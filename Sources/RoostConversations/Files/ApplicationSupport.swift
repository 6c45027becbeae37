import Foundation
import RoostModel

/// The platform's folder for application data: the application support folder on Apple platforms,
/// `$XDG_DATA_HOME` or `~/.local/share` on Linux.
enum ApplicationSupport {
    /// Returns the folder of an application.
    ///
    /// - Parameters:
    ///   - name: The name of the application's folder.
    ///   - given: The parent folder; `nil` uses the platform's standard location.
    /// - Throws: `StorageError` with `.invalidBatch` if the name is not a valid folder name.
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
