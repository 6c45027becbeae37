/// The words and punctuation characters of a part of source code.
struct CodeTokens {
    /// A word or a punctuation character.
    struct Token {
        var text: String
        var offset: Int
        var isWord: Bool
    }

    /// The words and punctuation characters outside of parentheses and square brackets, and the outermost
    /// brackets themselves.
    private(set) var tokens: [Token] = []

    /// The maximum number of bytes of a header that are read.
    private static let maximumLength = 2000

    /// Splits a range of a mask. The contents of parentheses and square brackets are omitted.
    init(_ mask: [UInt8], _ range: Range<Int>) {
        var (index, depth) = (range.lowerBound, 0)
        let end = min(range.upperBound, range.lowerBound + Self.maximumLength)
        while index < end {
            let byte = mask[index]
            if Self.isWordByte(byte) || (byte == UInt8(ascii: "@") && index + 1 < end) {
                let start = index
                index += 1
                while index < end, Self.isWordByte(mask[index]) { index += 1 }
                if depth == 0 {
                    let text = String(decoding: mask[start..<index], as: UTF8.self)
                    tokens.append(Token(text: text, offset: start, isWord: true))
                }
                continue
            }
            if byte == UInt8(ascii: "`"), let close = Self.quotedName(mask, index..<end) {
                if depth == 0 {
                    let text = String(decoding: mask[(index + 1)..<close], as: UTF8.self)
                    tokens.append(Token(text: text, offset: index, isWord: true))
                }
                index = close + 1
                continue
            }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth = max(0, depth - 1) }
            if depth == 0, byte > 0x20 {
                tokens.append(Token(text: String(UnicodeScalar(byte)), offset: index, isWord: false))
            }
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
            index += 1
        }
    }

    /// The maximum number of bytes of a name between grave accents.
    private static let maximumNameLength = 200

    /// Returns the offset of the second grave accent around a name with which a range begins; `nil` if none
    /// follows on the line. Swift, Kotlin, Scala and SQL quote names with them.
    private static func quotedName(_ mask: [UInt8], _ range: Range<Int>) -> Int? {
        let rest = mask[(range.lowerBound + 1)..<min(range.upperBound, range.lowerBound + maximumNameLength)]
        guard let close = rest.firstIndex(where: { $0 == UInt8(ascii: "`") || $0 == 0x0A }),
            rest[close] == UInt8(ascii: "`"), close > range.lowerBound + 1
        else { return nil }
        return close
    }

    /// Removes tokens at the beginning.
    mutating func removeFirst(_ count: Int) { tokens.removeFirst(min(count, tokens.count)) }

    /// Removes annotations with their arguments, such as `@Cached("a")`. The arguments would otherwise look
    /// like the parameters of a function.
    ///
    /// - Parameter keywords: The words that are no annotations, such as `@interface`.
    mutating func removeAnnotations(except keywords: Set<String>) {
        guard tokens.contains(where: { $0.text.hasPrefix("@") }) else { return }
        var kept: [Token] = []
        var index = 0
        while index < tokens.count {
            guard tokens[index].text.hasPrefix("@"), !keywords.contains(tokens[index].text) else {
                kept.append(tokens[index])
                index += 1
                continue
            }
            index += 1
            while index + 1 < tokens.count, tokens[index].text == ".", tokens[index + 1].isWord { index += 2 }
            // The contents of parentheses are no tokens.
            if index + 1 < tokens.count, tokens[index].text == "(", tokens[index + 1].text == ")" {
                index += 2
            }
        }
        tokens = kept
    }

    /// Removes words with the parentheses behind them, such as `__attribute__((unused))`.
    mutating func removeSpecifiers(_ words: Set<String>) {
        guard tokens.contains(where: { words.contains($0.text) }) else { return }
        var kept: [Token] = []
        var index = 0
        while index < tokens.count {
            // The contents of parentheses are no tokens.
            if words.contains(tokens[index].text), index + 2 < tokens.count, tokens[index + 1].text == "(" {
                index += 3
            } else {
                kept.append(tokens[index])
                index += 1
            }
        }
        tokens = kept
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        CodeMask.isNameByte(byte) || byte == UInt8(ascii: "$")
    }

    /// Returns the name that begins at a token: words joined by `.` or `::`; `nil` if no name begins there.
    func name(at index: Int) -> String? {
        guard tokens.indices.contains(index) else { return nil }
        var (name, index) = ("", index)
        if tokens[index].text == "~" {
            name = "~"
            index += 1
        }
        guard index < tokens.count, tokens[index].isWord else { return nil }
        name += tokens[index].text
        while index + 2 < tokens.count {
            if tokens[index + 1].text == ".", tokens[index + 2].isWord {
                name += "." + tokens[index + 2].text
                index += 2
            } else if index + 3 < tokens.count, tokens[index + 1].text == ":", tokens[index + 2].text == ":" {
                let isDestructor = tokens[index + 3].text == "~"
                let word = index + (isDestructor ? 4 : 3)
                guard word < tokens.count, tokens[word].isWord else { break }
                name += "::" + (isDestructor ? "~" : "") + tokens[word].text
                index = word
            } else {
                break
            }
        }
        return name
    }

    /// Returns the index after the generic parameters, such as `<T>`, that begin at a token; the index of the
    /// token if none begin there.
    func skippingGenerics(at index: Int) -> Int {
        guard index < tokens.count, tokens[index].text == "<" else { return index }
        var (index, depth) = (index, 0)
        while index < tokens.count {
            if tokens[index].text == "<" { depth += 1 }
            if tokens[index].text == ">" { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        return index
    }
}
