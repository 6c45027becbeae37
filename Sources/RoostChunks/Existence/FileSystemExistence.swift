public import Foundation
import RoostFiles

/// Which chunks are below a folder, as ``FileSystemRetrieval`` puts them there.
///
/// One chunk is asked for by its name; of many, the folders that they would be in are listed, each once.
public struct FileSystemExistence: ChunkStorageExistence {
    public let organization: any ChunkStorageOrganization
    public let baseURL: URL

    public init(organization: any ChunkStorageOrganization, baseURL: URL) {
        (self.organization, self.baseURL) = (organization, baseURL.standardizedFileURL)
    }

    public func chunkExists(identifier: ChunkIdentifier) async -> Bool {
        (try? await presence(of: identifier)) ?? false
    }

    /// Where a folder cannot be listed, its chunks are said not to be there.
    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        (try? await look(for: identifiers, isLenient: true))
            ?? Dictionary(identifiers.map { ($0, false) }) { first, _ in first }
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await FileSystemRetrieval(baseURL: baseURL).presence(at: try path(of: identifier))
    }

    /// - Complexity: O(identifiers + what is in their folders).
    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        try await look(for: identifiers, isLenient: false)
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        try ChunkPath.check(path)
        return path
    }

    /// With so few in a folder, each is asked for by itself.
    private static let fewInFolder = 4

    private func look(
        for identifiers: [ChunkIdentifier], isLenient: Bool
    ) async throws -> [ChunkIdentifier: Bool] {
        var result = [ChunkIdentifier: Bool](minimumCapacity: identifiers.count)
        var wanted: [Substring: [(name: Substring, identifier: ChunkIdentifier)]] = [:]
        for identifier in identifiers where result.updateValue(false, forKey: identifier) == nil {
            do {
                let path = Substring(try path(of: identifier))
                let cut = path.lastIndex(of: "/")
                let name = cut.map { path[path.index(after: $0)...] } ?? path
                wanted[cut.map { path[..<$0] } ?? "", default: []].append((name, identifier))
            } catch {
                if !isLenient { throw error }
            }
        }
        let (baseURL, groups) = (baseURL, wanted)
        let found = try await BlockingWork.run { _ in
            var found: [ChunkIdentifier] = []
            for (folder, chunks) in groups {
                let url = folder.isEmpty ? baseURL : baseURL.appendingPathComponent(String(folder))
                do {
                    found += try Self.present(chunks, in: url)
                } catch let error as FileError {
                    if !isLenient { throw ChunkStorageError.storageUnavailable(reason: error.description) }
                }
            }
            return found
        }
        for identifier in found { result[identifier] = true }
        return result
    }

    private static func present(
        _ chunks: [(name: Substring, identifier: ChunkIdentifier)], in folder: URL
    ) throws -> [ChunkIdentifier] {
        if chunks.count <= fewInFolder {
            return try chunks.filter { chunk in
                var status = stat()
                let path = folder.path + "/" + chunk.name
                guard lstat(path, &status) == 0 else {
                    let code = errno
                    if code == ENOENT || code == ENOTDIR { return false }
                    throw FileError(operation: "look for", path: path, errno: code)
                }
                return status.st_mode & S_IFMT == S_IFREG
            }.map(\.identifier)
        }
        let names = Set(
            try FolderListing.items(of: folder).lazy.filter { !$0.isFolder }.map { Substring($0.name) })
        return chunks.filter { names.contains($0.name) }.map(\.identifier)
    }
}
