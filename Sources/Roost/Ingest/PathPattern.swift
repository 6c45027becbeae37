import Foundation
import RoostFiles

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
    private typealias Condition = @Sendable (Character) -> Bool

    private enum Item: Sendable {
        /// `**/`: nothing, or one or more folders with the slash after each.
        case folders
        /// `*` and `**`: any number of characters that meet a condition.
        case many(Condition)
        /// One character that meets a condition.
        case one(Condition)
    }

    private let items: [Item]

    init(_ pattern: some StringProtocol) {
        var items: [Item] = []
        var rest = Array(pattern)[...]
        // Whether the rest may contain the end of a set. If not, it is not searched for again.
        var mayEndSet = true
        var beginsName = true
        while let first = rest.popFirst() {
            switch first {
            case "*":
                let stars = rest.prefix { $0 == "*" }
                rest = rest[stars.endIndex...]
                if stars.isEmpty || !beginsName || rest.first ?? "/" != "/" {
                    items.append(.many { $0 != "/" })
                } else {
                    items.append(rest.popFirst() == nil ? .many { _ in true } : .folders)
                    beginsName = true
                    continue
                }
            case "?": items.append(.one { $0 != "/" })
            case "[" where mayEndSet:
                let isNegated = rest.first == "!" || rest.first == "^"
                let start = isNegated ? rest.dropFirst() : rest
                // The first character of a set can be a closing bracket.
                if let end = start.dropFirst().firstIndex(of: "]") {
                    let ranges = Self.ranges(start[..<end])
                    items.append(
                        .one { character in
                            character != "/" && ranges.contains { $0.contains(character) } != isNegated
                        })
                    rest = rest[(end + 1)...]
                } else {
                    mayEndSet = false
                    items.append(.one { $0 == first })
                }
            case "\\":
                let escaped = rest.popFirst() ?? first
                items.append(.one { $0 == escaped })
            default: items.append(.one { $0 == first })
            }
            beginsName = first == "/"
        }
        self.items = items
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
            case .many(let isIncluded):
                for end in reachable.indices {
                    isOpen = reachable[end] || (isOpen && isIncluded(text[end - 1]))
                    reachable[end] = isOpen
                }
            case .one(let isIncluded):
                for index in text.indices.reversed() {
                    reachable[index + 1] = reachable[index] && isIncluded(text[index])
                }
                reachable[0] = false
            }
            guard reachable.contains(true) else { return false }
        }
        return reachable[text.count]
    }
}

struct IgnoreRules: Sendable {
    private var rules: [(pattern: PathPattern, isNegated: Bool)] = []

    /// The number of bytes of a file that are read. Each path is compared with each rule.
    private static let maximumSize = 1 << 20

    /// Reads the `.gitignore` file of a folder; `nil` if the folder has none.
    init?(in folder: URL) {
        let path = folder.appendingPathComponent(".gitignore").path
        guard let data = try? FileContents.beginning(of: path, count: Self.maximumSize) else { return nil }
        self.init(String(decoding: data, as: UTF8.self))
    }

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            var line = line
            while line.last == " " { line.removeLast() }
            guard !line.isEmpty, line.first != "#" else { continue }
            let isNegated = line.first == "!"
            if isNegated { line.removeFirst() }
            rules.append((PathPattern(String(line)), isNegated))
        }
    }

    /// Returns whether the last rule that matches the given path ignores that path; `nil` if no rule matches.
    func ignores(_ path: String, isFolder: Bool) -> Bool? {
        rules.last { $0.pattern.matches(path, isFolder: isFolder) }.map { !$0.isNegated }
    }
}
