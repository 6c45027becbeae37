import ArgumentParser
import Foundation
import Roost
import RoostFiles
import RoostModel
import RoostRemote

/// The user's settings, stored as a JSON object of strings.
struct UserConfiguration {
    static let keys = [
        "backups":
            "The absolute path of the folder for the backups of all stores. Default: ~/.local/share/roost/backups.",
        "converter.EXT":
            "A program and its first arguments, such as 'pandoc -f org -t gfm', that gets the path of a file "
            + "with the extension EXT and writes Markdown.",
        "label-endpoint": "The URL of the chat model's server. Default: remote-endpoint.",
        "label-key-file": "The absolute path of a file that contains the API key for label-endpoint.",
        "label-model": "The chat model for `roost cluster autolabel`.",
        "limit": "The maximum number of hits of `roost query`. Default: 10.",
        "model": "The model for new stores: minilm, lexical, NAME or remote:NAME.",
        "provider": "The storage format of new stores: sqlite or json.",
        "postgres-url": "The PostgreSQL server for `roost init --provider postgres`, without a password.",
        "remote-endpoint": "The URL of the server for remote models, such as http://localhost:11434/v1.",
        "remote-key-file": "The absolute path of a file that contains the API key for remote-endpoint.",
        "rerank-endpoint":
            "The URL of the server for `roost query --rerank remote:NAME`. Default: remote-endpoint.",
        "rerank-key-file": "The absolute path of a file that contains the API key for rerank-endpoint.",
        "search-in":
            "The place where the vectors of a store in PostgreSQL are searched: client or database. Default: "
            + "by the size of the store.",
        "stop-words":
            "The absolute path of a file with words, separated by white space, that do not occur in the labels of "
            + "clusters.",
        "s3-endpoint": "The URL of the S3 server, such as https://minio.example:9000. Default: AWS.",
        "s3-region": "The region of the S3 server. Default: us-east-1.",
    ]

    private let store: StringFile
    private(set) var values: [String: String]

    var file: URL { store.file }

    /// Reads the settings from a file; the default is that of the user.
    init(_ file: URL = UserDirectories().configurationFile) throws {
        store = StringFile(file: file, name: "settings")
        values = try store.read()
    }

    private static let converterPrefix = "converter."

    /// Returns the commands of converters by the extensions of files.
    func converters() throws -> [String: String] {
        var converters: [String: String] = [:]
        for key in values.keys where key.hasPrefix(Self.converterPrefix) {
            converters[String(key.dropFirst(Self.converterPrefix.count))] = try value(of: key)
        }
        return converters
    }

    /// Returns the words of the file `stop-words` in lower case.
    func stopWords() throws -> Set<String> {
        guard let path = try value(of: "stop-words") else { return [] }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(.configuration, "cannot read the file of the setting stop-words, \(path)")
        }
        return Set(text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }

    static func isKnown(_ key: String) -> Bool { keys[key] != nil || key.hasPrefix(converterPrefix) }

    /// Returns the value of a setting.
    ///
    /// The value is checked here, not when the file is read, so that an invalid setting affects only the
    /// commands that use it.
    func value(of key: String) throws -> String? {
        guard let value = values[key] else { return nil }
        do {
            try Self.check(key, value)
        } catch let error as CommandError {
            throw CommandError(.configuration, "\(file.path): \(error.message)")
        }
        return value
    }

    private static func checkConverter(_ key: String, _ value: String) throws {
        let name = key.dropFirst(converterPrefix.count)
        let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard isName, name == name.lowercased() else {
            throw CommandError(
                .configuration,
                "a converter is named after an extension in lowercase letters, such as converter.org")
        }
        guard !RecordReader.rowExtensions.contains(String(name)) else {
            throw CommandError(
                .configuration, "files with the extension .\(name) are read row by row, not by a converter")
        }
        guard value.contains(where: { !$0.isWhitespace }) else {
            throw CommandError(.configuration, "the setting \(key) must be a program and its arguments")
        }
    }

    static func check(_ key: String, _ value: String) throws {
        switch key {
        case _ where key.hasPrefix(converterPrefix): try checkConverter(key, value)
        case "limit":
            guard let limit = Int(value), limit > 0 else {
                throw CommandError(
                    .configuration, "the setting limit must be a whole number of at least 1, not '\(value)'")
            }
        case "provider":
            guard StoreManifest.Provider.inFolder.map(\.rawValue).contains(value) else {
                throw CommandError(
                    .configuration, "the setting provider must be sqlite or json, not '\(value)'")
            }
        case "search-in":
            guard SearchPlace(rawValue: value) != nil else {
                throw CommandError(
                    .configuration, "the setting search-in must be client or database, not '\(value)'")
            }
        case "postgres-url": try PostgresServers.check(address: value)
        case "label-endpoint", "remote-endpoint", "rerank-endpoint":
            _ = try RemoteModel(endpoint: value, name: "any")
        case "label-model", "s3-endpoint", "s3-region": break
        case "backups", "label-key-file", "remote-key-file", "rerank-key-file", "stop-words":
            guard value.hasPrefix("/") else {
                throw CommandError(.configuration, "the setting \(key) must be an absolute path")
            }
        case "model" where value.hasPrefix(EmbedderChoice.remotePrefix): break
        case "model":
            let models = UserDirectories().models
            let name = value.split(separator: ":").first.map(String.init) ?? ""
            guard
                value == "lexical" || value == name
                    || ["int8", "float32"].contains(value.dropFirst(name.count + 1)),
                value == "lexical" || ModelLibrary.aliases[name] != nil || models.names().contains(name)
            else {
                throw CommandError(
                    .configuration,
                    "unknown model '\(Terminal.line(value, limit: 60))'; run `roost model list` to list the "
                        + "models")
            }
        default:
            let names = keys.keys.sorted().joined(separator: ", ")
            throw CommandError(
                .usage, "unknown setting '\(Terminal.line(key, limit: 40))'; the settings are \(names)")
        }
    }

    /// Changes a setting in the file.
    mutating func set(_ key: String, _ value: String?) throws {
        if let value {
            try Self.check(key, value)
        } else if !Self.isKnown(key), values[key] == nil {
            try Self.check(key, "")
        }
        values = try store.change { $0[key] = value }
    }
}

/// A file with a JSON object of strings, which several processes can change.
struct StringFile {
    let file: URL
    let name: String

    /// The maximum time to wait for another process that changes the file, in seconds. A change takes a few milliseconds.
    private static let lockTimeout: TimeInterval = 10

    func read() throws -> [String: String] {
        let data: Data
        do {
            let descriptor = try FileDescriptor(file.path, O_RDONLY)
            data = try descriptor.read(at: 0, count: try descriptor.size())
        } catch let error as FileError where error.isMissing {
            return [:]
        } catch {
            throw CommandError(.configuration, "cannot read the \(name): \(error)")
        }
        guard let values = try? JSONDecoder().decode([String: String].self, from: data) else {
            let fault = JSONFault.description(of: data, fallback: "one of its values is not a string")
            throw CommandError(
                .configuration,
                "cannot read the \(name) in \(file.path): \(fault); correct or remove the file")
        }
        return values
    }

    /// Changes the values and writes the file, atomically and with mode 0600. Changes that other processes make at the
    /// same time are kept.
    func change(_ body: (inout [String: String]) -> Void) throws -> [String: String] {
        do {
            try FileSystem.standard.createFolder(file.deletingLastPathComponent())
            let lock = try FileLock.acquire(file.appendingPathExtension("lock"), timeout: Self.lockTimeout)
            defer { lock.release() }
            var values = try read()
            body(&values)
            // If the file is a symbolic link, for example into a folder under version control, it stays one.
            try AtomicFile.write(
                try Terminal.prettyEncoder.encode(values), to: file.resolvingSymlinksInPath())
            return values
        } catch let error as FileError {
            throw CommandError(.cannotCreate, "cannot write the \(name): \(error)")
        } catch let error as LockTimeout {
            throw CommandError(.tryAgain, "cannot write the \(name): \(error)")
        }
    }
}

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

    var serverToken: URL { data.appendingPathComponent("server-token") }

    var models: ModelLibrary { .ofUser(environment) }

    var configurationFile: URL {
        folder("XDG_CONFIG_HOME", ".config").appendingPathComponent("roost/config.json")
    }

    /// The addresses of the servers of the user's stores in PostgreSQL.
    var serversFile: URL {
        configurationFile.deletingLastPathComponent().appendingPathComponent("servers.json")
    }

    /// The folders of importers: the user's, and that of the package.
    var importers: [URL] {
        let settings = configurationFile.deletingLastPathComponent()
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let package = program?.appendingPathComponent("../share/roost").standardizedFileURL
        return [settings, package].compactMap { $0?.appendingPathComponent("importers") }
    }

    /// The store that `$ROOST_STORE` names; `nil` if it is unset or empty.
    var environmentStore: URL? {
        environment["ROOST_STORE"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
    }
}

struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show or change your settings.",
        discussion: """
            Without KEY, prints all settings. Exits with 1 if the setting KEY has no value. Environment \
            variables take precedence: $ROOST_LABEL_ENDPOINT, $ROOST_LABEL_KEY (the key itself), \
            $ROOST_REMOTE_ENDPOINT, $ROOST_REMOTE_KEY, $AWS_ENDPOINT_URL_S3 and $AWS_REGION.

            Settings:
            \(UserConfiguration.keys.sorted { $0.key < $1.key }.map { "  \($0.key)\n      \($0.value)" }
                .joined(separator: "\n"))

            Examples:
              roost config
              roost config model minilm:int8
              roost config converter.org 'pandoc -f org -t gfm'
              roost config --unset label-model
            """)

    @Argument(help: "The name of a setting.")
    var key: String?

    @Argument(help: "The new value of the setting.")
    var value: String?

    @Option(name: .long, help: ArgumentHelp("Remove a setting.", valueName: "KEY"))
    var unset: String?

    @Flag(name: .long, help: "Print the result as JSON.")
    var json = false

    func run() throws {
        var configuration = try UserConfiguration()
        if let unset { return try configuration.set(unset, nil) }
        guard let key else {
            if json { return try Terminal.json(configuration.values) }
            Terminal.write("# \(configuration.file.path)")
            for (key, value) in configuration.values.sorted(by: { $0.key < $1.key }) {
                Terminal.write("\(key) = \(value)")
            }
            return
        }
        if let value { return try configuration.set(key, value) }
        guard UserConfiguration.isKnown(key) else { return try UserConfiguration.check(key, "") }
        guard let value = configuration.values[key] else { throw ExitCode(ExitStatus.nothingFound.rawValue) }
        if json { try Terminal.json([key: value]) } else { Terminal.write(value) }
    }
}
