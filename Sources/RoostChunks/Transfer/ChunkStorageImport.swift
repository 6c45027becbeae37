public import Foundation

/// A component that reads the chunks of a file that a ``ChunkStorageExport`` wrote.
public protocol ChunkStorageImport: Sendable {
    /// Adds the chunks of a file to the storage.
    ///
    /// - Returns: The identifiers of the chunks, in the order of the file.
    /// - Throws: ``ChunkStorageError`` if the file has another format or is corrupt. In that case, the chunks
    ///   before the fault have already been added.
    func importChunks(from file: URL) async throws -> [ChunkIdentifier]
}
