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

    private let addresses = StringFile(file: UserDirectories().serversFile, name: "list of servers")

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

    func grant(_ role: String, isReadOnly: Bool, to store: UUID) async throws {
        let provider = try await provider(store)
        try await provider.grantAccess(to: role, isReadOnly: isReadOnly)
        try await provider.close()
    }

    func name(of store: UUID) -> String {
        (try? address(of: store).displayName) ?? "the PostgreSQL server"
    }

    private func provider(_ store: UUID) async throws -> PostgresStorageProvider {
        try await PostgresStorageProvider(address: try address(of: store), store: store)
    }

    // MARK: Addresses

    private func address(of store: UUID) throws -> ConnectionSettings {
        if let address = ProcessInfo.processInfo.environment[Self.addressVariable], !address.isEmpty {
            return try ConnectionSettings(address)
        }
        guard let address = try addresses.read()[store.text] else {
            throw StorageError(
                .configuration,
                "the server of the store is not known on this machine; set \(Self.addressVariable), or run "
                    + "`roost init --provider postgres --url URL` in a new folder")
        }
        return try ConnectionSettings(address)
    }

    /// Records the server of a store, without secrets.
    func record(_ address: ConnectionSettings, of store: UUID) throws {
        _ = try addresses.change { $0[store.text] = address.addressWithoutSecrets }
    }

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

/// Creates a store in PostgreSQL, or joins one that exists: `roost init --provider postgres`.
struct PostgresInitialization {
    let options: StoreOptions
    /// The address of the server; `nil` for that of the settings or the environment.
    let url: String?
    let name: String?
    /// The name of the model; `nil` for that of the existing store, or of the settings.
    let model: String?

    private static let defaultName = "roost"

    func run(_ location: URL, hasSizeLimit: Bool) async throws {
        guard !hasSizeLimit else {
            throw CommandError(
                .usage,
                "a store in PostgreSQL has no maximum size; limit the database on the server")
        }
        guard !StoreManifest.exists(in: location) else {
            throw RoostError(
                .storeExists, "cannot create a store in \(location.path): a store already exists there")
        }
        // The check comes before the server is changed.
        try StoreManifest.requireOutsideOfStores(location)
        let setting = try UserConfiguration().value(of: "postgres-url")
        let address = try ConnectionSettings(url ?? setting ?? "")
        let name = name ?? Self.defaultName
        if let existing = try await existing(address, name) {
            try await join(existing, address, location)
        } else {
            try await create(address, name, location)
        }
        if address.hasPassword {
            options.note(
                "the password of the URL is not stored; write it to ~/.pgpass, or set PGPASSWORD")
        }
    }

    private func existing(_ address: ConnectionSettings, _ name: String) async throws
        -> PostgresStorageProvider?
    {
        do {
            return try await PostgresStorageProvider(address: address, existing: name)
        } catch let error as StorageError where error.remedy == .createStore {
            return nil
        }
    }

    private func join(
        _ storage: PostgresStorageProvider, _ address: ConnectionSettings, _ location: URL
    ) async throws {
        guard let space = try await storage.recordedSpace() else {
            throw CommandError(
                .badData,
                "cannot use the store in \(storage.location): the program that created it did not "
                    + "record the model of its vectors")
        }
        if let model {
            var notes: [String] = []
            let found = try await EmbedderChoice.openForStore(model, &notes).space
            guard found.isCompatible(with: space) else {
                throw CommandError(
                    .configuration,
                    "cannot use the store in \(storage.location) with \(found): its vectors belong to "
                        + "\(space); omit --model")
            }
        }
        let stamp = try await storage.snapshot().stamp
        try await finish(storage, address, location, stamp.store, space)
        options.note(
            "joined the store in \(storage.location) with "
                + "\(Count.text(stamp.entryCount, "entry", "entries")) (\(space.selectableName)); the "
                + "index will be built in \(location.path)")
    }

    private func create(_ address: ConnectionSettings, _ name: String, _ location: URL) async throws {
        var notes: [String] = []
        let embedder = try await options.embedder(model, &notes)
        let space = (try? await embedder.probedSpace()) ?? embedder.space
        let storage = try await PostgresStorageProvider(address: address, name: name, space: space)
        // Another client can create the store at the same time, with another model.
        let recorded = try await storage.recordedSpace() ?? space
        guard recorded.isCompatible(with: space) else {
            throw CommandError(
                .configuration,
                "cannot create the store in \(storage.location) with \(space): another client has just "
                    + "created it with \(recorded)")
        }
        try await finish(
            storage, address, location, try await storage.snapshot().stamp.store, recorded)
        for text in notes { options.note(text) }
        options.note(
            "created a store in \(storage.location) (\(space.selectableName)), used from \(location.path)")
    }

    private func finish(
        _ storage: PostgresStorageProvider, _ address: ConnectionSettings, _ location: URL, _ store: UUID,
        _ space: EmbeddingSpace
    ) async throws {
        try await storage.close()
        try PostgresServers().record(address, of: store)
        try StoreManifest.createForServer(in: location, store: store, space: space)
    }
}
