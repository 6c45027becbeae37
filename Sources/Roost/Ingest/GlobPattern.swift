import Foundation

/// A pattern for paths as `.gitignore` has them: `*` and `?` within a name, `**` across folders, `[a-z]`.
struct GlobPattern: Sendable, Hashable {
    private let pattern: [Character]

    init(_ pattern: some StringProtocol) { self.pattern = Array(pattern) }

    /// Whether the whole path fits.
    ///
    /// - Complexity: O(pattern · path).
    func matches(_ path: some StringProtocol) -> Bool {
        let text = Array(path)
        // reachable[i] says whether the pattern read so far can have used up i characters.
        var reachable = [Bool](repeating: false, count: text.count + 1)
        reachable[0] = true
        var place = 0
        while place < pattern.count {
            var next = [Bool](repeating: false, count: text.count + 1)
            switch pattern[place] {
            case "*" where place + 1 < pattern.count && pattern[place + 1] == "*":
                let isFolder = place + 2 < pattern.count && pattern[place + 2] == "/"
                place += isFolder ? 3 : 2
                var isOpen = false
                for index in reachable.indices {
                    if reachable[index] { isOpen = true }
                    // `**/` ends behind a slash, or where it began.
                    next[index] = reachable[index] || (isOpen && (!isFolder || text[index - 1] == "/"))
                }
            case "*":
                place += 1
                var isOpen = false
                for index in reachable.indices {
                    if index > 0, text[index - 1] == "/" { isOpen = false }
                    if reachable[index] { isOpen = true }
                    next[index] = isOpen
                }
            default:
                let start = place
                for index in text.indices where reachable[index] {
                    place = start
                    if consume(text[index], &place) { next[index + 1] = true }
                }
                place = start
                _ = consume("/", &place)
            }
            reachable = next
        }
        return reachable[text.count]
    }

    /// Whether one character fits the item at `place`, which moves behind it.
    private func consume(_ character: Character, _ place: inout Int) -> Bool {
        switch pattern[place] {
        case "?":
            place += 1
            return character != "/"
        case "[":
            guard let end = pattern[(place + 1)...].dropFirst().firstIndex(of: "]") else { break }
            var items = pattern[(place + 1)..<end]
            let isNegated = items.first == "!" || items.first == "^"
            if isNegated { items = items.dropFirst() }
            place = end + 1
            var isIn = false
            var index = items.startIndex
            while index < items.endIndex {
                if index + 2 < items.endIndex, items[index + 1] == "-" {
                    isIn = isIn || (items[index] <= character && character <= items[index + 2])
                    index += 3
                } else {
                    isIn = isIn || items[index] == character
                    index += 1
                }
            }
            return character != "/" && isIn != isNegated
        case "\\" where place + 1 < pattern.count:
            place += 2
            return character == pattern[place - 1]
        default: break
        }
        place += 1
        return character == pattern[place - 1]
    }
}

/// The rules of one `.gitignore` (gitignore(5)).
struct IgnoreRules: Sendable {
    private struct Rule: Sendable {
        var pattern: GlobPattern
        var isNegated: Bool
        var foldersOnly: Bool
    }

    private var rules: [Rule] = []

    /// Those of a folder's `.gitignore`; `nil` where it has none.
    init?(in folder: URL) {
        let file = folder.appendingPathComponent(".gitignore")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        self.init(text)
    }

    init(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            var line = line
            while line.last == " " { line.removeLast() }
            guard !line.isEmpty, line.first != "#" else { continue }
            let isNegated = line.first == "!"
            if isNegated { line.removeFirst() }
            let foldersOnly = line.last == "/"
            if foldersOnly { line.removeLast() }
            // A slash that is not at the end ties the pattern to this folder; else it is for any below.
            let isTied = line.contains("/")
            if line.first == "/" { line.removeFirst() }
            rules.append(
                Rule(
                    pattern: GlobPattern(isTied ? String(line) : "**/" + line), isNegated: isNegated,
                    foldersOnly: foldersOnly))
        }
    }

    /// What the last rule that fits a path says; `nil` where none does.
    func ignores(_ path: String, isFolder: Bool) -> Bool? {
        for rule in rules.reversed() where !rule.foldersOnly || isFolder {
            if rule.pattern.matches(path) { return !rule.isNegated }
        }
        return nil
    }
}
