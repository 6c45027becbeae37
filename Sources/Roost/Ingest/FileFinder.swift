public import Foundation

/// Finds the files below a folder that an ingest reads.
///
/// Hidden files and files that a `.gitignore` excludes are omitted. Symbolic links to folders are not
/// followed.
public struct FileFinder: Sendable {
    /// The patterns that files must match to be included, by their names or by their paths relative to the
    /// folder. If there are none, all files with a known extension are included
    /// (``RecordReader/extensions``).
    public var globs: [String]
    /// The patterns of files and folders to exclude.
    public var exclusions: [String]

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

    /// The rules of the `.gitignore` file in one folder.
    private struct FolderRules {
        /// The path of the folder relative to the root of the repository.
        var prefix: String
        var rules: IgnoreRules
    }

    /// One traversal of a folder.
    private struct Walk {
        /// The path of the folder relative to the root of its repository, to which `.gitignore` files apply.
        let base: String
        let globs: [GlobPattern]
        let exclusions: [GlobPattern]
        var findings: Findings

        mutating func enter(_ folder: URL, path: String, rules: [FolderRules]) throws {
            let manager = FileManager.default
            let names: [String]
            do {
                names = try manager.contentsOfDirectory(atPath: folder.path).sorted()
            } catch {
                if path.isEmpty { throw RoostError(.noInput, "cannot read the folder \(folder.path)") }
                findings.skipped.append(.init(source: folder.path, reason: "the folder cannot be read"))
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
                if isFolder.boolValue {
                    if type == .typeSymbolicLink {
                        findings.skipped.append(
                            .init(source: url.path, reason: "a symbolic link to a folder"))
                    } else {
                        try enter(url, path: below, rules: rules)
                    }
                } else if globs.isEmpty ? isKnown(url) : globs.contains(where: { $0.matches(below) }) {
                    findings.files.append(url)
                } else if globs.isEmpty {
                    findings.skipped.append(.init(source: url.path, reason: "unknown type of file"))
                }
            }
        }

        private func inRepository(_ path: String) -> String {
            base.isEmpty || path.isEmpty ? base + path : base + "/" + path
        }

        private func isKnown(_ url: URL) -> Bool {
            RecordReader.extensions.contains(url.pathExtension.lowercased())
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
