public import Foundation

/// A component that writes a set of chunks to one file.
public protocol ChunkStorageExport: Sendable {
    /// Writes chunks to a file. An existing file is replaced.
    ///
    /// - **Atomicity**: On failure, the previous file, if any, is unchanged.
    /// - Throws: ``ChunkStorageError`` if a chunk does not exist or the file cannot be written.
    func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws
}
