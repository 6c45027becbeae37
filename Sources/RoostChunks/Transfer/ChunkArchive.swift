public import Foundation
import RoostFiles

/// Read-only access to the folder of another ``ComposableFileSystemChunkStorage``.
public struct SharedChunkFolder: ChunkStorageSharing {
    private let storage: ComposableFileSystemChunkStorage

    /// Creates read-only access to a folder.
    ///
    /// - Parameters:
    ///   - baseURL: The folder of the other storage.
    ///   - organization: The organization of the other storage.
    public init(baseURL: URL, organization: any ChunkStorageOrganization = GitStyleOrganization()) {
        storage = ComposableFileSystemChunkStorage(baseURL: baseURL, organization: organization)
    }

    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        try await storage.readChunk(identifier)
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await storage.chunkExists(identifier)
    }
}

/// Exports and imports chunks as JSON Lines: the number of chunks, and a line for each of them, with its bytes in base64.
public struct ChunkArchive: ChunkStorageExport, ChunkStorageImport {
    private struct Header: Codable {
        var chunks: Int
    }

    private struct Chunk: Codable {
        var id: ChunkIdentifier
        var data: Data
        var metadata: ChunkMetadata?
    }

    private let organization: any ChunkStorageOrganization
    private let retrieval: any ChunkStorageRetrieval

    /// Creates an exporter and importer for a storage.
    ///
    /// - Parameters:
    ///   - organization: The mapping between identifiers and paths in the storage.
    ///   - retrieval: The component from which chunks are read and to which they are written.
    public init(organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    public func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws {
        do {
            let archive = try ReplacementFile(of: file)
            func write(_ value: some Encodable) async throws {
                let line = try JSONEncoder.canonical.encode(value) + [UInt8(ascii: "\n")]
                try await BlockingWork.run { _ in try archive.write(line) }
            }
            try await write(Header(chunks: identifiers.count))
            for identifier in identifiers {
                try Task.checkCancellation()
                let path = try path(of: identifier)
                guard let data = try await retrieval.readChunk(at: path) else {
                    throw ChunkStorageError.corrupt(
                        path: path, reason: "it does not exist, so it cannot be exported")
                }
                let metadata = try await retrieval.metadata(at: path)
                try await write(Chunk(id: identifier, data: data, metadata: metadata))
            }
            try await BlockingWork.run { isCancelled in
                if isCancelled() { throw CancellationError() }
                try archive.publish()
            }
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "write archive", path: file.path, errno: error.errno))
        }
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        let path = organization.storagePath(for: identifier)
        guard organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        return path
    }

    public func importChunks(from file: URL) async throws -> [ChunkIdentifier] {
        let mapped: MappedFile
        do {
            mapped = try MappedFile(file)
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "read archive", path: file.path, errno: error.errno))
        }
        defer { withExtendedLifetime(mapped) {} }
        let lines = mapped.bytes.split(separator: UInt8(ascii: "\n"))
        let decoder = JSONDecoder()
        guard let first = lines.first, let header = try? decoder.decode(Header.self, from: Data(first)),
            header.chunks == lines.count - 1
        else { throw ChunkStorageError.corrupt(path: file.path, reason: "the archive is truncated") }
        var identifiers: [ChunkIdentifier] = []
        for line in lines.dropFirst() {
            try Task.checkCancellation()
            guard let chunk = try? decoder.decode(Chunk.self, from: Data(line)) else {
                throw ChunkStorageError.corrupt(
                    path: file.path, reason: "chunk \(identifiers.count + 1) cannot be decoded")
            }
            try await retrieval.writeChunk(chunk.data, at: path(of: chunk.id), metadata: chunk.metadata)
            identifiers.append(chunk.id)
        }
        return identifiers
    }
}
