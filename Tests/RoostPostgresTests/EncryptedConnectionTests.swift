import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostPostgres

/// Connections with TLS and SCRAM to Debian's server. It has no pgvector, so opening a store must fail after
/// the connection has succeeded.
@Suite(
    .temporaryFolders,
    .enabled(
        if: PrivateServer.systemPrograms != nil,
        "no PostgreSQL server with TLS; install the Debian package postgresql-15"))
struct EncryptedConnectionTests {
    private let limits = CallLimits(.seconds(1200))

    /// Creates a self-signed certificate for the name localhost with its key, and returns both as lines.
    private func certificate(_ name: String, in folder: URL) throws -> (chain: URL, key: URL) {
        let (chain, key) = (
            folder.appendingPathComponent("\(name).pem"), folder.appendingPathComponent("\(name).key")
        )
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost", "-out",
            chain.path,
            "-keyout", key.path,
        ]
        process.standardError = FileHandle.nullDevice
        try TestTool.start(process)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return (chain, key)
    }

    /// Creates a server that accepts only connections with TLS, or only without.
    private func server(withTLS: Bool) throws -> (server: PrivateServer, chain: URL, other: URL) {
        let folder = try TemporaryFolder().url
        let (chain, key) = try certificate("server", in: folder)
        let other = try certificate("other", in: folder).chain
        let kind = withTLS ? "hostssl" : "host"
        let server = try PrivateServer(
            try #require(PrivateServer.systemPrograms),
            configuration: withTLS
                ? ["ssl = on", "ssl_cert_file = '../chain.pem'", "ssl_key_file = '../key.pem'"] : [],
            access: ["\(kind) all all 127.0.0.1/32 scram-sha-256"])
        for (name, file) in [("chain.pem", chain), ("key.pem", key)] {
            let text = try String(contentsOf: file, encoding: .utf8)
            _ = try server.write(name, text.split(separator: "\n").map(String.init))
        }
        return (server, chain, other)
    }

    private func openingError(_ settings: ConnectionSettings) async -> StorageError? {
        let error = await #expect(throws: StorageError.self) {
            try await PostgresStorageProvider(address: settings, name: "tls")
        }
        let text = error.map { "\($0)" + String(reflecting: $0) + $0.message } ?? ""
        #expect(!text.contains("hunter2"))
        return error
    }

    @Test func `a certificate must be signed by the known authority and name the host`() async throws {
        let (server, chain, other) = try server(withTLS: true)
        try server.start()
        defer { try? server.stop() }
        let verified = [
            "host": "localhost", "hostaddr": "127.0.0.1", "sslmode": "verify-full", "sslrootcert": chain.path,
        ]
        func settings(_ changes: [String: String]) throws -> ConnectionSettings {
            try server.settings(verified.merging(changes) { $1 })
        }
        // The password is verified by SCRAM, bound to the channel of TLS.
        let connection = try Connection(try settings(["channel_binding": "require"]))
        let encryption = Statement(
            "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", isKept: false)
        #expect(try connection.run(encryption, limits).rows[0].bool(0))

        let wrongAuthority = await openingError(try settings(["sslrootcert": other.path]))
        #expect(wrongAuthority?.message.contains("certificate verify failed") == true)
        let wrongName = await openingError(try settings(["host": "127.0.0.1"]))
        #expect(wrongName?.message.contains("does not match host name") == true)
        let missing = await openingError(try settings(["sslrootcert": chain.path + ".missing"]))
        #expect(missing?.message.contains("does not exist") == true)
        for error in [wrongAuthority, wrongName, missing] {
            #expect(error?.code == .configuration)
            #expect(error?.isRetryable == false)
            #expect(error?.message.contains("sslrootcert") == true)
        }
        let plain = await openingError(try settings(["sslmode": "disable"]))
        #expect(plain?.code == .configuration)
        #expect(plain?.message.contains("pg_hba.conf") == true)
    }

    @Test func `a wrong password is refused by SCRAM, and a database without pgvector stays empty`()
        async throws
    {
        let (server, chain, _) = try server(withTLS: true)
        try server.start()
        defer { try? server.stop() }
        let changes = [
            "host": "localhost", "hostaddr": "127.0.0.1", "sslmode": "verify-full", "sslrootcert": chain.path,
        ]
        let settings = try server.settings(changes)
        let connection = try Connection(settings)
        let verifier = Statement("SELECT left(rolpassword, 14) FROM pg_authid WHERE rolname = 'postgres'")
        #expect(try connection.run(verifier, limits).rows[0].text(0) == "SCRAM-SHA-256$")
        let wrong = await openingError(
            try server.settings(changes.merging(["password": "not hunter2"]) { $1 }))
        #expect(wrong?.code == .configuration)
        #expect(wrong?.message.contains("the user and the password (PGPASSWORD") == true)

        let error = await openingError(settings)
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("install the extension pgvector") == true)
        let schemas = Statement("SELECT count(*) FROM pg_namespace WHERE nspname = 'roost'")
        #expect(try connection.run(schemas, limits).rows[0].int(0) == 0)
    }

    @Test func `a server without TLS is refused if it is required`() async throws {
        let (server, chain, _) = try server(withTLS: false)
        try server.start()
        defer { try? server.stop() }
        for mode in ["require", "verify-ca", "verify-full"] {
            let error = await openingError(try server.settings(["sslmode": mode, "sslrootcert": chain.path]))
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("does not support SSL") == true)
            #expect(error?.message.contains("sslmode") == true)
        }
        // With the default, the connection is not encrypted.
        #expect(try Connection(try server.settings()).isIdle)
    }
}
