import Foundation
public import RoostChunks

/// A guarantee that every chunk storage must give, whether it is composed of components or conforms to
/// `ChunkStorage` directly. Each law is a separate test case:
///
///     @Test(arguments: ChunkStorageLaw.allCases)
///     func `my storage obeys`(law: ChunkStorageLaw) async throws { try await law.check(MyStorage()) }
public enum ChunkStorageLaw: String, Sendable, CaseIterable {
    /// Bytes that have been written are read back unchanged.
    case writtenChunksCanBeRead
    /// Reading, checking and deleting a missing chunk does not throw.
    case missingChunkIsNoError
    /// Writing a chunk again replaces its metadata.
    case writingReplacesChunk
    /// A deleted chunk has neither bytes nor metadata.
    case deletedChunksAreRemoved
    /// Metadata is either read back unchanged or not stored at all.
    case metadataIsPreserved
    /// No changes are lost if several tasks use the storage concurrently.
    case concurrentTasksLoseNothing
    /// A reader never sees a partially written chunk.
    case readersSeeOnlyCompleteChunks
    /// Chunks with different identifiers are separate, even if these differ only in case or in Unicode
    /// normalization, or look like paths. A storage may reject an identifier. This law does not apply to
    /// storages that require the digest of the bytes as the identifier.
    case identifiersAreSeparate
    /// A chunk with an empty identifier is rejected.
    case emptyIdentifierIsRejected

    /// Checks the law with a storage.
    ///
    /// - Parameter storage: A storage that contains no chunks. Each law needs a new one.
    /// - Throws: ``LawViolation``, or an error thrown by the storage.
    public func check(_ storage: any ChunkStorage) async throws {
        switch self {
        case .identifiersAreSeparate: try await identifiersAreSeparate(storage)
        case .emptyIdentifierIsRejected: try await emptyIdentifierIsRejected(storage)
        default:
            // The other laws have the same names as those of retrievals.
            let law = ChunkRetrievalLaw(rawValue: rawValue)
            try await law?.check(StorageAsRetrieval(storage: storage)) { ChunkIdentifier(hashing: $1).id }
        }
    }

    private func identifiersAreSeparate(_ storage: any ChunkStorage) async throws {
        var written: [(ChunkIdentifier, Data)] = []
        for identifier in ChunkOrganizationLaw.identifiers {
            let data = Data("\(written.count)".utf8)
            do {
                try await storage.writeChunk(data, identifier: identifier, metadata: nil)
                written.append((identifier, data))
            } catch is ChunkStorageError {
                continue
            }
        }
        for (identifier, data) in written {
            let found = try await storage.readChunk(identifier)
            try require(found == data, "'\(identifier)' names another chunk, or none")
        }
    }

    private func emptyIdentifierIsRejected(_ storage: any ChunkStorage) async throws {
        try await requireError("writing an empty identifier", as: ChunkStorageError.self) {
            try await storage.writeChunk(Data([1]), identifier: ChunkIdentifier(id: ""), metadata: nil)
        }
    }
}

/// A storage whose identifiers are the paths of a retrieval, so that the laws of retrievals can be checked.
private struct StorageAsRetrieval: ChunkStorageRetrieval {
    let storage: any ChunkStorage

    func readChunk(at path: String) async throws -> Data? {
        try await storage.readChunk(ChunkIdentifier(id: path))
    }

    func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        try await storage.writeChunk(data, identifier: ChunkIdentifier(id: path), metadata: metadata)
    }

    func chunkExists(at path: String) async -> Bool { (try? await presence(at: path)) ?? false }

    func presence(at path: String) async throws -> Bool {
        try await storage.chunkExists(ChunkIdentifier(id: path))
    }

    func deleteChunk(at path: String) async throws {
        try await storage.deleteChunk(ChunkIdentifier(id: path))
    }

    func metadata(at path: String) async throws -> ChunkMetadata? {
        try await storage.metadata(of: ChunkIdentifier(id: path))
    }
}
