/// A pattern for paths in the syntax of `.gitignore`: `*` and `?` match within a name, `**` across folders,
/// `[a-z]` one of several characters.
struct GlobPattern: Sendable, Hashable {
    private let pattern: [Character]

    init(_ pattern: some StringProtocol) { self.pattern = Array(pattern) }

    /// Returns whether the pattern matches the entire path.
    ///
    /// - Complexity: O(length of the pattern · length of the path).
    func matches(_ path: some StringProtocol) -> Bool {
        let text = Array(path)
        // reachable[i] tells whether the part of the pattern before `index` matches the first i characters.
        var reachable = [Bool](repeating: false, count: text.count + 1)
        reachable[0] = true
        var index = 0
        while index < pattern.count {
            var next = [Bool](repeating: false, count: text.count + 1)
            switch pattern[index] {
            case "*" where index + 1 < pattern.count && pattern[index + 1] == "*":
                let isFolder = index + 2 < pattern.count && pattern[index + 2] == "/"
                index += isFolder ? 3 : 2
                var isOpen = false
                for end in reachable.indices {
                    if reachable[end] { isOpen = true }
                    // `**/` matches nothing, or characters up to and including a slash.
                    next[end] = reachable[end] || (isOpen && (!isFolder || text[end - 1] == "/"))
                }
            case "*":
                index += 1
                var isOpen = false
                for end in reachable.indices {
                    if end > 0, text[end - 1] == "/" { isOpen = false }
                    if reachable[end] { isOpen = true }
                    next[end] = isOpen
                }
            default:
                let start = index
                for offset in text.indices where reachable[offset] {
                    index = start
                    if matches(text[offset], itemAt: &index) { next[offset + 1] = true }
                }
                // Skip the item even if no character was compared with it.
                index = start
                _ = matches("/", itemAt: &index)
            }
            reachable = next
        }
        return reachable[text.count]
    }

    /// Returns whether a character matches the item of the pattern at `index`, and advances `index` to the
    /// next item.
    private func matches(_ character: Character, itemAt index: inout Int) -> Bool {
        switch pattern[index] {
        case "?":
            index += 1
            return character != "/"
        case "[":
            guard let end = pattern[(index + 1)...].dropFirst().firstIndex(of: "]") else { break }
            var items = pattern[(index + 1)..<end]
            let isNegated = items.first == "!" || items.first == "^"
            if isNegated { items = items.dropFirst() }
            index = end + 1
            var contains = false
            while let first = items.popFirst() {
                if items.count >= 2, items.first == "-" {
                    let last = items[items.startIndex + 1]
                    contains = contains || (first <= character && character <= last)
                    items = items.dropFirst(2)
                } else {
                    contains = contains || first == character
                }
            }
            return character != "/" && contains != isNegated
        case "\\" where index + 1 < pattern.count:
            index += 2
            return character == pattern[index - 1]
        default: break
        }
        index += 1
        return character == pattern[index - 1]
    }
}
