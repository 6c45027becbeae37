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
    /// several characters. A brace needs a backslash before it, because alternatives in braces are not
    /// supported. A slash at the end matches all files in a folder. If there are no patterns, the files of
    /// all types that ``readers`` supports are included, and those whose rows become entries
    /// (``RecordReader/rowExtensions``). Files without an extension are included if a reader recognizes their
    /// first 4,096 bytes.
    public var globs: [String]
    /// The patterns of files and folders to exclude, in the form of ``globs``. A slash at the end matches
    /// folders only; `/` or `./` at the beginning makes a pattern relative to the folder.
    public var exclusions: [String]
    /// Whether symbolic links to folders, and to files outside of the folder, are followed.
    public var followsLinks = false
    /// The readers that determine which types of files are included.
    public var readers = DocumentReaders.standard

    /// The reason that is reported for a file of a type that no reader supports.
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
        patterns.first(where: PathPattern.containsBraces)
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
        public var skipped: [IngestReport.Skip] = []
    }

    /// Returns the files below a folder, or the file itself if `url` is a file.
    ///
    /// - Throws: ``RoostError`` with `.noInput` if the path does not exist or the folder cannot be read, and
    ///   with `.badInput` for a pattern with a brace that is not escaped.
    public func find(_ url: URL) throws -> Findings { try find(url) { false } }

    func find(_ url: URL, isCancelled: @escaping () -> Bool) throws -> Findings {
        try checkPatterns()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            var status = stat()
            let isHidden = stat(url.path, &status) != 0 && errno != ENOENT && errno != ENOTDIR
            let cause = isHidden ? FileContents.cause(errno) : "no such file or folder"
            throw RoostError(.noInput, "cannot read \(url.path): \(cause)")
        }
        guard isFolder.boolValue else { return Findings(files: [url]) }
        let walk = try walk(url, isCancelled: isCancelled)
        return Findings(
            files: walk.files.map { URL(fileURLWithPath: $0.path, isDirectory: false) },
            skipped: walk.skipped)
    }

    /// Searches a folder and returns the files with their status.
    ///
    /// - Parameters:
    ///   - omitted: The paths of folders that are not searched.
    ///   - willEnter: Called with the path of each folder before its contents are listed.
    ///   - isCancelled: Returns whether to stop the search.
    func walk(
        _ folder: URL, omitting omitted: Set<String> = [],
        willEnter: @escaping (String) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
    ) throws -> FolderWalk {
        var skipped: [IngestReport.Skip] = []
        let (base, rules) = Self.rulesAbove(folder, &skipped)
        var walk = FolderWalk(
            skipped: skipped, omitted: omitted, willEnter: willEnter, isCancelled: isCancelled, base: base,
            globs: globs.map { PathPattern($0) }, exclusions: exclusions.map { PathPattern($0) },
            followsLinks: followsLinks, known: KnownFiles(readers), root: FileSystem.resolvedPath(folder.path)
        )
        try walk.enter(folder.path, path: "", rules: rules)
        return walk
    }

    /// Returns the rules of the `.gitignore` files in the parent folders, up to the root of the repository,
    /// and the path of the folder relative to that root. Adds the files that are too large to `skipped`.
    private static func rulesAbove(
        _ folder: URL, _ skipped: inout [IngestReport.Skip]
    ) -> (base: String, rules: [FolderWalk.Rules]) {
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
            if let own = IgnoreRules(in: above, skipped: &skipped) {
                rules.append(.init(prefix: path, rules: own))
            }
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
    private static let maildirFolders: Set = ["cur", "new"]

    init(_ readers: DocumentReaders) {
        self.readers = readers
        for type in readers.types where type.isReadInFolders {
            names.formUnion(type.fileNames)
            extensions.formUnion(type.extensions)
        }
    }

    /// Returns whether a file is found.
    ///
    /// - Parameters:
    ///   - file: The path of the file, whose beginning is read if its name does not decide.
    ///   - isRegular: Whether it is a regular file. The contents of others are not read.
    func contains(_ file: String, name: String, isRegular: Bool) -> Bool {
        if names.contains(name) { return true }
        let dot = name.lastIndex(of: ".")
        if let dot {
            if extensions.contains(name[name.index(after: dot)...].lowercased()) { return true }
            guard Self.isInMaildir(file) else { return false }
        }
        guard isRegular, let sample = Self.beginning(of: file) else { return false }
        let input = DocumentInput(data: sample, path: file)
        guard let type = readers.recognized(input)?.type, type.isReadInFolders else { return false }
        // Other folders have these names, too.
        return dot == nil || type.format == .mail
    }

    private static func isInMaildir(_ file: String) -> Bool {
        file.split(separator: "/").dropLast().last.map { maildirFolders.contains(String($0)) } ?? false
    }

    private static func beginning(of file: String) -> Data? {
        // A file can be replaced by a pipe after its status was read, which would block without the flag.
        let descriptor = try? FileDescriptor(file, O_RDONLY | O_NONBLOCK)
        let sample = try? descriptor?.read(at: 0, count: sampleLength)
        return sample?.isEmpty == false ? sample : nil
    }
}
