import Foundation
import Roost
import RoostFiles
import RoostModel
import RoostPostgres

/// The PostgreSQL servers of the user's stores, in the file `servers.json` next to the user's settings.
///
/// The folder of a store contains only the id of the store. The address that belongs to an id is in this
/// file, without a password, so no file in a folder selects a server.
struct PostgresServers: ServerStorage {
    /// The variable with the address of all stores, for programs without a home folder.
    private static let addressVariable = "ROOST_POSTGRES_URL"
    /// The maximum time to wait for another process that changes the file, in seconds.
    private static let lockTimeout: TimeInterval = 10
    /// The maximum size of the file in bytes.
    private static let maximumSize = 1 << 20

    private let file: URL
    private let environment: [String: String]

    init(
        file: URL = UserDirectories().serversFile,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        (self.file, self.environment) = (file, environment)
    }

    // MARK: ServerStorage

    func open(_ store: UUID) async throws -> any StorageProvider { try await provider(store) }

    func inspect(_ store: UUID) async throws -> [StorageFinding] {
        let provider = try await provider(store)
        let findings: [StorageFinding]
        do {
            findings = try await provider.inspectServer()
        } catch {
            try? await provider.close()
            throw error
        }
        try await provider.close()
        return findings
    }

    func name(of store: UUID) -> String {
        (try? address(of: store).displayName) ?? "the PostgreSQL server"
    }

    private func provider(_ store: UUID) async throws -> PostgresStorageProvider {
        try await PostgresStorageProvider(address: try address(of: store), store: store)
    }

    // MARK: Addresses

    private func address(of store: UUID) throws -> ConnectionSettings {
        if let address = environment[Self.addressVariable], !address.isEmpty {
            return try ConnectionSettings(address)
        }
        guard let address = try addresses()[store.text] else {
            throw StorageError(
                .configuration,
                "the server of the store is not known on this machine; set \(Self.addressVariable), or run "
                    + "`roost init --provider postgres --url URL` in a new folder")
        }
        return try ConnectionSettings(address)
    }

    private func addresses() throws -> [String: String] {
        let data: Data
        do {
            let descriptor = try FileDescriptor(file.path, O_RDONLY)
            data = try descriptor.read(at: 0, count: min(try descriptor.size(), Self.maximumSize))
        } catch let error as FileError where error.isMissing {
            return [:]
        } catch {
            throw CommandError(.configuration, "cannot read the list of servers: \(error)")
        }
        guard let addresses = try? JSONDecoder().decode([String: String].self, from: data) else {
            throw CommandError(
                .configuration,
                "cannot read the list of servers in \(file.path): it is not a JSON object of strings; "
                    + "correct or remove the file")
        }
        return addresses
    }

    /// Records the server of a store, without secrets. The file has mode 0600.
    func record(_ address: ConnectionSettings, of store: UUID) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            try FileSystem.standard.createFolder(file.deletingLastPathComponent())
            let lock = try FileLock.acquire(file.appendingPathExtension("lock"), timeout: Self.lockTimeout)
            defer { lock.release() }
            var addresses = try addresses()
            addresses[store.text] = address.addressWithoutSecrets
            try AtomicFile.write(try encoder.encode(addresses), to: file.resolvingSymlinksInPath())
        } catch let error as FileError {
            throw CommandError(.cannotCreate, "cannot write the list of servers: \(error)")
        } catch let error as LockTimeout {
            throw CommandError(.tryAgain, "cannot write the list of servers: \(error)")
        }
    }

    /// Checks the value of the setting `postgres-url`.
    static func check(address: String) throws {
        let settings: ConnectionSettings
        do {
            settings = try ConnectionSettings(address)
        } catch let error as StorageError where error.code == .configuration {
            throw CommandError(
                .configuration,
                "the setting postgres-url must be an address such as postgresql://user@host:5432/database")
        }
        guard !settings.hasPassword else {
            throw CommandError(
                .configuration,
                "the setting postgres-url must not contain a password; write the password to ~/.pgpass")
        }
    }
}
