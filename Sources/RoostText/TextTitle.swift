/// Titles of texts that state none, and the forms of titles for display and labels.
package enum TextTitle {
    package static let displayLength = 60

    package static let searchedBytes = 8000
    private static let lineBytes = 600
    /// The maximum number of characters of a title. Of a longer line, the first sentence becomes the title,
    /// shortened to this number of characters.
    private static let maximumLength = 120

    /// Returns the first line with words, or its first sentence if the line is long.
    ///
    /// In Markdown, a line that consists of addresses is omitted, and so are the signs of emphasis around words
    /// and signs without words at the ends of the line.
    ///
    /// - Parameters:
    ///   - text: The text, without its hidden parts.
    ///   - isMarkdown: Whether the text is Markdown.
    /// - Returns: The title on one line, or `nil` if the text has no words.
    /// - Complexity: O(1): at most the first 8,000 bytes are read.
    package static func firstSentence(of text: String, isMarkdown: Bool = false) -> String? {
        let start = text.utf8.withContiguousStorageIfAvailable { Array($0.prefix(searchedBytes)) }
        var rest = (start ?? Array(text.utf8.prefix(searchedBytes)))[...]
        while !rest.isEmpty {
            let bytes = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            rest = rest.dropFirst(bytes.count + 1)
            // The byte limit may split a character. Decoding replaces it, but a title never extends that far.
            let line = String(decoding: bytes.prefix(lineBytes), as: UTF8.self)
            let title = isMarkdown ? withoutMarks(line) : withSingleSpaces(line, limit: maximumLength + 1)
            guard hasWords(title, isMarkdown: isMarkdown) else { continue }
            return isLonger(title, than: maximumLength)
                ? shortened(sentence(of: title), to: maximumLength) : title
        }
        return nil
    }

    /// Returns the words of a title without addresses, HTML, signs before the first word and signs of emphasis, for
    /// labels.
    package static func words(of title: String) -> String {
        let masked = String(decoding: MarkupMask.masked(Array(title.utf8)), as: UTF8.self)
        // Masked bytes are U+0000.
        return joined(
            masked.split { isSpace($0) || $0 == "\0" }.drop { $0.allSatisfy(isSign) }
                .map { word in trimmed(word) { "*_`[]".contains($0) }[...] })
    }

    /// Returns a text of at most `length` characters. A longer text ends with an ellipsis after a word.
    package static func shortened(_ text: String, to length: Int = displayLength) -> String {
        guard isLonger(text, than: length) else { return text }
        let start = text.prefix(length - 1)
        let end = start.lastIndex(where: isSpace)
        // Text without spaces, or with a very long first word, is cut between two characters.
        let kept = end.map { start[..<$0] }.flatMap { 2 * $0.count >= length ? $0 : nil } ?? start
        return trimmed(kept) { ",;:-".contains($0) } + "…"
    }

    // MARK: Parts of a line

    private static func hasWords(_ title: String, isMarkdown: Bool) -> Bool {
        let utf8 = Array(title.utf8)
        return (isMarkdown ? MarkupMask.masked(utf8) : utf8).contains(where: \.isWordByte)
    }

    private static func isLonger(_ text: String, than length: Int) -> Bool {
        guard text.utf8.count > length else { return false }
        return text.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
            < text.endIndex
    }

    private static func joined(_ words: [Substring]) -> String {
        words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Returns a line without signs of emphasis around its words. Punctuation in code is part of it.
    private static func withoutMarks(_ line: String) -> String {
        let words = withSingleSpaces(line).split(separator: " ").map { word in
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
        var rest = words[...]
        while let first = rest.first, first.allSatisfy(isSign) { rest.removeFirst() }
        while let last = rest.last, last.allSatisfy(isSign) { rest.removeLast() }
        return joined(Array(rest))
    }

    private static func isSign(_ character: Character) -> Bool {
        character.isASCII && !isSpace(character) && !character.isLetter && !character.isNumber
    }

    /// Returns whether a scalar is white space. The properties of an ASCII character need no tables.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII ? scalar == " " || 9...13 ~= scalar.value : scalar.properties.isWhitespace
    }

    private static func isSpace(_ character: Character) -> Bool {
        character.asciiValue.map { $0 == UInt8(ascii: " ") || 9...13 ~= $0 } ?? character.isWhitespace
    }

    /// Returns a line in which single spaces separate the words.
    ///
    /// - Parameter limit: The number of bytes after which the rest of a line in ASCII is omitted.
    private static func withSingleSpaces(_ line: String, limit: Int = .max) -> String {
        var result: [UInt8] = []
        var (isAfterSpace, isASCII, hasWord) = (false, true, false)
        for scalar in line.unicodeScalars {
            if isASCII, hasWord, result.count > limit { break }
            if isSpace(scalar) {
                isAfterSpace = !result.isEmpty
                continue
            }
            if isAfterSpace { result.append(UInt8(ascii: " ")) }
            isAfterSpace = false
            if scalar.isASCII { result.append(UInt8(scalar.value)) } else { result += String(scalar).utf8 }
            isASCII = isASCII && scalar.isASCII
            hasWord = hasWord || result[result.count - 1].isWordByte
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the text to the end of its first sentence.
    private static func sentence(of text: String) -> String {
        let scalars = text.unicodeScalars
        var previous: Unicode.Scalar = " "
        for index in scalars.indices {
            let scalar = scalars[index]
            switch previous {
            case ".", "!", "?": if scalar == " " { return String(text[..<index]) }
            case "。", "！", "？": return trimmed(text[..<index])
            default: break
            }
            previous = scalar
        }
        return text
    }

    private static func trimmed(
        _ text: Substring, also isExtra: (Character) -> Bool = { _ in false }
    ) -> String {
        var text = text
        while let first = text.first, isSpace(first) || isExtra(first) { text.removeFirst() }
        while let last = text.last, isSpace(last) || isExtra(last) { text.removeLast() }
        return String(text)
    }
}
