public import Foundation
package import RoostFiles

/// A retrieval that keeps each chunk in a file below a folder.
///
/// Files have the permissions 0600, folders 0700. A write creates a temporary file, synchronizes it, renames
/// it and synchronizes the folder. Therefore, a chunk survives a power failure once its write has returned,
/// and no reader ever sees a partial chunk. Metadata is kept in the folder `.metadata` at the root.
/// ``writeChunk(_:at:metadata:)`` writes it before the chunk, and ``createChunk(_:at:metadata:)`` after it.
public struct FileSystemRetrieval: ChunkStorageRetrieval {
    /// The folder of the storage.
    public let baseURL: URL
    private let files: FileSystem

    /// Creates a retrieval.
    ///
    /// - Parameter baseURL: The folder of the storage. The first write creates it.
    public init(baseURL: URL) { self.init(baseURL: baseURL, files: .standard) }

    package init(baseURL: URL, files: FileSystem) {
        (self.baseURL, self.files) = (baseURL.standardizedFileURL, files)
    }

    public func readChunk(at path: String) async throws -> Data? {
        let url = try url(of: path)
        return try await blocking { try Self.contents(url) }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        let (chunk, metadataFile) = (try url(of: path), metadataURL(of: path))
        let encoded = try metadata.map { try JSONEncoder.canonical.encode($0) }
        try await blocking {
            if encoded != nil { try write(encoded, asMetadata: metadataFile) }
            try creatingFolder(of: chunk) { try AtomicFile.write(data, to: chunk, files: files) }
            // The metadata of a chunk that was replaced must not be attributed to the new one.
            if encoded == nil { try write(nil, asMetadata: metadataFile) }
        }
    }

    public func presence(at path: String) async throws -> Bool {
        try ChunkPath.check(path)
        do {
            // `lstat` reads the disk only if the folder is not cached, so moving the call to another thread
            // would usually cost more than the call itself.
            return try FileSystem.sizeOfRegularFile(baseURL.path + "/" + path) != nil
        } catch let error as FileError {
            throw ChunkStorageError(error)
        }
    }

    public func deleteChunk(at path: String) async throws {
        let (chunk, metadata) = (try url(of: path), metadataURL(of: path))
        try await blocking {
            try files.unlink(chunk.path)
            try files.unlink(metadata.path)
        }
    }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        let (chunk, metadata) = (try url(of: path), metadataURL(of: path))
        return try await blocking {
            guard try FileSystem.sizeOfRegularFile(chunk.path) != nil, let data = try Self.contents(metadata)
            else { return nil }
            guard let metadata = try? JSONDecoder().decode(ChunkMetadata.self, from: data) else {
                throw ChunkStorageError.corrupt(path: path, reason: "its metadata cannot be decoded")
            }
            return metadata
        }
    }

    /// Writes a chunk unless one exists at this path.
    ///
    /// - **Atomicity**: If several processes create the same chunk at the same time, exactly one succeeds,
    ///   and the others change neither the chunk nor its metadata. The metadata is written after the chunk; a
    ///   process that is killed between these two steps leaves a chunk without metadata.
    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        let (chunk, metadataFile) = (try url(of: path), metadataURL(of: path))
        let encoded = try metadata.map { try JSONEncoder.canonical.encode($0) }
        return try await blocking {
            do {
                try creatingFolder(of: chunk) { try AtomicFile.create(data, at: chunk, files: files) }
            } catch let error as FileError where error.errno == EEXIST {
                return false
            }
            do {
                // A process that was killed may have left metadata without a chunk.
                try write(encoded, asMetadata: metadataFile)
            } catch {
                // This call has created the chunk, but its error means that it has not.
                try? files.unlink(chunk.path)
                throw error
            }
            return true
        }
    }

    public func chunks(in folder: String) async throws -> [ListedChunk] {
        let (top, base) = (try ChunkPath.prefix(of: folder), baseURL.path)
        return try await blocking {
            var chunks: [ListedChunk] = []
            try Self.forEachFolder(in: top, of: base) { _, files in
                chunks += files.filter { (try? ChunkPath.check($0.path)) != nil }
            }
            return chunks
        }
    }

    public func removeLeftovers(in folder: String) async throws {
        let (top, base, files) = (try ChunkPath.prefix(of: folder), baseURL.path, files)
        try await blocking {
            try Self.forEachFolder(in: top, of: base) { prefix, _ in
                try AtomicFile.removeLeftovers(in: URL(filePath: "\(base)/\(prefix)"), files: files)
            }
        }
    }

    /// Calls a closure with the beginning of the paths in a folder and in each of its subfolders, and with the
    /// regular files there. Everything else, such as symbolic links, is omitted.
    private static func forEachFolder(
        in top: String, of base: String, _ body: (_ prefix: String, _ files: [ListedChunk]) throws -> Void
    ) throws {
        var prefixes = [top]
        while let prefix = prefixes.popLast() {
            do {
                var files: [ListedChunk] = []
                for path in try FolderListing("\(base)/\(prefix)").names.map({ prefix + $0 }) {
                    // A file that was deleted after it had been listed is omitted.
                    guard let status = try FileSystem.status(of: "\(base)/\(path)") else { continue }
                    if status.isFolder { prefixes.append(path + "/") }
                    if status.isRegularFile {
                        files.append(ListedChunk(path: path, size: Int(status.st_size)))
                    }
                }
                try body(prefix, files)
            } catch let error as FileError where error.isMissing {
                continue
            }
        }
    }

    /// Writes metadata; removes it if it is `nil`.
    private func write(_ metadata: Data?, asMetadata file: URL) throws {
        guard let metadata else { return try files.unlink(file.path) }
        try creatingFolder(of: file) { try AtomicFile.write(metadata, to: file, files: files) }
    }

    /// Calls a function that creates a file, and calls it again after creating the folder of the file if
    /// that does not exist. The folder usually exists, and creating it only after a failure avoids a check of
    /// every ancestor.
    private func creatingFolder<Value>(of url: URL, _ write: () throws -> Value) throws -> Value {
        do {
            return try write()
        } catch let error as FileError where error.errno == ENOENT {
            try files.createFolder(url.deletingLastPathComponent())
            return try write()
        }
    }

    private func url(of path: String) throws -> URL {
        try ChunkPath.check(path)
        return baseURL.appendingPathComponent(path)
    }

    private func metadataURL(of path: String) -> URL {
        baseURL.appendingPathComponent(ChunkPath.metadataFolder).appendingPathComponent(path + ".json")
    }

    /// - Returns: `nil` if the file does not exist.
    /// - Throws: `FileError`, with `EINVAL` if the URL names something other than a regular file.
    private static func contents(_ url: URL) throws -> Data? {
        do {
            // Without O_NONBLOCK, opening a named pipe would wait for a writer.
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            var status = stat()
            guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw FileError(operation: "read", path: url.path, errno: EINVAL)
            }
            return try file.read(at: 0, count: Int(status.st_size))
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    private func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await BlockingWork.run { _ in try body() }
        } catch let error as FileError {
            throw ChunkStorageError(error)
        }
    }
}
