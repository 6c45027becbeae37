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
        // A look at a name waits for no disk but the first time; another thread takes longer than that.
        try Self.isFile(baseURL.path + "/" + path(of: identifier))
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

    /// With so few in all, each is asked for by itself.
    private static let fewest = 16
    /// How many threads look at folders.
    private static let threads = 4

    private func look(
        for identifiers: [ChunkIdentifier], isLenient: Bool
    ) async throws -> [ChunkIdentifier: Bool] {
        guard identifiers.count > Self.fewest else {
            var result: [ChunkIdentifier: Bool] = [:]
            for identifier in identifiers {
                do {
                    result[identifier] = try Self.isFile(baseURL.path + "/" + path(of: identifier))
                } catch {
                    guard isLenient else { throw error }
                    result[identifier] = false
                }
            }
            return result
        }
        async let wanted = folders(of: identifiers, isLenient)
        var result = [ChunkIdentifier: Bool](minimumCapacity: identifiers.count)
        for identifier in identifiers { result[identifier] = false }
        let all = try await Array(wanted)
        let share = max(1, (all.count + Self.threads - 1) / Self.threads)
        try await withThrowingTaskGroup(of: [ChunkIdentifier].self) { group in
            for start in stride(from: 0, to: all.count, by: share) {
                let part = all[start..<min(all.count, start + share)]
                group.addTask { try await present(in: part, isLenient) }
            }
            for try await found in group {
                for identifier in found where result[identifier] != nil { result[identifier] = true }
            }
        }
        return result
    }

    /// The folders that some chunks would be in.
    @concurrent
    private func folders(of identifiers: [ChunkIdentifier], _ isLenient: Bool) async throws -> Set<String> {
        var folders = Set<String>()
        for identifier in identifiers {
            do {
                let path = try path(of: identifier)
                let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
                folders.insert(cut.map { String(path[..<$0]) } ?? "")
            } catch {
                if !isLenient { throw error }
            }
        }
        return folders
    }

    /// The chunks in some folders.
    private func present(
        in folders: ArraySlice<String>, _ isLenient: Bool
    ) async throws -> [ChunkIdentifier] {
        let (base, organization) = (baseURL.path, organization)
        return try await BlockingWork.run { _ in
            var found: [ChunkIdentifier] = []
            for folder in folders {
                do {
                    for item in try FolderListing.items(ofPath: folder.isEmpty ? base : base + "/" + folder)
                    where !item.isFolder {
                        let path = folder.isEmpty ? item.name : folder + "/" + item.name
                        if let identifier = organization.identifier(from: path) { found.append(identifier) }
                    }
                } catch let error as FileError {
                    if !isLenient { throw ChunkStorageError.storageUnavailable(reason: error.description) }
                }
            }
            return found
        }
    }

    private static func isFile(_ path: String) throws -> Bool {
        do {
            return try FolderListing.isFile(path)
        } catch let error as FileError {
            throw ChunkStorageError.storageUnavailable(reason: error.description)
        }
    }
}
