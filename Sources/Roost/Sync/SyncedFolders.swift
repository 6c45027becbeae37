public import Foundation
import RoostDocuments
import RoostFiles
import RoostModel

/// The folders that a store remembers, in the file `folders.json` of the store's folder.
struct SyncedFolders {
    private(set) var folders: [SyncedFolder] = []
    private let directory: URL

    static let fileName = "folders.json"
    private static let format = 1
    private static let lockTimeout: TimeInterval = 30

    private struct Contents: Codable {
        var format: Int
        var folders: [SyncedFolder]
    }

    private struct Header: Decodable { var format: Int }

    static func url(in directory: URL) -> URL { directory.appendingPathComponent(fileName) }

    init(in directory: URL) throws {
        self.directory = directory
        let url = Self.url(in: directory)
        let data: Data
        do {
            data = try FileContents.beginning(of: url.path, count: .max)
        } catch let error as FileError where error.isMissing {
            return
        } catch {
            throw StorageError.mapping(error)
        }
        if let format = try? JSONDecoder().decode(Header.self, from: data).format, format != Self.format {
            throw RoostError(
                .newerFormat,
                "cannot read \(url.path): format \(format) is not supported by this version "
                    + "(\(Self.format))",
                remedy: .upgradeRoost)
        }
        guard let folders = try? JSONDecoder().decode(Contents.self, from: data).folders,
            Set(folders.map(\.id)).count == folders.count,
            Set(folders.map { ExactText($0.path) }).count == folders.count,
            folders.allSatisfy({ $0.path.hasPrefix("/") })
        else {
            throw RoostError(
                .badInput,
                "cannot read \(url.path): it is not a valid list of folders; delete the file, and add the "
                    + "folders again")
        }
        self.folders = folders
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

    mutating func remove(_ path: String) -> SyncedFolder? {
        guard let index = folders.firstIndex(where: { ExactText.areSame($0.path, path) }) else { return nil }
        return folders.remove(at: index)
    }

    /// Changes the list of a store under a lock, so that no change of another process is lost.
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

    static func copy(from source: URL, to target: URL) throws {
        do {
            try AtomicFile.copy(url(in: source), to: url(in: target))
        } catch let error as FileError where error.isMissing {
            // The store remembers no folders.
        }
    }

    private func save() throws {
        let contents = Contents(format: Self.format, folders: folders)
        let data = try JSONTextEncoder(isPretty: true).encode(contents)
        try AtomicFile.write(data, to: Self.url(in: directory))
    }
}

/// A folder that a store remembers, and how its files are ingested.
public struct SyncedFolder: Sendable, Hashable, Identifiable, Codable {
    /// The id of the folder within the list of the store.
    public var id: UUID
    /// The absolute path, without symbolic links.
    public var path: String
    /// The patterns that files must match (``FileFinder/globs``).
    public var globs: [String] = []
    /// The patterns of files and folders to exclude (``FileFinder/exclusions``).
    public var exclusions: [String] = []
    /// Whether symbolic links are followed (``FileFinder/followsLinks``).
    public var followsLinks = false
    /// The column, or JSON key, that contains the text of a row (``RecordReader/textColumn``).
    public var textColumn: String?
    /// The column, or JSON key, that contains the name of a row (``RecordReader/idColumn``).
    public var idColumn: String?
    /// The tags that every entry gets.
    public var tags: [String] = []
    /// Whether the files are stored byte for byte (``RecordReader/keepsOriginals``).
    public var keepsOriginals = false
    /// The converters of files (``StoreSettings/converters``). They are never stored with a folder, because
    /// nothing in a store may select a program.
    package var converters: [String: String] = [:]

    private enum CodingKeys: String, CodingKey {
        case id, path, globs, exclusions, followsLinks, textColumn, idColumn, tags, keepsOriginals
    }

    /// Creates the description of a folder. Symbolic links in its path are resolved.
    public init(_ url: URL) {
        id = UUID()
        path = FileSystem.resolvedPath(url.path) ?? url.standardizedFileURL.path
    }

    var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    package var finder: FileFinder {
        var finder = FileFinder(globs: globs, exclusions: exclusions)
        finder.followsLinks = followsLinks
        finder.readers = DocumentReaders.standard.adding(converters: converters)
        return finder
    }

    package var reader: RecordReader {
        var reader = RecordReader(textColumn: textColumn, idColumn: idColumn)
        reader.keepsOriginals = keepsOriginals
        reader.readers = DocumentReaders.standard.adding(converters: converters)
        return reader
    }

    /// A text that changes if unchanged files have to be read again: because of the options, or because
    /// Roost has another version of a reader.
    var readingKey: String {
        let readers = reader.readers.readers.flatMap { reader in reader.types.map(reader.suffix) }
        let options = [textColumn ?? "", idColumn ?? "", String(keepsOriginals)] + tags
        return options.joined(separator: "\u{0}") + readers.joined()
    }

    /// Returns the path of a file relative to the folder; `nil` if the file is not below the folder.
    func relativePath(of file: String) -> String? {
        let prefix = path == "/" ? path : path + "/"
        if file == path { return "" }
        return file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : nil
    }
}
