import Foundation
import Roost
import RoostModel
import RoostPostgres

/// Creates a store in PostgreSQL, or joins one that exists: `roost init --provider postgres`.
struct PostgresInitialization {
    let options: StoreOptions
    /// The address of the server; `nil` for that of the settings or the environment.
    let url: String?
    /// The name of the store in the database; `nil` for the default.
    let name: String?
    /// The name of the model; `nil` for that of the existing store, or of the settings.
    let model: String?

    /// The name of a store that no option names.
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
        let setting = try UserConfiguration(UserDirectories().configurationFile).value(of: "postgres-url")
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
