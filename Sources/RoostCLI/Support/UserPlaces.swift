import Foundation
import Roost
import RoostRemote

/// Where this user's models, settings and default store are (XDG Base Directory Specification).
struct UserPlaces {
    private let environment: [String: String]
    private let home: URL

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
        home =
            environment["HOME"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser
    }

    private func folder(_ variable: String, _ fallback: String) -> URL {
        // The specification has relative paths ignored.
        if let path = environment[variable], path.hasPrefix("/") { return URL(fileURLWithPath: path) }
        return home.appendingPathComponent(fallback)
    }

    var data: URL { folder("XDG_DATA_HOME", ".local/share").appendingPathComponent("roost") }

    var defaultStore: URL { data.appendingPathComponent("store") }

    var models: ModelLibrary {
        let named = environment["ROOST_MODELS"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
        return ModelLibrary(directory: named ?? data.appendingPathComponent("models"))
    }

    var configurationFile: URL {
        folder("XDG_CONFIG_HOME", ".config").appendingPathComponent("roost/config.json")
    }

    /// The store that `$ROOST_STORE` names.
    var environmentStore: URL? {
        environment["ROOST_STORE"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
    }
}

/// The user's settings: a JSON object of strings.
struct UserConfiguration {
    static let keys = [
        "label-endpoint":
            "where the chat model that names clusters is asked; remote-endpoint where it is not set",
        "label-key-file":
            "a file with the key that label-endpoint wants (or the key itself in $ROOST_LABEL_KEY)",
        "label-model":
            "the chat model that `cluster autolabel` asks; without one, keywords name the clusters",
        "limit": "how many hits `query` and `similar` show",
        "model": "the model of new stores: minilm, lexical, an installed one's name, or remote:NAME",
        "provider": "how new stores are kept: sqlite or json",
        "remote-endpoint":
            "where remote models are asked, as http://localhost:11434/v1 (or $ROOST_REMOTE_ENDPOINT)",
        "remote-key-file": "a file with the key that they want (or the key itself in $ROOST_REMOTE_KEY)",
        "s3-endpoint":
            "the server of s3:// places, as https://minio.example:9000 (or $AWS_ENDPOINT_URL_S3); "
            + "Amazon's where it is not set",
        "s3-region": "its region (or $AWS_REGION); us-east-1 where it is not set",
    ]

    let file: URL
    private(set) var values: [String: String]

    init(_ file: URL) throws {
        self.file = file
        guard FileManager.default.fileExists(atPath: file.path) else {
            values = [:]
            return
        }
        guard let data = try? Data(contentsOf: file),
            let values = try? JSONDecoder().decode([String: String].self, from: data)
        else {
            throw CommandError(
                .configuration, "\(file.path) is not a JSON object of strings; mend or remove it")
        }
        self.values = values
    }

    /// A setting that is used: checked here, so that a bad one stops only what depends on it.
    func value(of key: String) throws -> String? {
        guard let value = values[key] else { return nil }
        do {
            try Self.check(key, value)
        } catch let error as CommandError {
            throw CommandError(.configuration, "\(file.path): \(error.message)")
        }
        return value
    }

    static func check(_ key: String, _ value: String) throws {
        switch key {
        case "limit":
            guard let limit = Int(value), limit > 0 else {
                throw CommandError(.configuration, "limit takes a whole number above 0, not '\(value)'")
            }
        case "provider":
            guard StoreManifest.Provider(rawValue: value) != nil else {
                throw CommandError(.configuration, "provider is sqlite or json, not '\(value)'")
            }
        case "label-model":
            guard value.contains(where: { !$0.isWhitespace }) else {
                throw CommandError(.configuration, "label-model takes a model's name")
            }
        case "label-endpoint", "remote-endpoint":
            _ = try RemoteModel(endpoint: value, name: "any")
        case "s3-endpoint": try BucketSettings.check(endpoint: value)
        case "s3-region": try BucketSettings.check(region: value)
        case "label-key-file", "remote-key-file":
            guard value.hasPrefix("/") else {
                throw CommandError(.configuration, "\(key) takes a whole path, which begins with /")
            }
        case "model" where value.hasPrefix(EmbedderChoice.remotePrefix): break
        case "model":
            let models = UserPlaces().models
            let name = value.split(separator: ":").first.map(String.init) ?? ""
            guard
                value == "lexical" || value == name
                    || ["int8", "float32"].contains(value.dropFirst(name.count + 1)),
                value == "lexical" || ModelLibrary.aliases[name] != nil || models.names().contains(name)
            else {
                throw CommandError(
                    .configuration,
                    "there is no model '\(Terminal.line(value, limit: 60))'; `roost model list` shows them")
            }
        default:
            throw CommandError(
                .usage,
                "there is no setting '\(key)'; there are \(keys.keys.sorted().joined(separator: ", "))")
        }
    }

    mutating func set(_ key: String, _ value: String?) throws {
        if let value {
            try Self.check(key, value)
        } else if Self.keys[key] == nil, values[key] == nil {
            try Self.check(key, "")
        }
        values[key] = value
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try encoder.encode(values).write(to: file, options: .atomic)
        } catch {
            throw CommandError(.cannotCreate, "cannot write \(file.path)")
        }
    }
}
