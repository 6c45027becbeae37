/// A pattern for paths in the syntax of `.gitignore`: `*` and `?` match within a name, `[a-z]` one of several
/// characters, and `**` across folders if only slashes are next to it.
struct GlobPattern: Sendable {
    /// A part of a pattern.
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
    ///
    /// - Complexity: O(length of the pattern · length of the path).
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
