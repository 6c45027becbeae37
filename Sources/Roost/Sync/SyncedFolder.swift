public import Foundation
import RoostDocuments
import RoostFiles

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
    /// The converters of files (``KnowledgeStore/converters``). They are never stored with a folder, because
    /// nothing in a store may select a program.
    var converters: [String: String] = [:]

    private enum CodingKeys: String, CodingKey {
        case id, path, globs, exclusions, followsLinks, textColumn, idColumn, tags, keepsOriginals
    }

    /// Creates the description of a folder. Symbolic links in its path are resolved.
    public init(_ url: URL) {
        id = UUID()
        path = FileSystem.resolvedPath(url.path) ?? url.standardizedFileURL.path
    }

    var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    var finder: FileFinder {
        var finder = FileFinder(globs: globs, exclusions: exclusions)
        finder.followsLinks = followsLinks
        finder.readers = DocumentReaders.standard.adding(converters: converters)
        return finder
    }

    var reader: RecordReader {
        var reader = RecordReader(textColumn: textColumn, idColumn: idColumn)
        reader.keepsOriginals = keepsOriginals
        reader.readers = DocumentReaders.standard.adding(converters: converters)
        return reader
    }

    /// A text that changes if unchanged files have to be read again: because of the options, or because
    /// Roost has another version of a reader.
    var readingKey: String {
        let readers = reader.readers.readers.flatMap { reader in
            reader.types.map { ReaderVersion(type: $0.name, version: reader.version).suffix }
        }
        let options = [textColumn ?? "", idColumn ?? "", String(keepsOriginals)] + tags
        return options.joined(separator: "\u{0}") + readers.joined() + RecordReader.rowSuffix
            + Self.decodingSuffix
    }

    /// The version of the decoding of texts: later versions read encodings that earlier ones skipped.
    private static let decodingSuffix = ";decoding.2"

    /// Returns the path of a file relative to the folder; `nil` if the file is not below the folder.
    func relativePath(of file: String) -> String? {
        let prefix = path == "/" ? path : path + "/"
        if file == path { return "" }
        return file.hasPrefix(prefix) ? String(file.dropFirst(prefix.count)) : nil
    }
}
