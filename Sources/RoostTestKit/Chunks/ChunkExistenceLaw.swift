import Foundation
public import RoostChunks

/// A guarantee that every existence check must give, in combination with the storage that it checks. Each law
/// is a separate test case.
public enum ChunkExistenceLaw: String, Sendable, CaseIterable {
    /// A chunk exists after it has been written, but not before, and not after it has been deleted.
    case writtenChunksExist
    /// Checking a batch of thousands of identifiers gives the same answers as checking each identifier separately.
    case batchAnswersEqualSingleAnswers

    /// Checks the law with a storage.
    ///
    /// - Parameter storage: A storage that contains no chunks and provides an existence check. Each law needs
    ///   a new storage.
    /// - Throws: ``LawViolation``, or an error thrown by the storage.
    public func check(_ storage: any ChunkStorageComposable) async throws {
        guard let existence = storage.existence else {
            throw LawViolation("the storage has no existence check")
        }
        let names = ChunkOrganizationLaw.identifiers
        let data = Data("x".utf8)
        switch self {
        case .writtenChunksExist:
            for name in names {
                try require(
                    await !existence.chunkExists(identifier: name), "'\(name)' exists before it is written")
                try await storage.writeChunk(data, identifier: name, metadata: nil)
                try require(
                    await existence.chunkExists(identifier: name), "'\(name)' was written but does not exist")
                try require(
                    try await existence.presence(of: name), "'\(name)' was written but is not present")
            }
            for name in names {
                try await storage.deleteChunk(name)
                try require(
                    await !existence.chunkExists(identifier: name), "'\(name)' was deleted but still exists")
                try require(try await !existence.presence(of: name), "'\(name)' is present after deletion")
            }
        case .batchAnswersEqualSingleAnswers:
            let many = (0..<3000).map { ChunkIdentifier(hashing: Data("\($0)".utf8)) }
            let written = (names + many.prefix(500)).enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            for name in written { try await storage.writeChunk(data, identifier: name, metadata: nil) }
            // Some identifiers occur twice.
            let identifiers = names + names.prefix(3) + many
            let batch = await existence.chunkExists(identifiers: identifiers)
            try require(
                batch.count == Set(identifiers).count,
                "\(Set(identifiers).count) different identifiers have \(batch.count) answers")
            try require(written.allSatisfy { batch[$0] == true }, "a written chunk does not exist in a batch")
            for name in identifiers {
                try require(
                    batch[name] == (await existence.chunkExists(identifier: name)),
                    "the answers for '\(name)' alone and in a batch differ")
            }
            try require(await existence.chunkExists(identifiers: []).isEmpty, "an empty batch has answers")
        }
    }
}
