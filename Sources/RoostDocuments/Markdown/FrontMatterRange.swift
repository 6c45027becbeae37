/// The position of the front matter at the beginning of a Markdown text.
struct FrontMatterRange: Equatable {
    /// The language of front matter.
    enum Language: Equatable {
        /// YAML between lines of `---`.
        case yaml
        /// TOML between lines of `+++`.
        case toml
        /// Lines such as `key:: value` without fences, the properties of a page of Logseq.
        case properties
        /// A JSON object.
        case json
        /// The title block of Pandoc or MultiMarkdown.
        case titleBlock
    }

    /// The maximum number of bytes of front matter.
    static let maximumLength = 1 << 20

    /// The language.
    var language: Language
    /// The range in UTF-8 bytes of the lines between the fences, if there are any.
    var content: Range<Int>
    /// The number of lines, including the fences.
    var lineCount: Int
    /// Whether the lines are not embedded.
    var isHidden: Bool { language != .titleBlock }

    /// Finds the front matter; `nil` if the text does not begin with a line `---`, `+++` or `key:: value`, a
    /// JSON object or a title block, if no line ends the front matter within ``maximumLength``, or if the
    /// first line between the two fences that is neither blank nor a comment has no key. In the last two
    /// cases, the first line is a horizontal line.
    init?(_ lines: MarkdownLines) {
        if let count = PageProperties.lineCount(lines) {
            (language, content, lineCount) = (.properties, 0..<lines.starts[count], count)
            return
        }
        for (language, count) in [
            (Language.json, JSONFrontMatter.lineCount(lines)), (.titleBlock, TitleBlock.lineCount(lines)),
        ] {
            guard let count else { continue }
            let start = lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : 0
            (self.language, content, lineCount) = (language, start..<lines.starts[count], count)
            return
        }
        guard lines.count >= 2, let language = Self.language(lines) else { return nil }
        var line = 1
        while line < lines.count, lines.starts[line] <= Self.maximumLength {
            if Self.isEnd(lines.contentRange(line..<line + 1), of: language, lines.bytes) {
                self.language = language
                content = lines.starts[1]..<lines.starts[line]
                lineCount = line + 1
                guard Self.isPlausible(lines, lastLine: line, language) else { return nil }
                return
            }
            line += 1
        }
        return nil
    }

    private static func language(_ lines: MarkdownLines) -> Language? {
        let start = lines.bytes.matches("\u{FEFF}", at: 0) ? 3 : 0
        var end = lines.contentRange(0..<1).upperBound
        while end > start, lines.bytes[end - 1] == 32 || lines.bytes[end - 1] == 9 { end -= 1 }
        guard end - start == 3 else { return nil }
        return lines.bytes.matches("---", at: start)
            ? .yaml : lines.bytes.matches("+++", at: start) ? .toml : nil
    }

    private static func isEnd(_ range: Range<Int>, of language: Language, _ bytes: [UInt8]) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] == 32 || bytes[end - 1] == 9 { end -= 1 }
        guard end - range.lowerBound == 3 else { return false }
        return switch language {
        case .yaml: bytes.matches("---", at: range.lowerBound) || bytes.matches("...", at: range.lowerBound)
        case .toml: bytes.matches("+++", at: range.lowerBound)
        case .properties, .json, .titleBlock: false
        }
    }

    /// Returns whether the lines can be front matter and not a text between two horizontal lines: they are
    /// blank or comments, or the first other line has a key.
    private static func isPlausible(_ lines: MarkdownLines, lastLine: Int, _ language: Language) -> Bool {
        for line in 1..<max(1, lastLine) {
            let range = lines.trimmedRange(line)
            guard let first = range.first.map({ lines.bytes[$0] }), first != UInt8(ascii: "#") else {
                continue
            }
            let separator = language == .yaml ? UInt8(ascii: ":") : UInt8(ascii: "=")
            return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "?")
                || lines.bytes[range].contains(separator)
        }
        return true
    }
}
