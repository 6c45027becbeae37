/// The YAML front matter at the beginning of a text, in which keys can be replaced.
struct FrontMatterBlock {
    /// A line between the first and the last one.
    private struct Line {
        /// The key at the top level; `nil` for comments and for lines that continue the value of a key.
        var key: String?
        /// Whether the line is blank or a comment, so that it is not a part of a value.
        var isSeparate: Bool
        /// The line with its line break.
        var text: Substring
    }

    /// The position after the first line, at which lines can be inserted.
    let start: String.Index
    /// The characters that end the first line.
    let lineBreak: String
    /// The keys at the top level.
    let keys: Set<String>
    /// The position of the last line.
    let end: String.Index
    private let lines: [Line]

    /// Whether the lines of a key can be replaced: no other line refers to them, and it is clear where they
    /// end.
    var isReplaceable: Bool {
        lines.allSatisfy { line in
            let text = line.text.drop { $0 == " " }
            let isClear =
                line.isSeparate || line.key != nil || line.text.first == " "
                || text.first.map { "-]}".contains($0) } ?? true
            // An anchor, an alias, or the merge of a map.
            return isClear && !text.contains(": &") && !text.contains(": *") && !text.contains("- &")
                && !text.contains("- *")
        }
    }

    /// Finds the front matter; `nil` if the text does not begin with a line `---`, if no line `---` or `...`
    /// follows, or if the lines between them are not a list of keys without indentation.
    init?(_ text: String) {
        guard let first = text.firstIndex(where: Self.isLineBreak),
            Self.withoutTrailingSpace(text[..<first].drop { $0 == "\u{FEFF}" }) == "---"
        else { return nil }
        start = text.index(after: first)
        lineBreak = String(text[first])
        var rest = text[start...]
        var keys = Set<String>()
        var lines: [Line] = []
        while let end = rest.firstIndex(where: Self.isLineBreak) {
            let line = Self.withoutTrailingSpace(rest[..<end])
            if line == "---" || line == "..." {
                self.keys = keys
                self.lines = lines
                self.end = rest.startIndex
                return
            }
            let next = rest.index(after: end)
            let text = rest[..<next]
            rest = rest[next...]
            if line.isEmpty || line.first == "#" {
                lines.append(Line(key: nil, isSeparate: true, text: text))
                continue
            }
            let key = Self.key(of: line)
            lines.append(Line(key: key, isSeparate: false, text: text))
            if let key {
                keys.insert(key)
            } else if keys.isEmpty {
                // The first line has no key: it is a text between two horizontal lines, or other YAML.
                return nil
            }
        }
        return nil
    }

    /// Returns the lines between the first and the last one without those of some keys and their values.
    func text(without keys: Set<String>) -> String {
        var result = ""
        var isRemoved = false
        for line in lines {
            if let key = line.key { isRemoved = keys.contains(key) }
            if line.isSeparate || !isRemoved { result += line.text }
        }
        return result
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
