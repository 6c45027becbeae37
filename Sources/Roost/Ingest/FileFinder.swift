public import Foundation

/// Finds the files below folders that are to be read: hidden ones and those that a `.gitignore` names are
/// passed over, symbolic links to folders are not followed.
public struct FileFinder: Sendable {
    /// Only files whose path below the folder, or name, fits one of these; all known kinds of text where
    /// there is none.
    public var globs: [String]
    /// Not these.
    public var exclusions: [String]

    public init(globs: [String] = [], exclusions: [String] = []) {
        self.globs = globs
        self.exclusions = exclusions
    }

    /// What was found.
    public struct Findings: Sendable {
        /// In the order of their paths.
        public var files: [URL] = []
        public var skipped: [IngestReport.Skip] = []
    }

    /// The files of a path: itself, where it is a file, or those below it.
    ///
    /// - Throws: ``RoostError`` with `.noInput` where there is nothing at the path.
    public func find(_ url: URL) throws -> Findings {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw RoostError(.noInput, "\(url.path): no such file or folder")
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

    /// The `.gitignore`s of the folders above, up to the repository's own, and the folder's path below that.
    private static func rulesAbove(_ folder: URL) -> (
        base: String, rules: [(prefix: String, rules: IgnoreRules)]
    ) {
        var names: [String] = []
        var above = folder.standardizedFileURL.resolvingSymlinksInPath()
        while !FileManager.default.fileExists(atPath: above.appendingPathComponent(".git").path) {
            guard above.path != "/" else { return ("", []) }
            names.insert(above.lastPathComponent, at: 0)
            above = above.deletingLastPathComponent()
        }
        var rules: [(prefix: String, rules: IgnoreRules)] = []
        var path = ""
        for name in names {
            if let own = IgnoreRules(in: above) { rules.append((path, own)) }
            path = path.isEmpty ? name : path + "/" + name
            above = above.appendingPathComponent(name)
        }
        return (path, rules)
    }

    private static func patterns(_ globs: [String]) -> [GlobPattern] {
        globs.map { GlobPattern($0.contains("/") ? $0 : "**/" + $0) }
    }

    private struct Walk {
        /// The folder's path below its repository: what `.gitignore`s speak of.
        let base: String
        let globs: [GlobPattern]
        let exclusions: [GlobPattern]
        var findings: Findings

        mutating func enter(_ folder: URL, path: String, rules: [(prefix: String, rules: IgnoreRules)]) throws
        {
            let manager = FileManager.default
            let names: [String]
            do {
                names = try manager.contentsOfDirectory(atPath: folder.path).sorted()
            } catch {
                if path.isEmpty { throw RoostError(.noInput, "\(folder.path) cannot be read") }
                findings.skipped.append(.init(source: folder.path, reason: "the folder cannot be read"))
                return
            }
            var rules = rules
            if let own = IgnoreRules(in: folder) { rules.append((inRepository(path), own)) }
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
                    findings.skipped.append(.init(source: url.path, reason: "not a known kind of text file"))
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
            _ path: String, _ isFolder: Bool, _ rules: [(prefix: String, rules: IgnoreRules)]
        ) -> Bool {
            for (prefix, rules) in rules.reversed() {
                let relative = prefix.isEmpty ? path : String(path.dropFirst(prefix.count + 1))
                if let verdict = rules.ignores(relative, isFolder: isFolder) { return verdict }
            }
            return false
        }
    }
}
