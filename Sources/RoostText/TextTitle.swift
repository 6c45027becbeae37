/// Finds the title of a text.
package enum TextTitle {
    /// The parts of a line that its title keeps.
    package enum Form: Sendable {
        /// Only language, for labels and headings: neither markup nor addresses.
        case words
        /// The visible text of Markdown: no markup, but addresses and code.
        case markdown
        /// Everything, for text without markup.
        case plain
    }

    /// The maximum number of characters of a title that was shortened for display.
    package static let displayLength = 60

    /// The number of bytes at the start of a text that are searched for a title. The front matter must fit in
    /// them.
    private static let searchedBytes = 8000
    /// The maximum number of bytes that are read from each line.
    private static let lineBytes = 600
    /// The maximum number of characters of a title. A longer first line is treated as a paragraph, whose
    /// first sentence becomes the title, shortened to this number of characters.
    private static let maximumLength = 120

    /// Returns the title of a text: the `title` of YAML (`---`) or TOML (`+++`) front matter, else the first
    /// Markdown heading if nothing but badges and blank lines precedes it, else the first sentence.
    ///
    /// A line that consists of addresses is not a title.
    ///
    /// - Parameter form: The parts that the title keeps.
    /// - Returns: The title on one line, or `nil` if the text has only whitespace and markup.
    /// - Complexity: O(1): at most the first 8,000 bytes are read.
    package static func title(of text: String, as form: Form = .markdown) -> String? {
        find(in: text, form).map(\.title)
    }

    /// Returns the title of a text that has one: the `title` of front matter, or the first Markdown heading.
    ///
    /// - Complexity: O(1): at most the first 8,000 bytes are read.
    package static func explicitTitle(of text: String) -> String? {
        find(in: text, .markdown).flatMap { $0.isExplicit ? $0.title : nil }
    }

    private static func find(in text: String, _ form: Form) -> (title: String, isExplicit: Bool)? {
        var rest = Array(text.utf8.prefix(searchedBytes))[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        if rest.starts(with: Array("---".utf8)) || rest.starts(with: Array("+++".utf8)) {
            var lines = String(decoding: rest, as: UTF8.self)
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
            if let title = frontMatterTitle(&lines) { return (title, true) }
            rest = Array(lines.joined(separator: "\n").utf8)[...]
        }
        while !rest.isEmpty {
            let bytes = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            rest = rest.dropFirst(bytes.count + 1)
            // The byte limit may split a character. Decoding replaces it, but a title never extends that far.
            let line = Substring(decoding: bytes.prefix(lineBytes), as: UTF8.self)
            guard !line.drop(while: \.isWhitespace).hasPrefix("```") else { continue }
            let words = plainText(line, as: form == .plain ? .plain : .words)
            guard words.contains(where: { !$0.isWhitespace }) else { continue }
            let plain = form == .markdown ? plainText(line, as: form) : words
            if let heading = headingText(line, form) { return (heading, true) }
            if plain.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "=") }) { continue }
            let isShort = plain.count <= maximumLength
            return (isShort ? plain : shortened(firstSentence(of: plain), to: maximumLength), false)
        }
        return nil
    }

    /// Returns a text of at most `length` characters. A longer text ends with an ellipsis after a word.
    package static func shortened(_ text: String, to length: Int = displayLength) -> String {
        guard text.count > length else { return text }
        let start = text.prefix(length - 1)
        let end = start.lastIndex(where: \.isWhitespace)
        // Text without spaces, or with a very long first word, is cut between two characters.
        let kept = end.map { start[..<$0] }.flatMap { 2 * $0.count >= length ? $0 : nil } ?? start
        return trimmed(kept, also: { $0 == "," || $0 == ";" || $0 == ":" || $0 == "-" }) + "…"
    }

    // MARK: Parts of a text

    /// Removes front matter from the lines and returns the title in it.
    private static func frontMatterTitle(_ lines: inout ArraySlice<Substring>) -> String? {
        guard let fence = lines.first.map({ trimmed($0) }), fence == "---" || fence == "+++",
            let end = lines.dropFirst().firstIndex(where: { trimmed($0) == fence })
        else { return nil }
        let block = lines[(lines.startIndex + 1)..<end]
        let hasKey = block.contains { line in line.contains(where: { $0 == ":" || $0 == "=" }) }
        guard hasKey else { return nil }
        lines = lines[(end + 1)...]
        for line in block {
            guard let separator = line.firstIndex(of: fence == "---" ? ":" : "="),
                trimmed(line[..<separator]).lowercased() == "title"
            else { continue }
            let value = trimmed(line[line.index(after: separator)...]) { $0 == "\"" || $0 == "'" }
            if !value.isEmpty { return value }
        }
        return nil
    }

    /// Returns the text of a heading that begins with one to six number signs.
    private static func headingText(_ line: Substring, _ form: Form) -> String? {
        let content = line.drop(while: { $0 == " " })
        let level = content.prefix(while: { $0 == "#" }).count
        guard (1...6).contains(level), content.dropFirst(level).first?.isWhitespace == true else {
            return nil
        }
        return plainText(form == .plain ? content.dropFirst(level) : content, as: form)
    }

    /// Returns the first sentence, or the text if it has only one.
    private static func firstSentence(of text: String) -> String {
        var previous: Character = " "
        for index in text.indices {
            let character = text[index]
            if "。！？".contains(previous) || (character.isWhitespace && ".!?".contains(previous)) {
                return trimmed(text[..<index])
            }
            previous = character
        }
        return text
    }

    /// Returns the words of a line without the parts that a form omits.
    static func plainText(_ line: Substring, as form: Form = .words) -> String {
        if isPlain(line.utf8) { return String(line) }
        if form == .plain { return line.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        let masked = String(
            decoding: MarkupMask.masked(Array(line.utf8), keepingVisible: form == .markdown), as: UTF8.self)
        if form == .markdown { return visibleText(masked) }
        // Masked bytes are U+0000.
        let words = masked.split(whereSeparator: { $0.isWhitespace || $0 == "\0" }).map { word in
            trimmed(word) { $0 == "*" || $0 == "_" || $0 == "`" || $0 == "[" || $0 == "]" }
        }
        let text = words.filter { !$0.isEmpty }.joined(separator: " ")
        return trimmed(text[...]) { $0 == "#" || $0 == ">" }
    }

    /// Returns the words of masked Markdown. Punctuation in code is part of it.
    private static func visibleText(_ masked: String) -> String {
        let words = masked.split(whereSeparator: { $0.isWhitespace || $0 == "\0" }).map { word in
            var word = word
            while let first = word.first, "*_[]`".contains(first) {
                word.removeFirst()
                if first == "`", word.first != "`" { break }
            }
            while let last = word.last, "*_[]`".contains(last) {
                word.removeLast()
                if last == "`", word.last != "`" { break }
            }
            return word
        }
        var rest = words.filter { !$0.isEmpty }[...]
        // The marks of a heading or a quotation, and the closing mark of a heading.
        func isMark(_ word: Substring) -> Bool {
            word.allSatisfy { $0 == "#" } || word.allSatisfy { $0 == ">" }
        }
        while let first = rest.first, isMark(first) { rest.removeFirst() }
        while let last = rest.last, isMark(last) { rest.removeLast() }
        return rest.joined(separator: " ")
    }

    /// Returns whether a line certainly has no markup: English words with single spaces between them. Most
    /// first lines are of this kind, and the titles of all hits of a search are read.
    private static func isPlain(_ line: Substring.UTF8View) -> Bool {
        let space = UInt8(ascii: " ")
        var previous = space
        for byte in line {
            switch byte {
            case _ where previous == UInt8(ascii: ".") && byte != space:
                return false  // an address can continue after the period
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ","), UInt8(ascii: "?"),
                UInt8(ascii: "-"):
                break
            case UInt8(ascii: "."):
                // "www." begins an address.
                if previous | 0x20 == UInt8(ascii: "w") { return false }
            case space:
                if previous == space { return false }
            default: return false
            }
            previous = byte
        }
        return previous != space
    }

    private static func trimmed(
        _ text: Substring, also isExtra: (Character) -> Bool = { _ in false }
    ) -> String {
        var text = text
        while let first = text.first, first.isWhitespace || isExtra(first) { text.removeFirst() }
        while let last = text.last, last.isWhitespace || isExtra(last) { text.removeLast() }
        return String(text)
    }
}
