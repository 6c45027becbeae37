public import Foundation
import RoostFiles

/// A component that writes a set of chunks to one file.
public protocol ChunkStorageExport: Sendable {
    /// Writes chunks to a file. An existing file is replaced.
    ///
    /// - **Atomicity**: On failure, the previous file, if any, is unchanged.
    /// - Throws: ``ChunkStorageError`` if a chunk does not exist or the file cannot be written.
    func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws
}

/// A component that reads the chunks of a file that a ``ChunkStorageExport`` wrote.
public protocol ChunkStorageImport: Sendable {
    /// Adds the chunks of a file to the storage.
    ///
    /// - Returns: The identifiers of the chunks, in the order of the file.
    /// - Throws: ``ChunkStorageError`` if the file has another format or is corrupt. In that case, the chunks
    ///   before the fault have already been added.
    func importChunks(from file: URL) async throws -> [ChunkIdentifier]
}

/// Read-only access to chunks of another storage.
public protocol ChunkStorageSharing: Sendable {
    /// Returns the bytes of a chunk, or `nil` if the other storage does not have it.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read or the chunk is corrupt.
    func readChunk(_ identifier: ChunkIdentifier) async throws -> Data?

    /// Returns whether the other storage has a chunk.
    ///
    /// - Throws: ``ChunkStorageError`` if the other storage cannot be read.
    func presence(of identifier: ChunkIdentifier) async throws -> Bool
}

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

/// Exports and imports chunks as a tar archive in the pax interchange format (POSIX.1-2001), which any `tar`
/// can read.
///
/// Each chunk is a regular file whose name is the chunk's path. Its metadata is stored as the record
/// `ROOST.metadata` of the extended header.
public struct ChunkArchive: ChunkStorageExport, ChunkStorageImport {
    private let organization: any ChunkStorageOrganization
    private let retrieval: any ChunkStorageRetrieval

    private static let metadataKey = "ROOST.metadata"

    /// Creates an exporter and importer for a storage.
    ///
    /// - Parameters:
    ///   - organization: The mapping between identifiers and paths, in the storage and in the archive.
    ///   - retrieval: The component from which chunks are read and to which they are written.
    public init(organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    public func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws {
        do {
            let archive = try ReplacementFile(of: file)
            for identifier in identifiers {
                try Task.checkCancellation()
                let parts = try await parts(of: identifier)
                try await BlockingWork.run { _ in
                    for part in parts { try archive.write(part) }
                }
            }
            try await BlockingWork.run { isCancelled in
                try archive.write(Data(count: 2 * TarFormat.block))
                if isCancelled() { throw CancellationError() }
                try archive.publish()
            }
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "write archive", path: file.path, errno: error.errno))
        }
    }

    /// Returns the parts of an archive that represent a chunk: its header, its data and the padding.
    private func parts(of identifier: ChunkIdentifier) async throws -> [Data] {
        let path = organization.storagePath(for: identifier)
        guard organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        guard let data = try await retrieval.readChunk(at: path) else {
            throw ChunkStorageError.corrupt(
                path: path, reason: "it does not exist, so it cannot be exported")
        }
        guard data.count <= TarFormat.maximumSize else {
            throw ChunkStorageError.tooLarge(path: path, limit: TarFormat.maximumSize)
        }
        var records: [(String, String)] = []
        if let metadata = try await retrieval.metadata(at: path) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            records.append(
                (Self.metadataKey, String(decoding: try encoder.encode(metadata), as: UTF8.self)))
        }
        return [
            TarFormat.header(path: path, size: data.count, records: records), data,
            TarFormat.padding(after: data.count),
        ]
    }

    public func importChunks(from file: URL) async throws -> [ChunkIdentifier] {
        let mapped: MappedFile
        do {
            mapped = try MappedFile(file)
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "read archive", path: file.path, errno: error.errno))
        }
        var identifiers: [ChunkIdentifier] = []
        var reader = TarFormat.Reader(count: mapped.bytes.count)
        func corrupt(_ reason: String) -> ChunkStorageError { .corrupt(path: file.path, reason: reason) }
        while let item = try reader.next(in: mapped.bytes, corrupt) {
            try Task.checkCancellation()
            guard let identifier = organization.identifier(from: item.path) else {
                throw corrupt(
                    "'\(item.path.prefix(100))' is not a valid path of the \(organization.name) organization")
            }
            let metadata = try item.records[Self.metadataKey].map { text in
                guard let value = try? JSONDecoder().decode(ChunkMetadata.self, from: Data(text.utf8)) else {
                    throw corrupt("the metadata of a chunk cannot be decoded")
                }
                return value
            }
            try await retrieval.writeChunk(
                Data(mapped.bytes[item.range]), at: item.path, metadata: metadata)
            identifiers.append(identifier)
        }
        return identifiers
    }
}
