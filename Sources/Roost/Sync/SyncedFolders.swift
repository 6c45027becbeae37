import Foundation
import RoostFiles
import RoostModel

/// The folders that a store remembers, in the file `folders.json` of the store's folder.
struct SyncedFolders {
    /// The folders, in the order in which they were added.
    private(set) var folders: [SyncedFolder] = []
    private let directory: URL

    static let fileName = "folders.json"
    private static let format = 1
    /// The maximum size of the file in bytes. A larger file was not written by Roost.
    private static let maximumSize = 16 << 20
    /// The number of seconds to wait for another process that changes the list.
    private static let lockTimeout: TimeInterval = 30

    private struct Contents: Codable {
        var format: Int
        var folders: [SyncedFolder]
    }

    /// The beginning of the file in any format.
    private struct Header: Decodable { var format: Int }

    static func url(in directory: URL) -> URL { directory.appendingPathComponent(fileName) }

    /// Reads the list of a store; it is empty if the file does not exist.
    ///
    /// - Throws: ``RoostError`` with `.badInput` or `.newerFormat`; `StorageError`.
    init(in directory: URL) throws {
        self.directory = directory
        let url = Self.url(in: directory)
        let data: Data
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NONBLOCK)
            let size = try file.size()
            guard size <= Self.maximumSize else { throw Self.damaged(url, "it is too large") }
            data = try file.read(at: 0, count: size)
        } catch let error as FileError where error.isMissing {
            return
        } catch {
            throw StorageError.mapping(error)
        }
        let decoder = JSONDecoder()
        guard let header = try? decoder.decode(Header.self, from: data) else {
            throw Self.damaged(url, "it is not a list of folders")
        }
        guard header.format == Self.format else {
            throw RoostError(
                .newerFormat,
                "cannot read \(url.path): format \(header.format) is not supported by this version "
                    + "(\(Self.format))",
                remedy: .upgradeRoost)
        }
        do {
            folders = try decoder.decode(Contents.self, from: data).folders
        } catch {
            throw Self.damaged(url, "one of its folders is invalid")
        }
        guard Set(folders.map(\.id)).count == folders.count,
            Set(folders.map { ExactText($0.path) }).count == folders.count,
            folders.allSatisfy({ $0.path.hasPrefix("/") })
        else { throw Self.damaged(url, "it contains a folder twice, or a path that is not absolute") }
    }

    private static func damaged(_ url: URL, _ reason: String) -> RoostError {
        RoostError(
            .badInput,
            "cannot read \(url.path): \(reason); delete the file, and add the folders again")
    }

    /// Returns the folders with the user's converters.
    func folders(with converters: [String: String]) -> [SyncedFolder] {
        folders.map { folder in
            var folder = folder
            folder.converters = converters
            return folder
        }
    }

    /// Adds a folder. A folder with the same path is replaced and keeps its id.
    mutating func add(_ folder: SyncedFolder) {
        if let index = folders.firstIndex(where: { ExactText.areSame($0.path, folder.path) }) {
            let id = folders[index].id
            folders[index] = folder
            folders[index].id = id
        } else {
            folders.append(folder)
        }
    }

    /// Removes the folder with a path.
    ///
    /// - Returns: The folder; `nil` if the list does not contain it.
    mutating func remove(_ path: String) -> SyncedFolder? {
        guard let index = folders.firstIndex(where: { ExactText.areSame($0.path, path) }) else { return nil }
        return folders.remove(at: index)
    }

    /// Changes the list of a store under a lock, so that no change of another process is lost.
    ///
    /// - Throws: The errors of `body` and ``init(in:)``; `StorageError`.
    static func change<Result: Sendable>(
        in directory: URL, _ body: @escaping @Sendable (inout SyncedFolders) throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run { isCancelled in
            try StorageError.mappingFileErrors {
                let folder = SyncState.folder(in: directory)
                try FileSystem.standard.createFolder(folder)
                let lock = try FileLock.acquire(
                    folder.appendingPathComponent("lock"), timeout: lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                var list = try SyncedFolders(in: directory)
                let old = list.folders
                let result = try body(&list)
                if list.folders != old { try list.save() }
                return result
            }
        }
    }

    /// Copies the list of a store to another store.
    ///
    /// - Throws: `FileError`.
    static func copy(from source: URL, to target: URL) throws {
        do {
            try AtomicFile.copy(url(in: source), to: url(in: target))
        } catch let error as FileError where error.isMissing {
            // The store remembers no folders.
        }
    }

    private func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let contents = Contents(format: Self.format, folders: folders)
        try AtomicFile.write(try encoder.encode(contents), to: Self.url(in: directory))
    }
}
