public import Foundation
public import RoostDocuments
import RoostFiles

/// Finds the files below a folder that an ingest reads.
///
/// Hidden files and files that a `.gitignore` excludes are omitted. By default, symbolic links are followed
/// only to files below the same folder: a link that leads out of it could add files that the user did not
/// intend to add, or send them to the server of a remote model.
public struct FileFinder: Sendable {
    /// The patterns that files must match to be included: of their names, or with a slash of their paths
    /// relative to the folder. `*` and `?` match within a name, `**` across folders, and `[a-z]` one of
    /// several characters. Alternatives in braces are not supported. A slash at the end matches all files in
    /// a folder. Without patterns, the files of all types that ``readers`` supports are included, and those
    /// whose rows become entries (``RecordReader/rowExtensions``). Files without an extension are included if
    /// a reader recognizes their first 4,096 bytes.
    public var globs: [String]
    /// The patterns of files and folders to exclude, in the form of ``globs``. A slash at the end matches
    /// folders only; `/` or `./` at the beginning makes a pattern relative to the folder.
    public var exclusions: [String]
    /// Whether symbolic links to folders, and to files outside of the folder, are followed.
    public var followsLinks = false
    /// The readers that determine which types of files are included.
    public var readers = DocumentReaders.standard

    package static let typeReason = "unknown file type"
    static let nameReason = "its name is not valid UTF-8"
    static let storeReason = "a store of Roost"
    /// The reason that is reported for a skipped link that ``followsLinks`` would follow.
    package static let linkReason = "a symbolic link that leads out of the folder, or to a folder"

    /// Creates a finder.
    public init(globs: [String] = [], exclusions: [String] = []) {
        self.globs = globs
        self.exclusions = exclusions
    }

    /// Returns the first pattern with a brace that is not escaped; otherwise `nil`.
    ///
    /// In a `.gitignore` file, braces are literal. In a shell, they enclose alternatives, so a pattern like
    /// `*.{key,pem}` would not exclude the files that its author expects.
    package static func patternWithBraces(in patterns: [String]) -> String? {
        patterns.first { $0.replacing(/\\./, with: "").contains(/[{}]/) }
    }

    func checkPatterns() throws {
        guard let pattern = Self.patternWithBraces(in: globs + exclusions) else { return }
        throw RoostError(
            .badInput,
            "invalid pattern \(pattern): alternatives in braces are not supported; give one pattern for each")
    }

    /// The result of a search for files.
    public struct Findings: Sendable {
        /// The files, in the order of their paths.
        public var files: [URL] = []
        /// The files and folders that were skipped, and the reasons.
        public var skipped: [IngestReport.Finding] = []
    }

    /// Returns the files below a folder, or the file itself if `url` is a file.
    ///
    /// - Parameter isCancelled: Returns whether to end the search with `CancellationError`.
    /// - Throws: ``RoostError`` with `.noInput` if the path does not exist or the folder cannot be read, and
    ///   with `.badInput` for a pattern with a brace that is not escaped.
    public func find(_ url: URL, isCancelled: @escaping () -> Bool = { false }) throws -> Findings {
        try checkPatterns()
        guard try Self.isFolder(url) else { return Findings(files: [url]) }
        let walk = try walk(url, isCancelled: isCancelled)
        return Findings(
            files: walk.files.map { URL(fileURLWithPath: $0.path, isDirectory: false) },
            skipped: walk.skipped)
    }

    /// Returns whether a path is that of a folder.
    package static func isFolder(_ url: URL) throws -> Bool {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            let cause = isMissing ? "no such file or folder" : FileContents.cause(errno)
            throw RoostError(.noInput, "cannot read \(url.path): \(cause)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return false }
        guard access(url.path, R_OK | X_OK) == 0 else {
            throw RoostError(
                .noInput, "cannot read the folder \(url.path): \(FileContents.cause(errno))")
        }
        return true
    }

    func walk(
        _ folder: URL, omitting omitted: Set<String> = [],
        willEnter: @escaping (String) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws -> FolderWalk {
        let (base, rules) = Self.rulesAbove(folder)
        var walk = FolderWalk(
            omitted: omitted, willEnter: willEnter, isCancelled: isCancelled, base: base,
            globs: globs.map { PathPattern($0) }, exclusions: exclusions.map { PathPattern($0) },
            followsLinks: followsLinks, known: KnownFiles(readers), root: FileSystem.resolvedPath(folder.path)
        )
        try walk.enter(folder.path, path: "", rules: rules)
        return walk
    }

    /// Returns the rules of the `.gitignore` files in the parent folders, up to the root of the repository,
    /// and the path of the folder relative to that root.
    private static func rulesAbove(_ folder: URL) -> (base: String, rules: [FolderWalk.Rules]) {
        var names: [String] = []
        var above = folder.standardizedFileURL.resolvingSymlinksInPath()
        while !FileManager.default.fileExists(atPath: above.appendingPathComponent(".git").path) {
            guard above.path != "/" else { return ("", []) }
            names.insert(above.lastPathComponent, at: 0)
            above = above.deletingLastPathComponent()
        }
        var rules: [FolderWalk.Rules] = []
        var path = ""
        for name in names {
            if let own = IgnoreRules(in: above) { rules.append(.init(prefix: path, rules: own)) }
            path = path.isEmpty ? name : path + "/" + name
            above = above.appendingPathComponent(name)
        }
        return (path, rules)
    }
}

/// The files that a search of a folder finds if there are no patterns: those with the name or extension of
/// a type that a reader supports, and files without an extension whose contents a reader recognizes.
struct KnownFiles {
    private var names: Set<String> = []
    private var extensions = RecordReader.rowExtensions
    private let readers: DocumentReaders

    private static let sampleLength = 4096
    /// The folders of a Maildir with messages, whose names have no extension but contain periods.
    private static let maildirFolders: Set<Substring> = ["cur", "new"]

    init(_ readers: DocumentReaders) {
        self.readers = readers
        for type in readers.types where type.isReadInFolders {
            names.formUnion(type.fileNames)
            extensions.formUnion(type.extensions)
        }
    }

    func contains(_ file: String, name: String, isRegular: Bool) -> Bool {
        if names.contains(name) { return true }
        let dot = name.lastIndex(of: ".")
        if let dot {
            if extensions.contains(name[name.index(after: dot)...].lowercased()) { return true }
            guard Self.maildirFolders.contains(file.split(separator: "/").dropLast().last ?? "") else {
                return false
            }
        }
        guard isRegular, let sample = try? FileContents.beginning(of: file, count: Self.sampleLength),
            !sample.isEmpty
        else { return false }
        let input = DocumentInput(data: sample, path: file)
        guard let type = readers.recognized(input)?.type, type.isReadInFolders else { return false }
        // Other folders have these names, too.
        return dot == nil || type.format == .mail
    }
}

struct FolderWalk {
    struct File: Sendable {
        var path: String
        var relativePath: String
        /// The status of the file, or of the target of a link; `nil` for a link without a target.
        var status: FileStatus?
    }

    struct Rules {
        /// The path of the folder relative to the root of the repository.
        var prefix: String
        var rules: IgnoreRules
    }

    private(set) var files: [File] = []
    private(set) var skipped: [IngestReport.Finding] = []
    var omitted: Set<String> = []
    var willEnter: (String) -> Void = { _ in }
    var isCancelled: () -> Bool = { false }

    /// The path of the folder relative to the root of its repository, to which `.gitignore` files apply.
    let base: String
    let globs: [PathPattern]
    let exclusions: [PathPattern]
    let followsLinks: Bool
    let known: KnownFiles
    /// The path of the folder without symbolic links.
    let root: String?
    /// The folders from the root to the current one, without symbolic links, if links are followed.
    var open: [String] = []

    mutating func enter(_ folder: String, path: String, rules: [Rules]) throws {
        if isCancelled() { throw CancellationError() }
        let isStore = isStore(folder)
        if isStore, !path.isEmpty { return skip(folder, FileFinder.storeReason) }
        // The folder that the user named can be that of a project and its store.
        if isStore { skip(folder + "/" + StoreManifest.fileName, FileFinder.storeReason) }
        if followsLinks {
            let resolved = FileSystem.resolvedPath(folder) ?? folder
            guard !open.contains(resolved) else {
                return skip(folder, "a symbolic link to one of its parent folders")
            }
            open.append(resolved)
        }
        defer { if followsLinks { open.removeLast() } }
        // A program that watches the folder must not miss a change after the listing.
        willEnter(folder)
        // The permission to list a folder does not include that to open the files in it.
        guard access(folder, X_OK) == 0 || errno != EACCES, let listing = try? FolderListing(folder) else {
            if path.isEmpty {
                throw RoostError(
                    .noInput, "cannot read the folder \(folder): permission denied or an I/O error")
            }
            return skip(folder, "the folder cannot be read")
        }
        for name in listing.invalidNames.sorted() where !name.hasPrefix(".") {
            skip(folder + "/" + name, FileFinder.nameReason)
        }
        var rules = rules
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        if let own = IgnoreRules(in: url) {
            rules.append(Rules(prefix: inRepository(path), rules: own))
        }
        let prefix = folder == "/" ? "/" : folder + "/"
        // Hidden files are never read.
        for name in listing.names.sorted() where !name.hasPrefix(".") {
            if isStore, StoreManifest.ownName(of: name) == name { continue }
            try visit(prefix + name, name, path: path.isEmpty ? name : path + "/" + name, rules: rules)
        }
    }

    /// Returns whether a folder is a store. Its files are not texts of the user, and change with each ingest.
    private func isStore(_ folder: String) -> Bool {
        access("\(folder)/\(StoreManifest.fileName)", F_OK) == 0
            && access(StoreConfiguration.lockURL(URL(fileURLWithPath: folder)).path, F_OK) == 0
    }

    private mutating func visit(
        _ file: String, _ name: String, path: String, rules: [Rules]
    ) throws {
        var status = stat()
        // The file may have been removed after its folder was listed.
        guard !omitted.contains(file), lstat(file, &status) == 0 else { return }
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        let exists = !isLink || stat(file, &status) == 0
        let isFolder = exists && status.st_mode & S_IFMT == S_IFDIR
        if exclusions.contains(where: { $0.matches(path, isFolder: isFolder) }) { return }
        if isIgnored(inRepository(path), isFolder, rules) { return }
        if isFolder {
            if isLink, !followsLinks {
                skip(file, FileFinder.linkReason)
            } else {
                try enter(file, path: path, rules: rules)
            }
        } else if globs.isEmpty
            ? known.contains(file, name: name, isRegular: exists && status.st_mode & S_IFMT == S_IFREG)
            : globs.contains(where: { $0.contains(path) })
        {
            if isLink, !followsLinks, !isBelowRoot(file) {
                skip(file, FileFinder.linkReason)
            } else {
                files.append(
                    File(path: file, relativePath: path, status: exists ? FileStatus(status) : nil))
            }
        } else if globs.isEmpty {
            skip(file, FileFinder.typeReason)
        }
    }

    private mutating func skip(_ path: String, _ reason: String) {
        skipped.append(.init(source: path, reason: reason))
    }

    /// Returns whether a link leads to a file below the folder, or has no target.
    private func isBelowRoot(_ link: String) -> Bool {
        guard let root else { return false }
        // Reading a link without a target reports the cause.
        guard let target = FileSystem.resolvedPath(link) else { return true }
        return target.hasPrefix(root == "/" ? root : root + "/")
    }

    private func inRepository(_ path: String) -> String {
        base.isEmpty || path.isEmpty ? base + path : base + "/" + path
    }

    private func isIgnored(_ path: String, _ isFolder: Bool, _ rules: [Rules]) -> Bool {
        // A rule in a deeper folder overrides those of its parents.
        for folder in rules.reversed() {
            let prefix = folder.prefix
            let relative = prefix.isEmpty ? path : String(path.dropFirst(prefix.count + 1))
            if let isIgnored = folder.rules.ignores(relative, isFolder: isFolder) { return isIgnored }
        }
        return false
    }
}
