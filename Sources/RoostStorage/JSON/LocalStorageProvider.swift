public import Foundation
package import RoostFiles
public import RoostModel

/// A storage provider that stores entries as JSON files, which any tool can read: `entries.json` and
/// `clusters.json` in one folder.
///
/// A commit appends a line to a journal and is durable when it returns. When the journal has become long, or
/// when ``compact()`` is called, it is folded into new files. Until then, the published files do not contain
/// the latest commits. Opening a store reads the index of the entries; their contents are read on demand. Any
/// number of processes can use one folder at once. Copies of a provider share their state, so closing one of
/// them closes all.
public struct LocalStorageProvider: StorageProvider {
    /// Options for opening a folder.
    public struct Options: Sendable {
        /// The file that writers lock; by default `lock` in the folder.
        public var lockURL: URL?
        /// The maximum number of seconds to wait for another writer, 30 by default; `infinity` waits for
        /// weeks. After that, calls throw `.locked`.
        public var lockTimeout: TimeInterval = 30
        /// The maximum size of the current files in bytes; `nil` for no limit. A commit that would exceed the
        /// limit throws `.full`.
        public var maximumSize: Int?
        /// Performs the file operations. Tests replace it to inject failures.
        package var files = FileSystem.standard

        /// Creates the default options.
        public init() {}
    }

    let local: LocalFiles

    /// Opens the folder `Storage` in the user's documents folder, and creates it if it does not exist.
    ///
    /// - Throws: `StorageError`: `.inputOutput` if the system has no documents folder, and the errors of
    ///   ``init(directory:options:)``.
    public init() throws {
        guard let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        else {
            throw StorageError(
                .inputOutput,
                "cannot find the documents folder; pass a folder to LocalStorageProvider(directory:)")
        }
        try self.init(directory: documents.appendingPathComponent("Storage"))
    }

    /// Opens a folder, and creates it if it does not exist.
    ///
    /// If the folder contains only an `entries.json` and a `clusters.json` from another program, these files
    /// are read in place. The first commit keeps copies of these files before it replaces them.
    ///
    /// Opening checks the lengths and the last bytes of the files, and the checksum of the sidecar. The
    /// checksum of an entry is checked when the entry is read.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - options: Options for opening the folder.
    /// - Throws: `StorageError`: `.damaged`, `.newerFormat`, `.locked`, `.readOnly`, `.inputOutput`.
    /// - Complexity: O(n) in the number of entries, about 1 µs for each, regardless of their size.
    public init(directory: URL, options: Options = Options()) throws {
        local = try LocalFiles.mappingErrors { try LocalFiles(directory: directory, options: options) }
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        return try await local.writing { state, date in
            guard try state.apply(batch, at: date) else { return nil }
            return Journal.Record(batch: batch, date: date.milliseconds)
        }.revision
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try Task.checkCancellation()
        return InMemorySnapshot(state: try await local.currentState())
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        try Task.checkCancellation()
        return try await local.currentState().changes(after: cursor, limit: limit)
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try await local.writing { state, date in
            state.renewEpoch()
            return Journal.Record(epoch: state.stamp.epoch, date: date.milliseconds)
        }
    }

    public func close() async throws { try await local.close() }

    /// Folds the journal into new files, regardless of its length.
    ///
    /// - Throws: `StorageError`: `.inputOutput` or `.full` if there is not enough space; `.damaged` if the
    ///   checksum of an entry does not match. In these cases, the store is unchanged.
    public func compact() async throws { try await local.compact() }
}

extension LocalStorageProvider {
    /// Returns the total size of the current generation and its journal in bytes, or 0 if they cannot be
    /// read.
    package static func presentSize(of directory: URL) -> Int {
        let folder = StoreFolder(directory)
        let current = folder.current
        guard let data = try? StoreFolder.contents(of: current),
            let generation = try? Generation.decoded(data, path: current.path)
        else { return 0 }
        let journal = folder.journal(generation.number).path
        let attributes = try? FileManager.default.attributesOfItem(atPath: journal)
        return generation.size + ((attributes?[.size] as? Int) ?? 0)
    }

    /// Returns whether a folder contains a store, or files of another program that would be read as one.
    package static func hasContents(in directory: URL) -> Bool {
        // A folder that may not be listed can contain a store: opening it then reports the missing
        // permission.
        if access(directory.path, R_OK | X_OK) != 0, errno == EACCES { return true }
        let folder = StoreFolder(directory)
        let names = [folder.current.lastPathComponent, Generation.entriesFile, Generation.clustersFile]
        return folder.hasHistory || !Set(folder.names).isDisjoint(with: names)
    }
}
