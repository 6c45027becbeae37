import Foundation
import RoostFiles
import RoostModel

extension OriginalStore {
    /// Copies all documents to another store, and makes the copies durable. Documents that the other store
    /// contains are not copied again.
    ///
    /// - Returns: The number of documents.
    /// - Throws: `StorageError`; `ChunkStorageError`; `CancellationError`.
    func copyAll(to target: OriginalStore) async throws -> Int {
        let lock = try? await lockForWriting()
        defer { lock?.release() }
        let digests = try await digests()
        guard !digests.isEmpty else { return 0 }
        try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                for digest in digests {
                    if isCancelled() { throw CancellationError() }
                    let file = target.file(digest)
                    if FileManager.default.fileExists(atPath: file.path) { continue }
                    try FileSystem.deferring.createFolder(file.deletingLastPathComponent())
                    try AtomicFile.copy(self.file(digest), to: file, files: .deferring)
                }
                try FileSystem.synchronizeAll(around: target.folder)
            }
        }
        return digests.count
    }
}
