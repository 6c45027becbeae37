import Foundation
import RoostFiles
import RoostModel

extension OriginalStore {
    /// Copies all documents to another store, and makes the copies durable. Documents that the other store
    /// contains with the same size are not copied again. A copy that a power failure interrupted can be
    /// shorter.
    ///
    /// - Returns: The number of documents.
    /// - Throws: `StorageError`; `ChunkStorageError`; `CancellationError`.
    func copyAll(to target: OriginalStore) async throws -> Int {
        let lock = try await lockForReading()
        defer { lock?.release() }
        let digests = try await digests()
        guard !digests.isEmpty else { return 0 }
        try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                for digest in digests {
                    if isCancelled() { throw CancellationError() }
                    let file = target.file(digest)
                    if let size = Self.size(file), size == Self.size(self.file(digest)) { continue }
                    try FileSystem.deferring.createFolder(file.deletingLastPathComponent())
                    try AtomicFile.copy(self.file(digest), to: file, files: .deferring)
                }
                try FileSystem.synchronizeAll(around: target.folder)
            }
        }
        return digests.count
    }

    /// Returns the size of a file in bytes; `nil` if it does not exist.
    private static func size(_ file: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
    }
}
