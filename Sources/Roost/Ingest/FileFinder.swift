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
        var walk = Walk(
            finder: self, globs: Self.patterns(globs), exclusions: Self.patterns(exclusions),
            findings: findings)
        try walk.enter(url, path: "", rules: [])
        return walk.findings
    }

    private static func patterns(_ globs: [String]) -> [GlobPattern] {
        globs.map { GlobPattern($0.contains("/") ? $0 : "**/" + $0) }
    }

    private struct Walk {
        let finder: FileFinder
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
            if let text = try? String(
                contentsOf: folder.appendingPathComponent(".gitignore"), encoding: .utf8)
            {
                rules.append((path, IgnoreRules(text)))
            }
            for name in names where !name.hasPrefix(".") {
                let url = folder.appendingPathComponent(name)
                let below = path.isEmpty ? name : path + "/" + name
                let type = (try? manager.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
                var isFolder: ObjCBool = false
                _ = manager.fileExists(atPath: url.path, isDirectory: &isFolder)
                if isIgnored(below, isFolder.boolValue, rules) { continue }
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
