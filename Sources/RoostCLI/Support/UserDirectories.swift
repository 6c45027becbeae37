import Foundation
import Roost

/// The locations of the user's models, settings and default store, according to the XDG Base Directory
/// Specification.
struct UserDirectories {
    private let environment: [String: String]
    private let home: URL

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
        home =
            environment["HOME"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser
    }

    private func folder(_ variable: String, _ fallback: String) -> URL {
        // The specification requires that relative paths be ignored.
        if let path = environment[variable], path.hasPrefix("/") { return URL(fileURLWithPath: path) }
        return home.appendingPathComponent(fallback)
    }

    var data: URL { folder("XDG_DATA_HOME", ".local/share").appendingPathComponent("roost") }

    var defaultStore: URL { data.appendingPathComponent("store") }

    /// The file with the token of `roost serve`.
    var serverToken: URL { data.appendingPathComponent("server-token") }

    var models: ModelLibrary { .ofUser(environment) }

    var configurationFile: URL {
        folder("XDG_CONFIG_HOME", ".config").appendingPathComponent("roost/config.json")
    }

    /// The addresses of the servers of the user's stores in PostgreSQL.
    var serversFile: URL {
        configurationFile.deletingLastPathComponent().appendingPathComponent("servers.json")
    }

    /// The store that `$ROOST_STORE` names; `nil` if it is unset or empty.
    var environmentStore: URL? {
        environment["ROOST_STORE"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
    }
}
