public import Foundation
import RoostFiles
public import RoostModel
import Synchronization

/// Opens the storages of stores whose entries are on a database server.
///
/// Roost does not depend on the client library of a server. A program that uses such stores passes an
/// instance to ``ServerStorages/install(_:)`` before it opens the first one.
///
/// The folder of such a store contains its id, but neither an address nor credentials: nothing in a folder
/// may select a server. The instance finds the server of an id in the user's settings.
public protocol ServerStorage: Sendable {
    /// Opens the storage with the given id.
    ///
    /// - Throws: `StorageError`, with `.configuration` if the user's settings do not name its server.
    func open(_ store: UUID) async throws -> any StorageProvider

    /// Returns findings about the server of the storage with the given id.
    func inspect(_ store: UUID) async throws -> [StorageFinding]

    /// Returns the server of the storage with the given id for messages.
    func name(of store: UUID) -> String
}

extension StoreManifest {
    /// Makes a folder the folder of a store on a server. The folder is created if necessary.
    ///
    /// - Parameters:
    ///   - directory: The folder, in which the index and other derived data of this client will be stored.
    ///   - store: The id of the storage on the server.
    ///   - space: The embedding space of its vectors.
    /// - Throws: ``RoostError`` with `.storeExists`, or with `.configuration` for an unsupported dimension or
    ///   a folder inside that of another store; `StorageError`.
    public static func createForServer(in directory: URL, store: UUID, space: EmbeddingSpace) throws {
        try space.requireSupportedDimension()
        try requireOutsideOfStores(directory)
        try StorageError.mappingFileErrors { try FileSystem.standard.createFolder(directory) }
        var manifest = StoreManifest(provider: .postgres, space: space)
        manifest.store = store
        try manifest.create(in: directory)
    }
}

extension StoreConfiguration {
    var serverName: String {
        manifest.store.flatMap { ServerStorages.current?.name(of: $0) } ?? "the database server"
    }

    /// The client of the server, and the id of the store there.
    func server() throws -> (storage: any ServerStorage, store: UUID) {
        guard let store = manifest.store else {
            throw RoostError(
                .damagedManifest,
                "cannot open the store in \(directory.path): \(StoreManifest.fileName) lacks the id of the "
                    + "store on the server; create the folder again with the address of the server")
        }
        guard let storage = ServerStorages.current else {
            throw StorageError(
                .unsupported,
                "cannot open the store in \(directory.path): this program has no client for PostgreSQL; a "
                    + "program can install one with ServerStorages")
        }
        return (storage, store)
    }

    /// Begins a new epoch, after which all clients read the store again. A client that finds an older state
    /// than the one it has seen asks for this.
    func repairOnServer() async throws -> [StorageFinding] {
        let (storage, store) = try server()
        _ = try await Self.using(storage.open(store)) { try await $0.renewEpoch() }
        return [
            .note(
                serverName,
                "began a new epoch, so all clients read it again; rows are not repaired: restore damaged "
                    + "ones from a backup of the database")
        ]
    }

    static var cannotReplaceVectorsOnServer: StorageError {
        StorageError(
            .unsupported,
            "cannot move a store in PostgreSQL to another model, because its other clients would continue to "
                + "use the current one; create a store with the other model, and import an export of the "
                + "entries into it")
    }
}

/// The instance of ``ServerStorage`` that the process uses.
public enum ServerStorages {
    private static let installed = Mutex<(any ServerStorage)?>(nil)

    /// Installs the instance that opens all storages on servers.
    public static func install(_ storage: any ServerStorage) { installed.withLock { $0 = storage } }

    static var current: (any ServerStorage)? { installed.withLock { $0 } }
}
