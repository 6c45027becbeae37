import Foundation
import RoostModel

/// Where the platform keeps what programs know: the application support folder, `$XDG_DATA_HOME` or
/// `~/.local/share` on Linux.
enum ApplicationSupport {
    static func folder(_ name: String, in given: URL?) throws -> URL {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw StorageError.invalid("'\(name.prefix(60))' is no name of a folder")
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
