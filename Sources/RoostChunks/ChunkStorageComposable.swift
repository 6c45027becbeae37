public import Foundation

/// A chunk storage made of parts: where chunks lie, how they are read and written, how their presence is
/// asked for. Whoever names the parts has the verbs of ``ChunkStorage``.
public protocol ChunkStorageComposable: ChunkStorage {
    var organization: any ChunkStorageOrganization { get }
    var retrieval: any ChunkStorageRetrieval { get }
    /// A quicker way to ask for presence than the retrieval's; `nil` where there is none.
    var existence: (any ChunkStorageExistence)? { get }
    /// `nil`, the default, where sets of chunks are not written out.
    var export: (any ChunkStorageExport)? { get }
    /// `nil`, the default, where sets of chunks are not taken in.
    var `import`: (any ChunkStorageImport)? { get }
    /// `nil`, the default, where others' chunks are not looked at.
    var sharing: (any ChunkStorageSharing)? { get }
}

extension ChunkStorageComposable {
    public var export: (any ChunkStorageExport)? { nil }
    public var `import`: (any ChunkStorageImport)? { nil }
    public var sharing: (any ChunkStorageSharing)? { nil }

    public func writeChunk(
        _ data: Data, identifier: ChunkIdentifier, metadata: ChunkMetadata?
    ) async throws {
        try await retrieval.writeChunk(data, at: path(of: identifier), metadata: metadata)
    }

    /// From the storage itself, else from what is shared with it.
    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        if let data = try await retrieval.readChunk(at: path(of: identifier)) { return data }
        return try await sharing?.readChunk(identifier)
    }

    public func chunkExists(_ identifier: ChunkIdentifier) async throws -> Bool {
        let path = try path(of: identifier)
        let isHere =
            if let existence {
                try await existence.presence(of: identifier)
            } else {
                try await retrieval.presence(at: path)
            }
        if isHere { return true }
        return try await sharing?.presence(of: identifier) ?? false
    }

    public func deleteChunk(_ identifier: ChunkIdentifier) async throws {
        try await retrieval.deleteChunk(at: path(of: identifier))
    }

    public func metadata(of identifier: ChunkIdentifier) async throws -> ChunkMetadata? {
        try await retrieval.metadata(at: path(of: identifier))
    }

    /// Which of some chunks are here, in one pass where the existence has one.
    ///
    /// - Throws: ``ChunkStorageError`` where that cannot be told of one of them.
    public func chunksExist(_ identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        if let existence { return try await existence.presence(of: identifiers) }
        var result: [ChunkIdentifier: Bool] = [:]
        for identifier in identifiers where result[identifier] == nil {
            result[identifier] = try await retrieval.presence(at: path(of: identifier))
        }
        return result
    }

    /// - Throws: ``ChunkStorageError/invalidIdentifier(_:)``, ``ChunkStorageError/invalidPath(_:)``.
    private func path(of identifier: ChunkIdentifier) throws -> String {
        guard !identifier.id.isEmpty else { throw ChunkStorageError.invalidIdentifier("") }
        let path = organization.storagePath(for: identifier)
        guard organization.isValidPath(path) else { throw ChunkStorageError.invalidPath(path) }
        return path
    }
}

/// A chunk storage of given parts.
public struct ComposedChunkStorage: ChunkStorageComposable {
    public let organization: any ChunkStorageOrganization
    public let retrieval: any ChunkStorageRetrieval
    public let existence: (any ChunkStorageExistence)?
    public let export: (any ChunkStorageExport)?
    public let `import`: (any ChunkStorageImport)?
    public let sharing: (any ChunkStorageSharing)?

    /// - Parameter existence: has to look where the organization and the retrieval put chunks.
    public init(
        organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval,
        existence: (any ChunkStorageExistence)? = nil, export: (any ChunkStorageExport)? = nil,
        import: (any ChunkStorageImport)? = nil, sharing: (any ChunkStorageSharing)? = nil
    ) {
        self.organization = organization
        self.retrieval = retrieval
        self.existence = existence
        self.export = export
        self.import = `import`
        self.sharing = sharing
    }
}
