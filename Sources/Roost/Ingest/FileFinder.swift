public import Foundation
public import RoostDocuments

/// Finds the files below a folder that an ingest reads.
///
/// Hidden files and files that a `.gitignore` excludes are omitted. By default, symbolic links are followed
/// only to files below the same folder: a link that leads out of it could add files that the user did not
/// intend to add, or send them to the server of a remote model.
public struct FileFinder: Sendable {
    /// The patterns that files must match to be included, by their names or by their paths relative to the
    /// folder. If there are none, the files of all types that ``readers`` supports are included, and those
    /// whose rows become entries (``RecordReader/rowExtensions``).
    public var globs: [String]
    /// The patterns of files and folders to exclude.
    public var exclusions: [String]
    /// Whether symbolic links to folders, and to files outside of the folder, are followed.
    public var followsLinks = false
    /// The readers that determine which types of files are included.
    public var readers = DocumentReaders.standard

    /// The reason that is reported for a file of a type that no reader supports.
    package static let typeReason = "unknown file type"
    /// The reason that is reported for a skipped link that ``followsLinks`` would follow.
    package static let linkReason = "a symbolic link that leads out of the folder, or to a folder"

    /// Creates a finder.
    public init(globs: [String] = [], exclusions: [String] = []) {
        self.globs = globs
        self.exclusions = exclusions
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
    /// - Throws: ``RoostError`` with `.noInput` if the path does not exist or the folder cannot be read.
    public func find(_ url: URL) throws -> Findings {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw RoostError(.noInput, "cannot read \(url.path): no such file or folder")
        }
        var findings = Findings()
        guard isFolder.boolValue else {
            findings.files = [url]
            return findings
        }
        let (base, rules) = Self.rulesAbove(url)
        var walk = Walk(
            base: base, globs: Self.patterns(globs), exclusions: Self.patterns(exclusions),
            followsLinks: followsLinks, known: KnownNames(readers), root: Self.resolved(url),
            findings: findings)
        try walk.enter(url, path: "", rules: rules)
        return walk.findings
    }

    /// Returns the rules of the `.gitignore` files in the parent folders, up to the root of the repository,
    /// and the path of the folder relative to that root.
    private static func rulesAbove(_ folder: URL) -> (base: String, rules: [FolderRules]) {
        var names: [String] = []
        var above = folder.standardizedFileURL.resolvingSymlinksInPath()
        while !FileManager.default.fileExists(atPath: above.appendingPathComponent(".git").path) {
            guard above.path != "/" else { return ("", []) }
            names.insert(above.lastPathComponent, at: 0)
            above = above.deletingLastPathComponent()
        }
        var rules: [FolderRules] = []
        var path = ""
        for name in names {
            if let own = IgnoreRules(in: above) { rules.append(FolderRules(prefix: path, rules: own)) }
            path = path.isEmpty ? name : path + "/" + name
            above = above.appendingPathComponent(name)
        }
        return (path, rules)
    }

    private static func patterns(_ globs: [String]) -> [GlobPattern] {
        globs.map { GlobPattern($0.contains("/") ? $0 : "**/" + $0) }
    }

    /// Returns the path of a file without symbolic links; `nil` if the file does not exist.
    private static func resolved(_ url: URL) -> String? {
        realpath(url.path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
    }

    /// The rules of the `.gitignore` file in one folder.
    private struct FolderRules {
        /// The path of the folder relative to the root of the repository.
        var prefix: String
        var rules: IgnoreRules
    }

    /// The names and extensions of the files that are included if there are no patterns.
    private struct KnownNames {
        private var names: Set<String> = []
        private var extensions = RecordReader.rowExtensions

        init(_ readers: DocumentReaders) {
            for type in readers.types where type.isReadInFolders {
                names.formUnion(type.fileNames)
                extensions.formUnion(type.extensions)
            }
        }

        func contains(_ name: String) -> Bool {
            if names.contains(name) { return true }
            guard let dot = name.lastIndex(of: ".") else { return false }
            return extensions.contains(name[name.index(after: dot)...].lowercased())
        }
    }

    /// One traversal of a folder.
    private struct Walk {
        /// The path of the folder relative to the root of its repository, to which `.gitignore` files apply.
        let base: String
        let globs: [GlobPattern]
        let exclusions: [GlobPattern]
        let followsLinks: Bool
        /// The names of the files that are included if there are no patterns.
        let known: KnownNames
        /// The path of the folder without symbolic links.
        let root: String?
        var findings: Findings
        /// The folders from the root to the current one, without symbolic links, if links are followed.
        private var open: [String] = []

        init(
            base: String, globs: [GlobPattern], exclusions: [GlobPattern], followsLinks: Bool,
            known: KnownNames, root: String?, findings: Findings
        ) {
            (self.base, self.globs, self.exclusions) = (base, globs, exclusions)
            (self.followsLinks, self.known, self.root) = (followsLinks, known, root)
            self.findings = findings
        }

        mutating func enter(_ folder: URL, path: String, rules: [FolderRules]) throws {
            let manager = FileManager.default
            if followsLinks {
                let resolved = FileFinder.resolved(folder) ?? folder.path
                guard !open.contains(resolved) else {
                    skip(folder, "a symbolic link to one of its parent folders")
                    return
                }
                open.append(resolved)
            }
            defer { if followsLinks { open.removeLast() } }
            let names: [String]
            do {
                names = try manager.contentsOfDirectory(atPath: folder.path).sorted()
            } catch {
                if path.isEmpty {
                    throw RoostError(
                        .noInput,
                        "cannot read the folder \(folder.path): "
                            + "permission denied or an I/O error")
                }
                skip(folder, "the folder cannot be read")
                return
            }
            var rules = rules
            if let own = IgnoreRules(in: folder) {
                rules.append(FolderRules(prefix: inRepository(path), rules: own))
            }
            for name in names where !name.hasPrefix(".") {
                let url = folder.appendingPathComponent(name)
                let below = path.isEmpty ? name : path + "/" + name
                let type = (try? manager.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
                var isFolder: ObjCBool = false
                _ = manager.fileExists(atPath: url.path, isDirectory: &isFolder)
                if isIgnored(inRepository(below), isFolder.boolValue, rules) { continue }
                if exclusions.contains(where: { $0.matches(below) }) { continue }
                let isLink = type == .typeSymbolicLink
                if isFolder.boolValue {
                    if isLink, !followsLinks {
                        skip(url, FileFinder.linkReason)
                    } else {
                        try enter(url, path: below, rules: rules)
                    }
                } else if globs.isEmpty ? known.contains(name) : globs.contains(where: { $0.matches(below) })
                {
                    if isLink, !followsLinks, !isBelowRoot(url) {
                        skip(url, FileFinder.linkReason)
                    } else {
                        findings.files.append(url)
                    }
                } else if globs.isEmpty {
                    skip(url, FileFinder.typeReason)
                }
            }
        }

        private mutating func skip(_ url: URL, _ reason: String) {
            findings.skipped.append(.init(source: url.path, reason: reason))
        }

        /// Returns whether a link leads to a file below the folder, or has no target.
        private func isBelowRoot(_ link: URL) -> Bool {
            guard let root else { return false }
            // Reading a link without a target reports the cause.
            guard let target = FileFinder.resolved(link) else { return true }
            return target.hasPrefix(root == "/" ? root : root + "/")
        }

        private func inRepository(_ path: String) -> String {
            base.isEmpty || path.isEmpty ? base + path : base + "/" + path
        }

        private func isIgnored(
            _ path: String, _ isFolder: Bool, _ rules: [FolderRules]
        ) -> Bool {
            // A rule in a deeper folder overrides those of its parents.
            for folder in rules.reversed() {
                let prefix = folder.prefix
                let relative = prefix.isEmpty ? path : String(path.dropFirst(prefix.count + 1))
                if let isIgnored = folder.rules.ignores(relative, isFolder: isFolder) { return isIgnored }
            }
            return false
        }
    }
}
