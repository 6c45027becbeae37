/// Finds bare URLs in a text.
enum AddressScan {
    /// Returns the end of the web address that begins at an offset; `nil` if no address begins there.
    ///
    /// Punctuation at the end and a closing parenthesis without its opening one are not part of the address,
    /// as in GitHub Flavored Markdown.
    static func end(_ bytes: [UInt8], from start: Int, to limit: Int) -> Int? {
        var index = start
        for expected in "http".utf8 {
            guard index < limit, bytes[index] | 0x20 == expected else { return nil }
            index += 1
        }
        if index < limit, bytes[index] | 0x20 == UInt8(ascii: "s") { index += 1 }
        guard index + 3 < limit, bytes.matches("://", at: index) else { return nil }
        index += 3
        let host = index
        var parentheses = 0
        while index < limit, bytes[index] > 32, !isDelimiter(bytes[index]) {
            if bytes[index] == UInt8(ascii: "(") { parentheses += 1 }
            if bytes[index] == UInt8(ascii: ")") {
                if parentheses == 0 { break }
                parentheses -= 1
            }
            index += 1
        }
        while index > host, isTrailing(bytes[index - 1]) { index -= 1 }
        return index > host ? index : nil
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "]")
            || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "`")
            || byte == UInt8(ascii: "|")
    }

    private static func isTrailing(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), UInt8(ascii: "!"),
            UInt8(ascii: "?"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
