/// The YAML front matter at the beginning of a text, to which keys can be added.
struct FrontMatterBlock {
    /// The position after the first line, at which lines can be inserted.
    let start: String.Index
    /// The characters that end the first line.
    let lineBreak: String
    /// The keys at the top level.
    let keys: Set<String>
    /// The lines between the first and the last one.
    let body: Substring

    /// Finds the front matter; `nil` if the text does not begin with a line `---`, if no line `---` or `...`
    /// follows, or if the lines between them are not a list of keys without indentation.
    init?(_ text: String) {
        guard let first = text.firstIndex(where: Self.isLineBreak),
            Self.withoutTrailingSpace(text[..<first].drop { $0 == "\u{FEFF}" }) == "---"
        else { return nil }
        start = text.index(after: first)
        lineBreak = String(text[first])
        var rest = text[start...]
        let beginning = start
        var keys = Set<String>()
        while let end = rest.firstIndex(where: Self.isLineBreak) {
            let line = Self.withoutTrailingSpace(rest[..<end])
            if line == "---" || line == "..." {
                self.keys = keys
                body = text[beginning..<rest.startIndex]
                return
            }
            rest = rest[rest.index(after: end)...]
            if line.isEmpty || line.first == "#" { continue }
            if let key = Self.key(of: line) {
                keys.insert(key)
            } else if keys.isEmpty {
                // The first line has no key: it is a text between two horizontal lines, or other YAML.
                return nil
            }
        }
        return nil
    }

    /// Returns the key of a line at the top level; `nil` if the line has none.
    private static func key(of line: Substring) -> String? {
        guard let first = line.first, !" \t-#{[".contains(first) else { return nil }
        if first == "\"" || first == "'" {
            let key = line.dropFirst().prefix { $0 != first }
            return line[key.endIndex...].contains(":") ? String(key) : nil
        }
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return String(withoutTrailingSpace(line[..<colon]))
    }

    private static func withoutTrailingSpace(_ line: Substring) -> Substring {
        var line = line
        while line.last == " " || line.last == "\t" { line.removeLast() }
        return line
    }

    private static func isLineBreak(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }
}
