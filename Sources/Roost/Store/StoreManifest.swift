public import Foundation
import RoostFiles
public import RoostModel

/// The description of a store: the contents of its `store.json`.
///
/// Every change replaces the file atomically. Once the store exists, changes require the writers' lock.
public struct StoreManifest: Codable, Sendable, Hashable {
    /// The storage backend of a store.
    public enum Provider: String, Codable, Sendable {
        /// One SQLite database.
        case sqlite
        /// Readable JSON files with a journal.
        case json
        /// PostgreSQL. The store's folder contains only the index and other derived data; the address of the
        /// server is in the user's settings (``ServerStorage``).
        case postgres

        /// The backends that keep their data in the store's folder.
        public static let inFolder: [Provider] = [.sqlite, .json]
    }

    /// A prepared migration to another embedding space.
    ///
    /// The manifest and the storage cannot be written in one atomic step. Therefore the migration writes this
    /// record first and then commits the new vectors together with a new epoch: the vectors belong to
    /// ``space`` if and only if the storage is in ``epoch``.
    public struct Move: Codable, Sendable, Hashable {
        /// The embedding space of the new vectors.
        public var space: EmbeddingSpace
        /// The epoch that begins with the commit of the new vectors.
        public var epoch: UUID
    }

    /// The newest manifest format that this version reads.
    public static let currentFormat = 1
    static let fileName = "store.json"
    /// The maximum number of bytes that are read. Every manifest is much smaller, but a file of this name can
    /// belong to another program.
    private static let maximumFileSize = 1 << 20

    /// The format of the manifest.
    public var format: Int
    /// The storage backend.
    public var provider: Provider
    /// The id of the storage, with which opening the store detects a storage that belongs to another store;
    /// `nil` before the storage of a new store is created.
    public internal(set) var store: UUID?
    /// The embedding space of all vectors, unless ``move`` has been committed.
    public var space: EmbeddingSpace
    /// The maximum size in bytes of the current storage files; `nil` for no limit.
    public var maximumSize: Int?
    /// `true` if original files were stored, so that an inspection detects that their folder is missing;
    /// `nil` otherwise.
    public internal(set) var hasOriginals: Bool?
    /// The migration that has been prepared; ``settled(in:)`` determines whether it was committed.
    public internal(set) var move: Move?

    /// Creates the manifest of a new store.
    public init(provider: Provider, space: EmbeddingSpace, maximumSize: Int? = nil) {
        format = Self.currentFormat
        self.provider = provider
        self.space = space
        self.maximumSize = maximumSize
    }

    /// Returns the embedding space of the vectors while the storage is in `epoch`.
    func space(inEpoch epoch: UUID) -> EmbeddingSpace { move?.epoch == epoch ? move?.space ?? space : space }

    // MARK: Finding and reading

    /// Returns whether a folder contains a store.
    public static func exists(in directory: URL) -> Bool {
        var status = stat()
        // If access is denied, the folder may contain a store: opening it then reports the missing
        // permission.
        return stat(directory.appendingPathComponent(fileName).path, &status) == 0 || errno == EACCES
    }

    /// Returns whether a folder that is no store contains other files than those of an unfinished store. A new
    /// store in such a folder would mix its files with them. Hidden files do not count.
    package static func hasOtherFiles(in directory: URL) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        // These files remain if the creation of a store was interrupted, or if only its manifest is missing.
        guard !exists(in: directory), StoreConfiguration.storageFile(in: directory) == nil else {
            return false
        }
        let lock = StoreConfiguration.lockURL(directory).lastPathComponent
        return names.contains { !$0.hasPrefix(".") && !$0.hasPrefix(lock) }
    }

    private static func damaged(in directory: URL) -> RoostError {
        let message = "cannot open the store in \(directory.path): \(fileName) is damaged"
        guard StoreConfiguration.storageFile(in: directory) != nil else {
            return RoostError(
                .damagedManifest,
                "\(message), and the folder contains no entries; remove the file to create a new store there")
        }
        return RoostError(
            .damagedManifest, "\(message); the entries are stored in other files", remedy: .repairStore)
    }

    /// Reads the manifest of the store in a folder.
    ///
    /// - Throws: ``RoostError`` with `.noStore`, `.damagedManifest` or `.newerFormat`; `StorageError` with
    ///   `.inputOutput`.
    public static func read(in directory: URL) throws -> StoreManifest {
        let url = directory.appendingPathComponent(fileName)
        guard exists(in: directory) else { throw RoostError.noStore(in: directory) }
        struct Format: Decodable { var format: Int }
        let data = try StorageError.mappingFileErrors {
            // A folder above can contain a pipe of this name.
            try FileContents.beginning(of: url.path, count: maximumFileSize)
        }
        let damaged = damaged(in: directory)
        guard let format = try? JSONDecoder().decode(Format.self, from: data), format.format >= 1 else {
            throw damaged
        }
        guard format.format <= currentFormat else {
            throw RoostError(
                .newerFormat,
                "cannot open the store in \(directory.path): format \(format.format) is newer than this "
                    + "version supports (\(currentFormat))",
                remedy: .upgradeRoost)
        }
        guard let manifest = try? JSONDecoder().decode(StoreManifest.self, from: data),
            manifest.maximumSize ?? 0 >= 0
        else { throw damaged }
        return manifest
    }

    /// Returns the nearest `.roost` folder that contains a store, searching from `folder` upward.
    ///
    /// - Throws: ``RoostError`` with `.foreignStore` if another user controls that store: parent folders may
    ///   be writable by others, so a store found there is used only if the folder, everything in it and all
    ///   of its parents can be changed by nobody except the user and the administrator, and if it contains
    ///   no links.
    public static func findUpward(from folder: URL) throws -> URL? {
        // Without symbolic links, the parents that are checked are the ones that lead to the store.
        var path = FileSystem.resolvedPath(folder.path) ?? folder.standardizedFileURL.path
        while true {
            let candidate = URL(fileURLWithPath: path, isDirectory: true)
                .appendingPathComponent(".roost", isDirectory: true)
            if exists(in: candidate) {
                do {
                    try StoreTrust().check(candidate)
                } catch let refusal as StoreTrust.Refusal {
                    throw RoostError(
                        .foreignStore,
                        "refused to open the store in \(candidate.path), which was found in a parent folder: "
                            + refusal.reason,
                        remedy: .nameStoreExplicitly)
                }
                return candidate
            }
            let parent = (path as NSString).deletingLastPathComponent
            if parent == path || parent.isEmpty { return nil }
            path = parent
        }
    }

    // MARK: Size limit

    /// Returns the size in bytes of the current storage files, to which ``maximumSize`` applies.
    ///
    /// - Throws: The same errors as ``read(in:)``.
    public static func presentSize(in directory: URL) throws -> Int {
        StoreConfiguration(directory: directory, manifest: try read(in: directory)).presentSize()
    }

    /// Changes the maximum size of a store, in bytes; `nil` removes the limit.
    ///
    /// - Throws: ``RoostError`` with `.configuration` if the size is negative; the errors of ``read(in:)``;
    ///   `StorageError`.
    public static func setMaximumSize(_ size: Int?, in directory: URL) throws {
        try check(maximumSize: size)
        try change(in: directory) { $0.maximumSize = size }
    }

    /// - Throws: ``RoostError`` with `.configuration` if the size is negative.
    static func check(maximumSize: Int?) throws(RoostError) {
        guard let maximumSize, maximumSize < 0 else { return }
        throw RoostError(
            .configuration, "the maximum size of a store must not be negative, but it is \(maximumSize)")
    }
}

extension EmbeddingSpace {
    func requireSupportedDimension() throws {
        guard (1...Self.maximumDimension).contains(dimension) else {
            throw RoostError(
                .configuration,
                "cannot store vectors of \(self): their dimension is not between 1 and "
                    + "\(Self.maximumDimension)")
        }
    }
}

extension RoostError {
    /// The error for a folder without a manifest: it contains no store, or a store that has lost its manifest.
    static func noStore(in directory: URL) -> RoostError {
        if let found = StoreConfiguration.storageFile(in: directory) {
            return RoostError(
                .noStore,
                "cannot open the store in \(directory.path): \(StoreManifest.fileName) is missing; the "
                    + "entries are stored in \(found.lastPathComponent)", remedy: .repairStore)
        }
        return RoostError(.noStore, "found no store in \(directory.path)", remedy: .createStore)
    }

    /// The error for creating a store in a folder that has entries, but no manifest.
    static func lostManifest(in directory: URL, _ contents: String) -> RoostError {
        RoostError(
            .damagedManifest,
            "cannot create a store in \(directory.path): it contains \(contents), but "
                + "\(StoreManifest.fileName), which names the model of their vectors, is missing",
            remedy: .repairStore)
    }

    static func storeExists(in directory: URL) -> RoostError {
        RoostError(.storeExists, "cannot create a store in \(directory.path): it already contains one")
    }
}
