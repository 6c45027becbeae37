public import Foundation
import RoostFiles
public import RoostModel
import Synchronization

/// Keeps a store as JSON files that any tool can read: `entries.json` and `clusters.json` in one folder.
///
/// The contents are held in memory. A commit appends a line to a journal and is durable when it returns;
/// the journal is folded into new files while these are small, or when it has outgrown them. Any number of
/// processes may use one folder. Copies of a handle share the contents.
public struct LocalStorageProvider: StorageProvider {
    private let files: LocalFiles

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
    /// - Parameters:
    ///   - lockURL: the file that writers lock; in the folder unless it is given.
    ///   - lockTimeout: the most seconds to wait for another writer.
    /// - Throws: ``StorageError``: `.damaged`, `.newerFormat`, `.inputOutput`.
    public init(directory: URL, lockURL: URL? = nil, lockTimeout: TimeInterval = 30) throws {
        files = try LocalFiles.translating {
            try LocalFiles(directory: directory, lockURL: lockURL, lockTimeout: lockTimeout)
        }
    }

    public func commit(_ batch: WriteBatch) async throws -> Revision {
        try Task.checkCancellation()
        try batch.validate()
        return try await files.writing { state, date in
            guard try state.apply(batch, at: date) else { return nil }
            return Journal.Record(batch: batch, date: date.milliseconds)
        }.revision
    }

    public func snapshot() async throws -> any StorageSnapshot {
        try Task.checkCancellation()
        return InMemorySnapshot(state: try await files.reading())
    }

    public func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        try await files.reading().changes(after: cursor, limit: limit)
    }

    public func renewEpoch() async throws -> Stamp {
        try await files.writing { state, date in
            state.renewEpoch()
            return Journal.Record(epoch: state.stamp.epoch, date: date.milliseconds)
        }
    }

    public func close() async throws { files.close() }

    /// Folds the journal into new files, whatever its length.
    public func compact() async throws { try await files.compact() }
}
