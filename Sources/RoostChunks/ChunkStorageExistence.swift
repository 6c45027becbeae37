public import Foundation
import RoostFiles

/// An existence check that is faster than reading chunks.
public protocol ChunkStorageExistence: Sendable {
    /// Returns whether a chunk exists. If the storage cannot be read, the result is `false`.
    func chunkExists(identifier: ChunkIdentifier) async -> Bool

    /// Returns, for each identifier, whether the chunk exists, in one pass. For chunks that cannot be checked
    /// because the storage cannot be read, the result is `false`.
    func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool]

    /// Returns whether a chunk exists.
    ///
    /// The default implementation calls ``chunkExists(identifier:)`` and therefore cannot distinguish a
    /// missing chunk from a storage that cannot be read. Implement this method if the backend can distinguish
    /// them.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation, if the storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool

    /// Returns, for each identifier, whether the chunk exists, in one pass.
    ///
    /// The default implementation has the same limitation as the one for a single identifier.
    ///
    /// - Throws: ``ChunkStorageError``, or an error of the implementation, if the storage cannot be read for
    ///   one of the chunks.
    func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool]
}

extension ChunkStorageExistence {
    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        await chunkExists(identifier: identifier)
    }

    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        await chunkExists(identifiers: identifiers)
    }
}

/// An existence check for chunks that ``FileSystemRetrieval`` wrote below a folder.
public struct FileSystemExistence: ChunkStorageExistence {
    /// The mapping between identifiers and paths with which the chunks were written.
    public let organization: any ChunkStorageOrganization
    /// The folder of the storage.
    public let baseURL: URL

    /// Creates an existence check.
    ///
    /// - Parameters:
    ///   - organization: The mapping between identifiers and paths with which the chunks were written.
    ///   - baseURL: The folder of the storage. It need not exist.
    public init(organization: any ChunkStorageOrganization, baseURL: URL) {
        (self.organization, self.baseURL) = (organization, baseURL.standardizedFileURL)
    }

    public func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        (try? await presence(of: identifier)) ?? false
    }

    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        var result: [ChunkIdentifier: Bool] = [:]
        for identifier in identifiers { result[identifier] = await chunkExists(identifier: identifier) }
        return result
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        try ChunkPath.check(path)
        do {
            // `lstat` reads the disk only if the folder is not cached, so moving the call to another thread
            // would usually cost more than the call itself.
            return try FileSystem.isRegularFile(baseURL.path + "/" + path)
        } catch let error as FileError {
            throw ChunkStorageError(error)
        }
    }

    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        var result: [ChunkIdentifier: Bool] = [:]
        for identifier in identifiers { result[identifier] = try await presence(of: identifier) }
        return result
    }
}
