import RoostModel

/// The title block at the beginning of a text: lines `% title`, `% authors` and `% date` of Pandoc, or lines
/// `Title: text` of MultiMarkdown. Unlike other front matter, it is text, because it is written for reading.
enum TitleBlock {
    /// The maximum number of lines.
    private static let maximumLines = 40
    /// The maximum number of bytes of a key.
    private static let maximumKeyLength = 40

    /// Returns the number of lines of a title block; `nil` without one. An empty line follows it.
    static func lineCount(_ lines: MarkdownLines) -> Int? {
        var (count, hasTitle) = (0, false)
        let isPandoc = lines.bytes.matches("%", at: 0)
        var fields = 0
        while count < min(lines.count, maximumLines) {
            let line = lines.bytes[lines.contentRange(count..<count + 1)]
            guard let first = line.first(where: { !$0.isMarkdownSpace }) else { break }
            let continues = count > 0 && (line.first == 0x20 || line.first == 0x09)
            if isPandoc {
                guard continues || first == UInt8(ascii: "%") else { return nil }
                // `%%` begins a comment of Obsidian, and `%` and a word a command.
                guard continues || line.count == 1 || line.dropFirst().first == 0x20 else { return nil }
                fields += continues ? 0 : 1
                hasTitle = hasTitle || line.count > 2
            } else if !continues {
                guard let length = keyLength(line) else { return nil }
                let isTitle = String(decoding: line.prefix(length), as: UTF8.self).lowercased() == "title"
                hasTitle = hasTitle || isTitle && line.count > length + 2
            }
            count += 1
        }
        // A title, the authors and the date.
        guard hasTitle, fields <= 3, count < lines.count, lines.trimmedRange(count).isEmpty else {
            return nil
        }
        return count
    }

    /// Parses the lines of a title block.
    static func parse(_ text: String) -> FrontMatter {
        var fields: [(key: String, value: String)] = []
        let pandocKeys = ["title", "author", "date"]
        for line in text.split(whereSeparator: \.isNewline) {
            let content = String(line).trimmed
            if let last = fields.indices.last, line.first == " " || line.first == "\t" {
                fields[last].value += " " + content
            } else if content.hasPrefix("%"), fields.count < pandocKeys.count {
                fields.append((pandocKeys[fields.count], String(content.dropFirst()).trimmed))
            } else if let colon = content.firstIndex(of: ":") {
                let value = String(content[content.index(after: colon)...]).trimmed
                fields.append((String(content[..<colon]).trimmed.lowercased(), value))
            }
        }
        return FrontMatter(
            entries: fields.filter { !$0.value.isEmpty }.map {
                FrontMatterMember(key: $0.key, value: .scalar(.string($0.value), text: $0.value))
            })
    }

    /// Returns the length of the key of a line `Key: value` in bytes; `nil` for other lines.
    private static func keyLength(_ line: ArraySlice<UInt8>) -> Int? {
        let key = line.prefix {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x20 || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: "_")
        }
        let rest = line.dropFirst(key.count)
        guard (1...maximumKeyLength).contains(key.count), key.first?.isASCIILetter == true,
            rest.first == UInt8(ascii: ":"),
            rest.count == 1 || rest.dropFirst().first?.isMarkdownSpace == true
        else { return nil }
        return key.count
    }
}
