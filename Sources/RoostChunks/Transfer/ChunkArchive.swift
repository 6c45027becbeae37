public import Foundation
import RoostFiles

/// A set of chunks as one file: an archive of tar's interchange format (POSIX.1-2001, pax), which any `tar`
/// reads. Each chunk is a file under its path, its metadata a record `ROOST.metadata` of its extended header.
public struct ChunkArchive: ChunkStorageExport, ChunkStorageImport {
    private let organization: any ChunkStorageOrganization
    private let retrieval: any ChunkStorageRetrieval

    static let metadataKey = "ROOST.metadata"

    /// - Parameters:
    ///   - organization: names the chunks in the archive, and finds their identifiers again.
    ///   - retrieval: where chunks are read from and written to.
    public init(organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    public func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws {
        // Written beside the target and renamed at the end.
        let temporary = file.deletingLastPathComponent().appendingPathComponent(
            ".\(file.lastPathComponent).\(getpid()).\(UInt64.random(in: 0...UInt64.max)).tmp")
        defer { unlink(temporary.path) }
        do {
            let output = try FileDescriptor(temporary.path, O_WRONLY | O_CREAT | O_EXCL)
            for identifier in identifiers {
                try Task.checkCancellation()
                let path = organization.storagePath(for: identifier)
                guard organization.isValidPath(path) else {
                    throw ChunkStorageError.invalidIdentifier(identifier.id)
                }
                guard let data = try await retrieval.readChunk(at: path) else {
                    throw ChunkStorageError.corrupt(
                        path: path, reason: "there is no such chunk to be written out")
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
            try FileSystem.standard.rename(temporary.path, to: file.path)
            try FileSystem.standard.synchronizeFolder(file.deletingLastPathComponent())
        } catch let error as FileError {
            throw ChunkStorageError.storageUnavailable(
                reason:
                    "the archive \(file.path) cannot be written: \(String(cString: strerror(error.errno)))")
        }
    }

    public func importChunks(from file: URL) async throws -> [ChunkIdentifier] {
        let mapped: MappedFile
        do {
            mapped = try MappedFile(file)
        } catch {
            throw ChunkStorageError.storageUnavailable(reason: "the archive \(file.path) cannot be read")
        }
        var identifiers: [ChunkIdentifier] = []
        var reader = TarFormat.Reader(count: mapped.bytes.count)
        func damaged(_ reason: String) -> ChunkStorageError { .corrupt(path: file.path, reason: reason) }
        while let item = try reader.next(in: mapped.bytes, damaged) {
            try Task.checkCancellation()
            guard let identifier = organization.identifier(from: item.path) else {
                throw damaged(
                    "'\(item.path.prefix(100))' is no path of the \(organization.name) organization")
            }
            let metadata = try item.records[Self.metadataKey].map { text in
                guard let value = try? JSONDecoder().decode(ChunkMetadata.self, from: Data(text.utf8)) else {
                    throw damaged("the metadata of a chunk cannot be read")
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
