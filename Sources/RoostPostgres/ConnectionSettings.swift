import CPostgres
import CPostgresLoader
import Foundation
import RoostModel

/// The address of a database and the credentials with which a client connects to it.
///
/// The address is a URL (`postgresql://user@host:5432/database?sslmode=verify-full`) or a list of settings
/// (`host=… dbname=…`), as in libpq. Settings that it omits come from the environment (`PGHOST`, `PGUSER`,
/// `PGPASSWORD`, …), a service file (`PGSERVICE`), or the password file (`~/.pgpass`).
public struct ConnectionSettings: Sendable {
    let values: [String: String]
    private let secrets: [String]

    private static let secretNames: Set = ["password", "sslpassword"]
    /// Settings that are used if neither the address nor the environment specifies them: a server that does
    /// not answer is reported after 10 s, and a connection that broke silently after 30 s.
    private static let defaults = [
        "connect_timeout": "10", "keepalives_idle": "30", "keepalives_interval": "10",
        "keepalives_count": "3", "tcp_user_timeout": "30000", "fallback_application_name": "roost",
        "client_encoding": "UTF8",
    ]

    /// Reads an address.
    ///
    /// - Parameter address: A URL or a list of settings. An empty text means the settings of the environment.
    /// - Throws: `StorageError` with `.configuration` if the address is invalid, or `.unsupported` if libpq
    ///   cannot be loaded. The message does not contain the address, because it may contain a password.
    public init(_ address: String) throws {
        if let reason = roost_postgres_load() {
            throw StorageError(
                .unsupported,
                "libpq cannot be loaded: \(String(cString: reason)) "
                    + "(Debian and Ubuntu: apt install libpq5)")
        }
        guard !address.utf8.contains(0) else { throw Self.invalid }
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(address, &message) else {
            PQfreemem(message)
            throw Self.invalid
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let environment = ProcessInfo.processInfo.environment
        for (name, value) in Self.defaults where found[name] == nil {
            // Only this default has a variable that a user is likely to set.
            if name == "connect_timeout", environment["PGCONNECT_TIMEOUT"] != nil { continue }
            found[name] = value
        }
        values = found
        var secrets = Self.secretNames.compactMap { found[$0] }
        if let password = environment["PGPASSWORD"] { secrets.append(password) }
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    private static var invalid: StorageError {
        StorageError(
            .configuration,
            "the address of the database is invalid; use a URL such as "
                + "postgresql://user@host:5432/database")
    }

    /// The server and database for messages, such as `db.example.org:5432/notes`.
    public var displayName: String {
        let host = values["host"] ?? values["hostaddr"] ?? values["service"].map { "service \($0)" }
        let server = host.map { $0 + (values["port"].map { ":\($0)" } ?? "") }
        guard let server else {
            let database = values["dbname"].map { "the database \($0) of " } ?? ""
            return "\(database)the PostgreSQL server that PGHOST and PGSERVICE select"
        }
        return server + (values["dbname"].map { "/\($0)" } ?? "")
    }

    /// Whether the address contains a password.
    public var hasPassword: Bool { values["password"] != nil }

    /// The settings as a list for libpq, without secrets and without defaults.
    ///
    /// The result can be stored. A connection with it takes the password from the environment, the service
    /// file, or the password file.
    public var addressWithoutSecrets: String {
        values.filter { !Self.secretNames.contains($0.key) && Self.defaults[$0.key] != $0.value }
            .sorted { $0.key < $1.key }
            .map { name, value in
                let escaped = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
                return "\(name)='\(escaped)'"
            }.joined(separator: " ")
    }

    /// Replaces the secrets in a message of libpq or the server, and returns its first line. A host with several
    /// addresses has a line for each; that of an address where a server runs is preferred.
    func redacted(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline)
        let answer = lines.first { line in
            line.contains("failed: ") && !ConnectionError.unreachable.contains { line.contains($0) }
        }
        var line = (answer ?? lines.first).map(String.init) ?? "unknown error"
        // Longer secrets first, in case one is a part of another.
        for secret in secrets.sorted(by: { $0.count > $1.count }) {
            line = line.replacing(secret, with: "***")
        }
        return line
    }
}
