public import Foundation
import RoostFiles

/// An existence check for chunks that ``FileSystemRetrieval`` wrote below a folder.
///
/// A single chunk is looked up by name. For many chunks, each folder that could contain one of them is listed
/// once.
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

    /// Returns, for each identifier, whether the chunk exists. Chunks in a folder that cannot be listed are
    /// reported as missing.
    public func chunkExists(identifiers: [ChunkIdentifier]) async -> [ChunkIdentifier: Bool] {
        (try? await lookUp(identifiers, isLenient: true))
            ?? Dictionary(identifiers.map { ($0, false) }) { first, _ in first }
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        // `lstat` reads the disk only if the folder is not cached, so moving the call to another thread would
        // usually cost more than the call itself.
        try Self.isFile(baseURL.path + "/" + path(of: identifier))
    }

    /// Returns, for each identifier, whether the chunk exists.
    ///
    /// - Complexity: O(*n* + *m*), where *n* is the number of identifiers and *m* the number of files in
    ///   their folders.
    public func presence(of identifiers: [ChunkIdentifier]) async throws -> [ChunkIdentifier: Bool] {
        try await lookUp(identifiers, isLenient: false)
    }

    private func path(of identifier: ChunkIdentifier) throws -> String {
        let path = organization.storagePath(for: identifier)
        guard !identifier.id.isEmpty, organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        try ChunkPath.check(path)
        return path
    }

    /// The maximum number of identifiers that are looked up one by one instead of by listing folders.
    private static let maximumSingleLookUps = 16
    /// The number of threads that list folders.
    private static let threadCount = 4

    private func lookUp(
        _ identifiers: [ChunkIdentifier], isLenient: Bool
    ) async throws -> [ChunkIdentifier: Bool] {
        guard identifiers.count > Self.maximumSingleLookUps else {
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
        let share = max(1, (all.count + Self.threadCount - 1) / Self.threadCount)
        try await withThrowingTaskGroup(of: [ChunkIdentifier].self) { group in
            for start in stride(from: 0, to: all.count, by: share) {
                let part = all[start..<min(all.count, start + share)]
                group.addTask { try await chunks(in: part, isLenient) }
            }
            for try await found in group {
                for identifier in found where result[identifier] != nil { result[identifier] = true }
            }
        }
        return result
    }

    /// Returns the folders that can contain the given chunks.
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

    /// Returns the chunks that the given folders contain.
    private func chunks(
        in folders: ArraySlice<String>, _ isLenient: Bool
    ) async throws -> [ChunkIdentifier] {
        let (base, organization) = (baseURL.path, organization)
        return try await BlockingWork.run { _ in
            var found: [ChunkIdentifier] = []
            for folder in folders {
                do {
                    let listed = folder.isEmpty ? base : base + "/" + folder
                    for item in try FolderListing.filesAndFolders(in: listed) where item.kind == .file {
                        let path = folder.isEmpty ? item.name : folder + "/" + item.name
                        if let identifier = organization.identifier(from: path) { found.append(identifier) }
                    }
                } catch let error as FileError {
                    if !isLenient { throw ChunkStorageError(error) }
                }
            }
            return found
        }
    }

    private static func isFile(_ path: String) throws -> Bool {
        do {
            return try FileSystem.isRegularFile(path)
        } catch let error as FileError {
            throw ChunkStorageError(error)
        }
    }
}
