public import Foundation
import RoostFiles

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
        // The archive is written to a temporary file in the same folder, which is renamed at the end, so that
        // no incomplete archive is ever visible.
        let temporary = AtomicFile.temporaryPath(for: file.path)
        defer { unlink(temporary) }
        do {
            let output = try FileDescriptor(temporary, O_WRONLY | O_CREAT | O_EXCL)
            for identifier in identifiers {
                try Task.checkCancellation()
                let path = organization.storagePath(for: identifier)
                guard organization.isValidPath(path) else {
                    throw ChunkStorageError.invalidIdentifier(identifier.id)
                }
                guard let data = try await retrieval.readChunk(at: path) else {
                    throw ChunkStorageError.corrupt(
                        path: path, reason: "it does not exist, so it cannot be exported")
                }
                var records: [(String, String)] = []
                if let metadata = try await retrieval.metadata(at: path) {
                    let encoder = JSONEncoder()
                    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                    records.append(
                        (Self.metadataKey, String(decoding: try encoder.encode(metadata), as: UTF8.self)))
                }
                try TarFormat.header(path: path, size: data.count, records: records)
                    .withUnsafeBytes { try output.write($0) }
                try data.withUnsafeBytes { try output.write($0) }
                try TarFormat.padding(after: data.count).withUnsafeBytes { try output.write($0) }
            }
            try Data(count: 2 * TarFormat.block).withUnsafeBytes { try output.write($0) }
            try output.synchronize()
            try FileSystem.standard.rename(temporary, to: file.path)
            try FileSystem.standard.synchronizeFolder(file.deletingLastPathComponent())
        } catch let error as FileError {
            // The error names the archive, because users do not know the temporary file.
            throw ChunkStorageError(
                FileError(operation: "write archive", path: file.path, errno: error.errno))
        }
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
