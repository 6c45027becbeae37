public import Foundation
public import RoostFiles
public import RoostModel
import Synchronization

/// Keeps a store as JSON files that any tool can read: `entries.json` and `clusters.json` in one folder.
///
/// A commit appends a line to a journal and is durable when it returns. The journal is folded into new files
/// when it has outgrown them, or by ``compact()``; until then the files are older than the store. Opening
/// reads where the entries lie, not the entries: those are read from the mapped file when they are asked
/// for. Any number of processes may use one folder. Copies of a handle share what is in memory.
public struct LocalStorageProvider: StorageProvider {
    /// How to keep the files.
    public struct Options: Sendable {
        /// The file that writers lock; `lock` in the folder unless it is given.
        public var lockURL: URL?
        /// The most seconds to wait for another writer.
        public var lockTimeout: TimeInterval = 30
        /// How many generations before the present one are kept, with their journals.
        public var keptGenerations = 3
        /// The most bytes that the present files may take; `nil` for no limit.
        public var maximumSize: Int?
        /// The way to the files; tests let it fail.
        public var files = FileSystem.standard

        public init() {}
    }

    let local: LocalFiles

    /// Opens `Storage` in the user's documents folder, and creates it.
    public init() throws {
        guard let documents = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
        else {
            throw StorageError(
                .inputOutput, "there is no documents folder; use LocalStorageProvider(directory:)")
        }
        try self.init(directory: documents.appendingPathComponent("Storage"))
    }

    /// Opens a folder, and creates it. One that has nothing but an `entries.json` and a `clusters.json` of
    /// another program is read as it is; they are kept when the first commit writes new ones.
    ///
    /// Lengths, ends and the checksum of the sidecar are checked here; the checksum of an entry when it is
    /// read.
    /// - Throws: ``StorageError``: `.damaged`, `.newerFormat`, `.inputOutput`.
    /// - Complexity: O(n) in the number of entries, some 1 µs each; not in their size.
    public init(directory: URL, options: Options = Options()) throws {
        local = try LocalFiles.translating { try LocalFiles(directory: directory, options: options) }
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
        return InMemorySnapshot(state: try await local.reading())
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await local.reading().changes(after: cursor, limit: limit)
    }

    @discardableResult
    public func renewEpoch() async throws -> Stamp {
        try await local.writing { state, date in
            state.renewEpoch()
            return Journal.Record(epoch: state.stamp.epoch, date: date.milliseconds)
        }
    }

    public func close() async throws { local.close() }

    /// Folds the journal into new files, whatever its length.
    ///
    /// - Throws: ``StorageError``: `.inputOutput` where the space does not suffice; `.damaged` where an entry
    ///   is not as it was written; the store is as before then.
    public func compact() async throws { try await local.compact() }
}
