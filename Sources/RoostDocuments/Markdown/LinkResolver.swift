import Foundation
public import RoostModel

/// Finds the notes to which links point, by the rules of Obsidian.
///
/// A name such as `Note` or `Folder/Note` denotes the notes whose path ends with it; letter case and the
/// extension of Markdown files do not matter. If several notes match, the order of precedence is: the note
/// whose complete path below the root is the name; a note in the folder of the note that contains the link;
/// the note with the shortest path; and the first path in alphabetical order. A name that begins with `./` or
/// `../` is relative to the folder of the note, and one that begins with `/` is relative to the root. If no
/// path matches, the name can be an alias.
///
/// The target of a Markdown link is a path relative to the folder of the note, with percent-encoding. If no
/// note has this path, the target is resolved like a name.
public struct LinkResolver: Sendable {
    /// A note that links can name.
    public struct Note: Sendable, Hashable {
        /// The path, absolute or relative to any folder that all notes share.
        public var path: String
        /// The other names of the note.
        public var aliases: [String]

        /// Creates a note.
        public init(path: String, aliases: [String] = []) {
            self.path = path
            self.aliases = aliases
        }
    }

    /// The extensions in lowercase letters, with a dot, that a link need not contain.
    public static let noteExtensions = [".md", ".markdown", ".mdx"]

    /// The maximum number of folders in the end of a path. It bounds the memory for deeply nested notes.
    private static let maximumFolders = 32

    /// The components of the folder that contains all notes.
    private let root: [String]
    /// The notes by complete path below the root.
    private let byPath: [String: Int]
    /// The notes by the end of their path: their name and some of the folders above it.
    private let byPathEnd: [String: Int]
    /// The notes by alias, of all folders and of each folder.
    private let byAlias: [FolderAlias: Int]

    private struct FolderAlias: Hashable, Sendable {
        /// The path of the folder; `nil` for the note that takes precedence over those of other folders.
        var folder: String?
        var alias: String
    }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - notes: The notes.
    ///   - root: The path of the vault. Default: the deepest folder that contains all notes.
    /// - Complexity: O(n log n) for n notes.
    public init(notes: [Note], root: String? = nil) {
        let components = notes.map { Self.components($0.path) }
        let rootComponents = root.map(Self.components) ?? Self.commonFolder(components)
        self.root = rootComponents
        let paths = components.map {
            $0.starts(with: rootComponents) ? Array($0.dropFirst(rootComponents.count)) : $0
        }
        // The notes in the order of their precedence. The first note with a path or an alias is kept.
        let ordered = paths.enumerated().map { (index: $0.offset, path: $0.element.joined(separator: "/")) }
            .sorted { ($0.path.utf16.count, $0.path, $0.index) < ($1.path.utf16.count, $1.path, $1.index) }
        var (byPath, byPathEnd) = ([:] as [String: Int], [:] as [String: Int])
        var byAlias: [FolderAlias: Int] = [:]
        for (index, path) in ordered {
            for form in Self.forms(path) where byPath[form] == nil { byPath[form] = index }
            for var end in Self.forms(paths[index].last ?? "") {
                for folder in paths[index].dropLast().suffix(Self.maximumFolders).reversed() + [""] {
                    if byPathEnd[end] == nil { byPathEnd[end] = index }
                    end = folder + "/" + end
                }
            }
            let folder = paths[index].dropLast().joined(separator: "/")
            for alias in Set(notes[index].aliases.map(Self.key)) {
                for key in [FolderAlias(folder: nil, alias: alias), .init(folder: folder, alias: alias)]
                where byAlias[key] == nil {
                    byAlias[key] = index
                }
            }
        }
        (self.byPath, self.byPathEnd, self.byAlias) = (byPath, byPathEnd, byAlias)
    }

    /// Returns the index of the note to which a link points; `nil` if no note matches, or if the target is
    /// not a note.
    ///
    /// - Parameters:
    ///   - link: The link. Without a target, it points to the note that contains it.
    ///   - path: The path of the note that contains the link.
    /// - Complexity: O(length of target).
    public func resolve(_ link: DocumentLink, from path: String) -> Int? {
        guard !link.isExternal else { return nil }
        let source = relative(Self.components(path))
        let folder = Array(source.dropLast())
        guard !link.target.isEmpty else { return byPath[source.joined(separator: "/")] }
        // Wiki links have no percent-encoding, but Obsidian's Markdown links do, also as embeds.
        if link.kind != .wiki, let decoded = link.target.removingPercentEncoding, decoded != link.target {
            return resolve(decoded, folder: folder, isAddress: true)
                ?? resolve(link.target, folder: folder, isAddress: true)
        }
        return resolve(link.target, folder: folder, isAddress: link.kind == .address)
    }

    private func resolve(_ target: String, folder: [String], isAddress: Bool) -> Int? {
        let key = Self.key(target)
        if key.hasPrefix("/") { return byPath[Self.components(key).joined(separator: "/")] }
        let isRelative = key.hasPrefix("./") || key.hasPrefix("../")
        let name = key.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        if isRelative || isAddress {
            if let path = Self.joined(folder, name), let index = byPath[path] { return index }
            if isRelative { return nil }
        }
        return byPathSuffix(name, folder: folder)
            ?? byAlias[FolderAlias(folder: folder.joined(separator: "/"), alias: key)]
            ?? byAlias[FolderAlias(folder: nil, alias: key)]
    }

    /// Returns the note whose path ends with a name.
    private func byPathSuffix(_ name: [String], folder: [String]) -> Int? {
        guard let last = name.last else { return nil }
        let end = name.joined(separator: "/")
        if let index = byPath[end] { return index }
        if folder.suffix(name.count - 1) == name.dropLast(),
            let index = byPath[(folder + [last]).joined(separator: "/")]
        {
            return index
        }
        return byPathEnd[end]
    }

    private func relative(_ components: [String]) -> ArraySlice<String> {
        components.starts(with: root) ? components.dropFirst(root.count) : components[...]
    }

    // MARK: Paths

    /// Returns the form of a name by which notes are found: lowercase letters in the composed form of
    /// Unicode.
    static func key(_ name: String) -> String {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        let lower = name.trimmed.lowercased()
        return isASCII ? lower : lower.precomposedStringWithCanonicalMapping
    }

    private static func components(_ path: String) -> [String] {
        key(path).split(separator: "/", omittingEmptySubsequences: true).filter { $0 != "." }.map(String.init)
    }

    /// Returns a path with and without the extension of a note.
    private static func forms(_ path: String) -> [String] {
        for ending in noteExtensions where path.hasSuffix(ending) && path.utf8.count > ending.utf8.count {
            return [path, String(path.dropLast(ending.count))]
        }
        return [path]
    }

    /// Returns a path relative to a folder; `nil` if it leaves the root.
    private static func joined(_ folder: [String], _ name: [String]) -> String? {
        var result = folder
        for component in name where component != "." {
            if component == ".." {
                guard !result.isEmpty else { return nil }
                result.removeLast()
            } else {
                result.append(component)
            }
        }
        return result.joined(separator: "/")
    }

    private static func commonFolder(_ paths: [[String]]) -> [String] {
        guard let first = paths.first?.dropLast() else { return [] }
        var length = first.count
        for path in paths {
            var common = 0
            while common < min(length, path.count - 1), path[common] == first[common] { common += 1 }
            length = common
        }
        return Array(first.prefix(length))
    }
}
