/// The bytes of source code in which spaces replace comments and strings, so that a search for brackets and
/// keywords finds only code. Line breaks are kept.
struct CodeMask {
    /// The bytes.
    private(set) var bytes: [UInt8]

    private let language: CodeLanguage
    let source: [UInt8]
    /// The offset of the byte that is read next.
    var position = 0
    /// The number of regular expressions of Swift with `#` and without an end. Each of them is searched for
    /// in the rest of the text.
    var openExpressions = 0
    /// The number of here documents without an end. Each of them is searched for in the rest of the text.
    private var openDocuments = 0
    private static let maximumOpenDocuments = 50
    private let lineComments: [[UInt8]]
    private let blockComments: [(start: [UInt8], end: [UInt8])]

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// Masks the comments and strings of a text.
    ///
    /// - Complexity: O(length of source).
    init(_ source: [UInt8], language: CodeLanguage) {
        self.source = source
        self.language = language
        bytes = source
        lineComments = language.lineComments.map { Array($0.utf8) }
        blockComments = language.blockComments.map { (Array($0[0].utf8), Array($0[1].utf8)) }
        for range in Self.rangesOutsideElements(source, language) { blank(range) }
        let outside = bytes
        while position < source.count {
            let start = position
            if outside[start] == Self.space && source[start] != Self.space {
                position += 1
            } else if Self.languagesWithEscapes.contains(language.name), isEscape {
                // A quotation mark after a backslash begins no string.
                position += 2
            } else if skipComment() || skipString() {
                blank(start..<min(position, source.count))
            } else {
                position += 1
            }
        }
    }

    /// The languages in which a backslash outside of a string makes the next sign a character or a part of a
    /// word.
    private static let languagesWithEscapes: Set = ["shell", "clojure", "emacslisp", "commonlisp", "scheme"]

    /// Whether the sign after the position begins no string or comment: after a backslash, and in Emacs Lisp
    /// in a character such as `?"`.
    private var isEscape: Bool {
        if byte(0) == UInt8(ascii: "\\") { return true }
        guard language.name == "emacslisp", byte(0) == UInt8(ascii: "?"), position > 0 else { return false }
        return "\";".utf8.contains(byte(1)) && !Self.isNameByte(source[position - 1])
    }

    private mutating func blank(_ range: Range<Int>) {
        for index in range where bytes[index] != Self.newline { bytes[index] = Self.space }
    }

    /// Returns the ranges outside of the elements that contain the code.
    private static func rangesOutsideElements(_ source: [UInt8], _ language: CodeLanguage) -> [Range<Int>] {
        guard let element = language.codeElements.first else { return [] }
        let (open, close) = (Array(element[0].utf8), Array(element[1].utf8))
        var (ranges, start, index) = ([Range<Int>](), 0, 0)
        var isInside = false
        while index < source.count {
            let mark = isInside ? close : open
            guard source[index] == mark[0], starts(source, mark, at: index) else {
                index += 1
                continue
            }
            if isInside {
                start = index
                index += mark.count
            } else {
                index += mark.count
                // Skip the attributes of the element.
                while open[1] != UInt8(ascii: "?"), index < source.count, source[index] != UInt8(ascii: ">") {
                    index += 1
                }
                index = min(index + 1, source.count)
                ranges.append(start..<index)
            }
            isInside.toggle()
        }
        if !isInside { ranges.append(start..<source.count) }
        return ranges
    }

    private static func starts(_ source: [UInt8], _ mark: [UInt8], at index: Int) -> Bool {
        guard index + mark.count <= source.count else { return false }
        for offset in mark.indices where source[index + offset] != mark[offset] { return false }
        return true
    }

    private func has(_ mark: [UInt8]) -> Bool { Self.starts(source, mark, at: position) }

    private func byte(_ offset: Int) -> UInt8 {
        let index = position + offset
        return source.indices.contains(index) ? source[index] : 0
    }

    /// Skips a comment or directive that begins at the position, and returns whether there is one.
    private mutating func skipComment() -> Bool {
        for (start, end) in blockComments where has(start) {
            var depth = 1
            position += start.count
            while position < source.count && depth > 0 {
                if has(end) {
                    depth -= 1
                    position += end.count
                } else if language.hasNestedComments && has(start) {
                    depth += 1
                    position += start.count
                } else {
                    position += 1
                }
            }
            return true
        }
        for start in lineComments where has(start) {
            // `$#` and `${#name}` are not comments.
            if start == [UInt8(ascii: "#")], position > 0, !Self.isSpace(source[position - 1]) { continue }
            skipLine(continues: false)
            return true
        }
        if language.hasDirectives, byte(0) == UInt8(ascii: "#"), isAtLineStart {
            skipLine(continues: true)
            return true
        }
        return false
    }

    private var isAtLineStart: Bool {
        var index = position - 1
        while index >= 0, source[index] == Self.space || source[index] == 0x09 { index -= 1 }
        return index < 0 || source[index] == Self.newline
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == space || (0x09...0x0D).contains(byte) }

    private mutating func skipLine(continues: Bool) {
        while position < source.count {
            if source[position] == Self.newline {
                guard continues, position > 0, source[position - 1] == UInt8(ascii: "\\") else { return }
            }
            position += 1
        }
    }

    /// Skips a string that begins at the position, and returns whether there is one.
    private mutating func skipString() -> Bool {
        let strings = language.strings
        switch byte(0) {
        case UInt8(ascii: "\""):
            if strings.contains(.raw), position > 0, source[position - 1] == UInt8(ascii: "R") {
                return skipRaw()
            }
            let isTriple = strings.contains(.triple) && byte(1) == byte(0) && byte(2) == byte(0)
            skipQuoted(length: isTriple ? 3 : 1, hashes: hashesBefore)
            return true
        case UInt8(ascii: "'"):
            if strings.contains(.tripleSingle) && byte(1) == byte(0) && byte(2) == byte(0) {
                skipQuoted(length: 3, hashes: 0)
                return true
            }
            if language.name == "perl", position > 0, isPerlName(source[position - 1]) { return false }
            if strings.contains(.single) {
                skipQuoted(length: 1, hashes: 0)
                return true
            }
            return strings.contains(.character) && skipCharacter()
        case UInt8(ascii: "`") where strings.contains(.backtick):
            skipQuoted(length: 1, hashes: 0)
            return true
        case UInt8(ascii: "/") where strings.contains(.regex):
            return language.name == "swift" ? skipSwiftRegex() : skipRegex()
        case UInt8(ascii: "[") where strings.contains(.brackets) && byte(1) == UInt8(ascii: "["):
            while position < source.count, !(byte(0) == UInt8(ascii: "]") && byte(1) == UInt8(ascii: "]")) {
                position += 1
            }
            position += 2
            return true
        case UInt8(ascii: "<") where strings.contains(.documents) && byte(1) == UInt8(ascii: "<"):
            return skipDocument()
        case UInt8(ascii: "\\") where strings.contains(.lines) && byte(1) == UInt8(ascii: "\\"):
            skipLine(continues: false)
            return true
        default: return false
        }
    }

    /// Returns whether a byte before a quotation mark makes it a part of a name, as in `$'` and `don't`.
    private func isPerlName(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "$") || Self.isNameByte(byte) }

    /// The number of `#` directly before the position. The end of the string repeats them.
    var hashesBefore: Int {
        guard language.strings.contains(.hashes) else { return 0 }
        var count = 0
        while position - count > 0, source[position - count - 1] == UInt8(ascii: "#") { count += 1 }
        return count
    }

    /// The languages in which a string between single marks ends on its line. In Perl, it can have several
    /// lines, but regular expressions with a single mark are more frequent.
    private static let languagesWithoutLongStrings: Set = [
        "c", "cpp", "java", "csharp", "go", "javascript", "typescript", "swift", "kotlin", "scala", "perl",
    ]

    /// Skips a string that begins at the position with `length` equal quotation marks.
    private mutating func skipQuoted(length: Int, hashes: Int) {
        let quote = byte(0)
        let isBacktick = quote == UInt8(ascii: "`")
        let canSpanLines =
            length == 3 || isBacktick || hashes > 0
            || !Self.languagesWithoutLongStrings.contains(language.name)
        position += length
        while position < source.count {
            let current = byte(0)
            let isLiteral =
                isBacktick && language.name == "go"
                || quote == UInt8(ascii: "'") && language.name == "shell"
            if current == UInt8(ascii: "\\"), hashes == 0, !isLiteral {
                if language.strings.contains(.expressions), byte(1) == UInt8(ascii: "(") {
                    position += 1
                    skipExpression(open: UInt8(ascii: "("), close: UInt8(ascii: ")"))
                } else {
                    position += 2
                }
                continue
            }
            if current == UInt8(ascii: "$"), byte(1) == UInt8(ascii: "{"),
                language.strings.contains(.expressions), isBacktick || language.name == "kotlin"
            {
                position += 1
                skipExpression(open: UInt8(ascii: "{"), close: UInt8(ascii: "}"))
                continue
            }
            // A string that is not closed ends with its line.
            if current == Self.newline && !canSpanLines { return }
            let isEnd = (0..<length).allSatisfy { byte($0) == quote }
            if isEnd, (0..<hashes).allSatisfy({ byte(length + $0) == UInt8(ascii: "#") }) {
                position += length + hashes
                return
            }
            position += 1
        }
    }

    /// Skips an expression in brackets within a string, including the strings in the expression.
    private mutating func skipExpression(open: UInt8, close: UInt8) {
        // Without the limit, a missing bracket would hide the declarations in the rest of the file.
        var depth = 0
        let limit = min(source.count, position + 4096)
        while position < limit {
            let current = byte(0)
            if current == open { depth += 1 }
            if current == close {
                depth -= 1
                if depth == 0 {
                    position += 1
                    return
                }
            }
            let isQuote =
                current == UInt8(ascii: "\"") || (current == 0x60 && language.strings.contains(.backtick))
            if isQuote {
                position += 1
                while position < limit, byte(0) != current, byte(0) != Self.newline {
                    position += byte(0) == UInt8(ascii: "\\") ? 2 : 1
                }
            }
            position += 1
        }
    }

    /// Skips a character in quotation marks. Returns `false` if the mark is part of a name or a lifetime.
    private mutating func skipCharacter() -> Bool {
        if byte(1) == UInt8(ascii: "\\") {
            var length = 3
            while length < 12, byte(length) != UInt8(ascii: "'") { length += 1 }
            position += length + 1
            return true
        }
        // A character has up to four bytes in UTF-8.
        for length in 2...5 where byte(length) == UInt8(ascii: "'") {
            if length > 2 && byte(1) < 0x80 { break }
            position += length + 1
            return true
        }
        return false
    }

    private mutating func skipRaw() -> Bool {
        var length = 1
        while length < 18, byte(length) != UInt8(ascii: "("), byte(length) != Self.newline { length += 1 }
        let end =
            [UInt8(ascii: ")")] + (1..<max(length, 1)).map { byte($0) } + [UInt8(ascii: "\"")]
        position += length
        while position < source.count, !has(end) { position += 1 }
        position += end.count
        return true
    }

    /// Skips a here document, which begins with `<<NAME` and ends with a line that contains only the name.
    /// Returns whether there is one.
    private mutating func skipDocument() -> Bool {
        var index = position + 2
        while index < source.count, "<-~'\"".utf8.contains(source[index]) { index += 1 }
        let start = index
        while index < source.count, Self.isNameByte(source[index]) { index += 1 }
        let name = source[start..<index]
        guard let first = name.first, !(0x30...0x39).contains(first),
            openDocuments < Self.maximumOpenDocuments
        else { return false }
        while index < source.count {
            guard let end = source[index...].firstIndex(of: Self.newline) else { break }
            var line = end + 1
            while line < source.count, source[line] == Self.space || source[line] == 0x09 { line += 1 }
            let lineEnd = source[line...].firstIndex(of: Self.newline) ?? source.count
            let text = source[line..<lineEnd]
            if text.starts(with: name), text.dropFirst(name.count).allSatisfy({ !Self.isNameByte($0) }) {
                position = line + name.count
                return true
            }
            index = end + 1
        }
        openDocuments += 1
        return false
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }
}
