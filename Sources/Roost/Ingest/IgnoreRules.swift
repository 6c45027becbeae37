import Foundation

/// The rules of one `.gitignore` file (gitignore(5)).
struct IgnoreRules: Sendable {
    private struct Rule: Sendable {
        var pattern: GlobPattern
        var isNegated: Bool
        var matchesFoldersOnly: Bool
    }

    private var rules: [Rule] = []

    /// The maximum size of a file in bytes. Each path is compared with each rule.
    private static let maximumSize = 1 << 20
    /// The reason that is reported for a file that exceeds it.
    static let sizeReason = "it is larger than 1 MiB, so its rules are not applied"

    /// Reads the `.gitignore` file of a folder; `nil` if the folder has none, or it is too large.
    ///
    /// - Parameter skipped: The list to which a file that is too large is added.
    init?(in folder: URL, skipped: inout [IngestReport.Skip]) {
        let file = folder.appendingPathComponent(".gitignore")
        var status = stat()
        // Opening a named pipe would wait for a writer.
        guard stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_size <= Self.maximumSize else {
            skipped.append(.init(source: file.path, reason: Self.sizeReason))
            return nil
        }
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        self.init(text)
    }

    /// Parses the contents of a `.gitignore` file.
    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            var line = Self.withoutSpacesAtEnd(line)
            guard !line.isEmpty, line.first != "#" else { continue }
            let isNegated = line.first == "!"
            if isNegated { line.removeFirst() }
            let matchesFoldersOnly = line.last == "/"
            if matchesFoldersOnly { line.removeLast() }
            // A slash anywhere but at the end makes the pattern relative to the folder of the file. Other
            // patterns match at any depth.
            let isRelative = line.contains("/")
            if line.first == "/" { line.removeFirst() }
            rules.append(
                Rule(
                    pattern: GlobPattern(isRelative ? String(line) : "**/" + line), isNegated: isNegated,
                    matchesFoldersOnly: matchesFoldersOnly))
        }
    }

    /// Returns a line without the spaces at its end. A space after a backslash belongs to the pattern.
    private static func withoutSpacesAtEnd(_ line: Substring) -> Substring {
        guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
        let text = line[...last]
        let isEscaped = !text.reversed().prefix { $0 == "\\" }.count.isMultiple(of: 2)
        return isEscaped && text.endIndex < line.endIndex ? line[...text.endIndex] : text
    }

    /// Returns whether the last rule that matches the given path ignores that path; `nil` if no rule matches.
    ///
    /// - Parameter path: The path relative to the folder of the file.
    func ignores(_ path: String, isFolder: Bool) -> Bool? {
        for rule in rules.reversed() where !rule.matchesFoldersOnly || isFolder {
            if rule.pattern.matches(path) { return !rule.isNegated }
        }
        return nil
    }
}
