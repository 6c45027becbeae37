import Foundation

/// A pattern that selects files or folders below a folder, in the form of `.gitignore`.
///
/// A pattern without a slash matches names at any depth; one with a slash at the beginning or in the middle
/// matches paths relative to the folder, and `./` at the beginning has the same meaning. A slash at the end
/// matches folders only.
struct PathPattern: Sendable {
    private let pattern: GlobPattern
    private let matchesFoldersOnly: Bool

    init(_ text: String) {
        matchesFoldersOnly = text.hasSuffix("/")
        var form = Substring(text)
        let isRelative = form.hasPrefix("./") || form.dropLast().contains("/")
        if form.hasPrefix("./") { form = form.dropFirst(2) }
        while form.first == "/" { form.removeFirst() }
        while form.last == "/" { form.removeLast() }
        pattern = GlobPattern(isRelative ? form : "**/" + form)
    }

    /// Returns whether a pattern contains a brace without a backslash before it.
    static func containsBraces(_ text: String) -> Bool {
        var isEscaped = false
        for character in text {
            if !isEscaped, character == "{" || character == "}" { return true }
            isEscaped = !isEscaped && character == "\\"
        }
        return false
    }

    func matches(_ path: String, isFolder: Bool) -> Bool {
        (isFolder || !matchesFoldersOnly) && pattern.matches(path)
    }

    /// Returns whether the pattern matches a file itself, or a folder above it.
    func contains(_ path: String) -> Bool {
        if matches(path, isFolder: false) { return true }
        guard matchesFoldersOnly else { return false }
        return path.indices.contains { path[$0] == "/" && matches(String(path[..<$0]), isFolder: true) }
    }
}

/// A pattern for paths in the syntax of `.gitignore`: `*` and `?` match within a name, `[a-z]` one of several
/// characters, and `**` across folders if only slashes are next to it.
struct GlobPattern: Sendable {
    private enum Item: Sendable {
        /// `**/`: nothing, or one or more folders with the slash after each.
        case folders
        /// `**`: any characters.
        case everything
        /// `*`: any characters but slashes.
        case name
        /// `?`: any character but a slash.
        case anyCharacter
        /// `[a-z]` or `[!a-z]`: a character in one of the ranges, or in none of them, but not a slash.
        case oneOf([ClosedRange<Character>], isNegated: Bool)
        /// Exactly this character.
        case character(Character)
    }

    private let items: [Item]

    /// - Complexity: O(length of the pattern).
    init(_ pattern: some StringProtocol) {
        var items: [Item] = []
        var rest = Array(pattern)[...]
        // Whether the rest may contain the end of a set. If not, it is not searched for again.
        var mayEndSet = true
        while let first = rest.popFirst() {
            switch first {
            case "*":
                let stars = rest.prefix { $0 == "*" }
                rest = rest[stars.endIndex...]
                if stars.isEmpty || !Self.beginsName(items) || rest.first ?? "/" != "/" {
                    items.append(.name)
                } else {
                    items.append(rest.popFirst() == nil ? .everything : .folders)
                }
            case "?": items.append(.anyCharacter)
            case "[" where mayEndSet:
                let isNegated = rest.first == "!" || rest.first == "^"
                let start = isNegated ? rest.dropFirst() : rest
                // The first character of a set can be a closing bracket.
                if let end = start.dropFirst().firstIndex(of: "]") {
                    items.append(.oneOf(Self.ranges(start[..<end]), isNegated: isNegated))
                    rest = rest[(end + 1)...]
                } else {
                    mayEndSet = false
                    items.append(.character(first))
                }
            case "\\": items.append(.character(rest.popFirst() ?? first))
            default: items.append(.character(first))
            }
        }
        self.items = items
    }

    private static func beginsName(_ items: [Item]) -> Bool {
        switch items.last {
        case nil, .folders: true
        case .character(let character): character == "/"
        default: false
        }
    }

    /// Returns the ranges in the text between the brackets of a set. A single character is a range.
    private static func ranges(_ text: ArraySlice<Character>) -> [ClosedRange<Character>] {
        var rest = text
        var ranges: [ClosedRange<Character>] = []
        while let first = rest.popFirst() {
            var last = first
            if rest.count >= 2, rest.first == "-" {
                last = rest[rest.startIndex + 1]
                rest = rest.dropFirst(2)
            }
            if first <= last { ranges.append(first...last) }
        }
        return ranges
    }

    /// Returns whether the pattern matches the entire path.
    func matches(_ path: some StringProtocol) -> Bool {
        let text = Array(path)
        // reachable[i] tells whether the items so far match the first i characters.
        var reachable = [Bool](repeating: false, count: text.count + 1)
        reachable[0] = true
        for item in items {
            var isOpen = false
            switch item {
            case .folders:
                for end in reachable.indices {
                    isOpen = isOpen || reachable[end]
                    reachable[end] = reachable[end] || (isOpen && text[end - 1] == "/")
                }
            case .everything:
                for end in reachable.indices {
                    isOpen = isOpen || reachable[end]
                    reachable[end] = isOpen
                }
            case .name:
                for end in reachable.indices {
                    isOpen = reachable[end] || (isOpen && text[end - 1] != "/")
                    reachable[end] = isOpen
                }
            case .anyCharacter, .oneOf, .character:
                for index in text.indices.reversed() {
                    reachable[index + 1] = reachable[index] && Self.matches(text[index], item)
                }
                reachable[0] = false
            }
            guard reachable.contains(true) else { return false }
        }
        return reachable[text.count]
    }

    private static func matches(_ character: Character, _ item: Item) -> Bool {
        switch item {
        case .anyCharacter: character != "/"
        case .oneOf(let ranges, let isNegated):
            character != "/" && ranges.contains { $0.contains(character) } != isNegated
        case .character(let expected): character == expected
        case .folders, .everything, .name: false
        }
    }
}

/// The rules of one `.gitignore` file (gitignore(5)).
struct IgnoreRules: Sendable {
    private var rules: [(pattern: PathPattern, isNegated: Bool)] = []

    /// The maximum size of a file in bytes. Each path is compared with each rule.
    private static let maximumSize = 1 << 20
    static let sizeReason = "it is larger than 1 MiB, so its rules are not applied"

    /// Reads the `.gitignore` file of a folder; `nil` if the folder has none, or it is too large.
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

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            var line = Self.withoutSpacesAtEnd(line)
            guard !line.isEmpty, line.first != "#" else { continue }
            let isNegated = line.first == "!"
            if isNegated { line.removeFirst() }
            rules.append((PathPattern(String(line)), isNegated))
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
    func ignores(_ path: String, isFolder: Bool) -> Bool? {
        rules.last { $0.pattern.matches(path, isFolder: isFolder) }.map { !$0.isNegated }
    }
}
