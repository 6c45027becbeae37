import Foundation
import TestSupport
import Testing

@testable import RoostPostgres

/// A server on loopback that one test creates, configures, stops and starts.
struct PrivateServer {
    /// A folder that only the server sees as a separate, small file system.
    struct SmallDisk {
        let folder: URL
        let megabytes: Int
    }

    /// The phases of a shutdown that the server skips; see `pg_ctl`.
    enum Shutdown: String {
        case fast, immediate
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let password = "hunter2 of the test"

    let folder: URL
    private let programs: URL
    private let port: UInt16

    /// The folder with the programs of Debian's server, which supports TLS; `nil` if it is neither installed
    /// nor named by an environment variable.
    static let systemPrograms: URL? = {
        if let folder = ProcessInfo.processInfo.environment["ROOST_TEST_POSTGRES_TLS"], !folder.isEmpty {
            return URL(fileURLWithPath: folder)
        }
        let root = URL(fileURLWithPath: "/usr/lib/postgresql")
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return versions.compactMap(Int.init).sorted(by: >)
            .map { root.appendingPathComponent("\($0)/bin") }.first(where: isComplete)
    }()

    /// The folder with the programs of the test server, which has pgvector; `nil` if it runs on another machine.
    static let extendedPrograms: URL? = {
        guard TestServer.main.url != nil, let connection = try? Connection(TestServer.settings()) else {
            return nil
        }
        let selection = Statement("SELECT setting FROM pg_config WHERE name = 'BINDIR'", isKept: false)
        guard let path = try? connection.run(selection, CallLimits(.seconds(1200))).rows.first?.text(0) else {
            return nil
        }
        let programs = URL(fileURLWithPath: path)
        return isComplete(programs) ? programs : nil
    }()

    private static func isComplete(_ programs: URL) -> Bool {
        ["initdb", "pg_ctl", "postgres"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: programs.appendingPathComponent($0).path)
        }
    }

    /// The trait of tests that need the test server's programs on this machine.
    static var isRequired: any (TestTrait & SuiteTrait) {
        ConditionTrait.enabled(
            if: extendedPrograms != nil,
            "the programs of the tests' PostgreSQL server are not on this machine; Scripts/test installs them"
        )
    }

    /// Creates the files of a server, and does not start it.
    ///
    /// - Parameters:
    ///   - programs: The folder with the programs.
    ///   - configuration: Lines of `postgresql.conf`.
    ///   - access: The lines of `pg_hba.conf`; `nil` for the default.
    /// - Precondition: The test has the trait `.temporaryFolders`.
    init(_ programs: URL, configuration: [String] = [], access: [String]? = nil) throws {
        self.programs = programs
        folder = try TemporaryFolder().url
        let proxy = try FaultProxy(serverPort: 1)
        port = proxy.port
        proxy.stop()
        try assign(folder)
        let secret = try write("password", [Self.password])
        try run(
            "initdb", "--auth=scram-sha-256", "--pwfile=\(secret.path)", "--encoding=UTF8", "--locale=C",
            "-U",
            "postgres", "-D", data.path, "--no-sync")
        let settings = [
            "port = \(port)", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", "fsync = off",
            "full_page_writes = off", "shared_buffers = 16MB", "max_connections = 30",
        ]
        try append(settings + configuration, to: "postgresql.conf")
        if let access { _ = try write("data/pg_hba.conf", access) }
    }

    var data: URL { folder.appendingPathComponent("data") }

    func settings(_ changes: [String: String] = [:]) throws -> ConnectionSettings {
        let values = [
            "host": "127.0.0.1", "port": "\(port)", "user": "postgres", "password": Self.password,
            "dbname": "postgres", "gssencmode": "disable",
        ]
        return try ConnectionSettings(list: values.merging(changes) { $1 })
    }

    /// Starts the server, and waits until it accepts connections.
    ///
    /// - Parameter disk: A small disk for the server, which requires Linux and root.
    func start(with disk: SmallDisk? = nil) throws {
        var command = command("postgres") + ["-D", data.path]
        if let disk {
            let options = "size=\(disk.megabytes)m,mode=700,uid=\(Self.nobody),gid=\(Self.nobody)"
            let mount = "mount -t tmpfs -o \(options) tmpfs '\(disk.folder.path)' && exec \"$0\" \"$@\""
            command = ["unshare", "--mount", "/bin/sh", "-c", mount] + command
        }
        // It is not started by `pg_ctl`, whose end Foundation's `Process` does not notice while the server
        // has its files open.
        let process = try start(command)
        let end = ContinuousClock.now + Self.startTimeout
        while process.isRunning {
            do {
                return try Connection(settings()).execute("SELECT 1", CallLimits(Self.startTimeout))
            } catch let error as ConnectionError {
                guard error.isTemporary, ContinuousClock.now < end else { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        throw failure(of: command)
    }

    private static let startTimeout = Duration.seconds(1200)

    func stop(_ shutdown: Shutdown = .immediate) throws {
        try run("pg_ctl", "-D", data.path, "-m", shutdown.rawValue, "-w", "stop")
    }

    /// Writes a file that only the server can read.
    func write(_ name: String, _ lines: [String]) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try assign(file)
        return file
    }

    private func append(_ lines: [String], to name: String) throws {
        let file = try FileHandle(forWritingTo: data.appendingPathComponent(name))
        try file.seekToEnd()
        try file.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try file.close()
    }

    // MARK: Programs

    /// PostgreSQL refuses to run as root, so for root the server runs as the user nobody.
    private static let nobody: UInt32 = 65534

    private func assign(_ file: URL) throws {
        guard getuid() == 0 else { return }
        try FileManager.default.setAttributes(
            [.ownerAccountID: Self.nobody, .groupOwnerAccountID: Self.nobody], ofItemAtPath: file.path)
    }

    private func command(_ program: String) -> [String] {
        let user = ["setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
        return (getuid() == 0 ? user : []) + [programs.appendingPathComponent(program).path]
    }

    private func run(_ program: String, _ arguments: String...) throws { try run(program, arguments) }

    private func run(_ program: String, _ arguments: [String]) throws {
        try execute(command(program) + arguments)
    }

    /// Runs a command until it ends successfully.
    private func execute(_ command: [String]) throws {
        let process = try start(command)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw failure(of: command) }
    }

    private func start(_ command: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = folder
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try TestTool.start(process)
        return process
    }

    /// The output of the last command.
    private var log: URL { folder.appendingPathComponent("log") }

    private func failure(of command: [String]) -> Failure {
        let text = String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self)
        return Failure(description: "\(command): \(text.suffix(600))")
    }

    // MARK: Older states

    func saveData(as name: String) throws {
        try execute(["cp", "-a", data.path, folder.appendingPathComponent(name).path])
    }

    func restoreData(_ name: String) throws {
        try FileManager.default.removeItem(at: data)
        try execute(["mv", folder.appendingPathComponent(name).path, data.path])
    }
}
