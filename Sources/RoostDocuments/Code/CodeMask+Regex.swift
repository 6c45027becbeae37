extension CodeMask {
    /// Skips a regular expression that begins at the position, and returns whether there is one. A slash
    /// begins an expression only after certain characters; otherwise it is a division.
    mutating func skipRegex() -> Bool {
        var index = position - 1
        while index >= 0, source[index] == UInt8(ascii: " ") { index -= 1 }
        let previous = index >= 0 ? source[index] : UInt8(ascii: "\n")
        let starts = Array("(=,:[!&|?{};\n".utf8)
        let isReturn = index >= 5 && Array(source[(index - 5)...index]) == Array("return".utf8)
        guard starts.contains(previous) || isReturn else { return false }
        var (end, isInClass) = (position + 1, false)
        while end < source.count, source[end] != UInt8(ascii: "\n") {
            switch source[end] {
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                position = end + 1
                return true
            default: break
            }
            end += 1
        }
        return false
    }

    /// The maximum number of expressions with `#` and without an end that are searched for their ends.
    private static let maximumOpenExpressions = 10
    /// The words of Swift after which a slash begins an expression.
    private static let wordsBeforeExpressions: Set = [
        "return", "in", "case", "if", "while", "where", "try", "await", "else",
    ]

    /// Skips a regular expression of Swift that begins at the position, such as `/a+/` or `#/a+/#`, and
    /// returns whether there is one.
    mutating func skipSwiftRegex() -> Bool {
        let hashes = hashesBefore
        guard hashes > 0 ? openExpressions < Self.maximumOpenExpressions : mayBeginSwiftRegex else {
            return false
        }
        // Only an expression with `#` and a line break directly after its slash has several lines.
        let spansLines = hashes > 0 && position + 1 < source.count && Self.isLineBreak(source[position + 1])
        var (end, groups, isInClass) = (position + 1, 0, false)
        while end < source.count, spansLines || !Self.isLineBreak(source[end]) {
            switch source[end] {
            case UInt8(ascii: "\\"): end += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "(") where !isInClass: groups += 1
            case UInt8(ascii: ")") where !isInClass && hashes == 0:
                // The slash is an operator in parentheses, as in `reduce(1, /)`.
                if groups == 0 { return false }
                groups -= 1
            case UInt8(ascii: "/"):
                // A slash in a class, too, is the end. Without `#`, no space may precede it.
                if hashes == 0, Self.isBlank(source[end - 1]) { return false }
                let signs = source[(end + 1)...].prefix(hashes)
                guard signs.count == hashes, signs.allSatisfy({ $0 == UInt8(ascii: "#") }) else { break }
                position = end + 1 + hashes
                return true
            default: break
            }
            end += 1
        }
        if hashes > 0 { openExpressions += 1 }
        return false
    }

    /// Returns whether the slash at the position has no value before it, which it would divide, and no space
    /// after it.
    private var mayBeginSwiftRegex: Bool {
        guard position + 1 < source.count, !Self.isBlank(source[position + 1]),
            !Self.isLineBreak(source[position + 1])
        else { return false }
        guard let last = source[..<position].lastIndex(where: { !Self.isBlank($0) }) else { return true }
        if "(=,:[!&|?{};<>+*~".utf8.contains(source[last]) || Self.isLineBreak(source[last]) { return true }
        let word = source[max(0, last - 7)...last].reversed().prefix { Self.isNameByte($0) }
        return Self.wordsBeforeExpressions.contains(String(decoding: word.reversed(), as: UTF8.self))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
}
