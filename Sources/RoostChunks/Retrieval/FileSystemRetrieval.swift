public import Foundation
package import RoostFiles

/// Chunks as files below a folder, mode 0600, those of folders 0700.
///
/// A chunk is written to a temporary file, which is synchronised and renamed, and its folder synchronised:
/// after the return it survives a loss of power, and no reader ever sees a part. Metadata lie in `.metadata`
/// beside the chunks and are written first.
public struct FileSystemRetrieval: ChunkStorageRetrieval {
    public let baseURL: URL
    private let files: FileSystem

    /// - Parameter baseURL: is created with the first chunk.
    public init(baseURL: URL) { self.init(baseURL: baseURL, files: .standard) }

    package init(baseURL: URL, files: FileSystem) {
        (self.baseURL, self.files) = (baseURL.standardizedFileURL, files)
    }

    public func readChunk(at path: String) async throws -> Data? {
        let url = try url(of: path)
        return try await attempt { try Self.contents(url) }
    }

    public func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
        _ = try await write(data, at: path, metadata, mustBeNew: false)
    }

    public func chunkExists(at path: String) async -> Bool { (try? await presence(at: path)) ?? false }

    public func presence(at path: String) async throws -> Bool {
        let url = try url(of: path)
        return try await attempt { try FolderListing.isFile(url.path) }
    }

    public func deleteChunk(at path: String) async throws {
        let (chunk, beside) = (try url(of: path), metadataURL(of: path))
        let files = files
        try await attempt {
            try files.unlink(chunk.path)
            try files.unlink(beside.path)
        }
    }

    public func metadata(at path: String) async throws -> ChunkMetadata? {
        let (chunk, beside) = (try url(of: path), metadataURL(of: path))
        return try await attempt {
            guard try FolderListing.isFile(chunk.path), let data = try Self.contents(beside)
            else { return nil }
            guard let metadata = try? JSONDecoder().decode(ChunkMetadata.self, from: data) else {
                throw ChunkStorageError.corrupt(path: path, reason: "its metadata cannot be read")
            }
            return metadata
        }
    }

    /// Of several processes at once one succeeds.
    public func createChunk(
        _ data: Data, at path: String, metadata: ChunkMetadata?
    ) async throws -> Bool {
        try await write(data, at: path, metadata, mustBeNew: true)
    }

    public func paths(in folder: String) async throws -> [String] {
        let prefix = try ChunkPath.prefix(of: folder)
        let top = prefix.isEmpty ? baseURL : baseURL.appendingPathComponent(folder)
        return try await attempt {
            var paths: [String] = []
            var folders = [(top, prefix)]
            while let (url, prefix) = folders.popLast() {
                for item in try FolderListing.items(of: url) {
                    if item.isFolder {
                        if prefix.isEmpty, item.name == ChunkPath.metadataFolder { continue }
                        folders.append((url.appendingPathComponent(item.name), prefix + item.name + "/"))
                    } else if (try? ChunkPath.check(prefix + item.name)) != nil {
                        paths.append(prefix + item.name)
                    }
                }
            }
            return paths
        }
    }

    public func removeLeftovers(in folder: String) async throws {
        let prefix = try ChunkPath.prefix(of: folder)
        let (files, base) = (files, baseURL)
        try await attempt {
            var folders = [prefix.isEmpty ? base : base.appendingPathComponent(folder)]
            while let url = folders.popLast() {
                folders += try FolderListing.items(of: url).filter(\.isFolder).map {
                    url.appendingPathComponent($0.name)
                }
                try AtomicFile.removeLeftovers(in: url, files: files)
            }
        }
    }

    private func write(
        _ data: Data, at path: String, _ metadata: ChunkMetadata?, mustBeNew: Bool
    ) async throws -> Bool {
        let (chunk, beside) = (try url(of: path), metadataURL(of: path))
        let encoded = try metadata.map { metadata in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(metadata)
        }
        let files = files
        return try await attempt {
            if mustBeNew, try FolderListing.isFile(chunk.path) { return false }
            // A file that goes into a folder that is there needs no look at the folders above.
            func inFolder(_ url: URL, _ write: () throws -> Void) throws {
                do {
                    try write()
                } catch let error as FileError where error.errno == ENOENT {
                    try files.createFolder(url.deletingLastPathComponent())
                    try write()
                }
            }
            if let encoded {
                try inFolder(beside) { try AtomicFile.write(encoded, to: beside, files: files) }
            }
            do {
                try inFolder(chunk) {
                    if mustBeNew {
                        try AtomicFile.create(data, at: chunk, files: files)
                    } else {
                        try AtomicFile.write(data, to: chunk, files: files)
                    }
                }
            } catch let error as FileError where mustBeNew && error.errno == EEXIST {
                return false
            }
            // Those of a chunk that was here before are not this one's.
            if encoded == nil { try files.unlink(beside.path) }
            return true
        }
    }

    private func url(of path: String) throws -> URL {
        try ChunkPath.check(path)
        return baseURL.appendingPathComponent(path)
    }

    private func metadataURL(of path: String) -> URL {
        baseURL.appendingPathComponent(ChunkPath.metadataFolder).appendingPathComponent(path + ".json")
    }

    /// - Returns: `nil` where there is no file.
    private static func contents(_ url: URL) throws -> Data? {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NOFOLLOW)
            return try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    /// Runs what blocks on a thread of its own, with errors of the chunk storage.
    private func attempt<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        do {
            return try await BlockingWork.run { _ in try body() }
        } catch let error as FileError {
            switch error.errno {
            case ENAMETOOLONG: throw ChunkStorageError.invalidPath(error.path)
            case ENOSPC, EDQUOT: throw ChunkStorageError.storageFull(reason: error.description)
            default: throw ChunkStorageError.storageUnavailable(reason: error.description)
            }
        }
    }
}
