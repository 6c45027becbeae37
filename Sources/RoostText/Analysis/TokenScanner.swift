/// Divides a UTF-8 text into tokens without allocating memory.
///
/// - Words are maximal sequences of letters, digits and marks, which may contain apostrophes.
/// - Words that are joined by `.`, `_`, `-`, `:` or `@` without spaces also yield one verbatim token, and so
///   do names such as `C++` and `C#`.
/// - Words in camel case also yield their parts.
/// - Han, kana, Hangul and the scripts of Thailand and its neighbors yield all pairs of adjacent characters
///   of one script, because words cannot be told apart without a dictionary. Han characters also yield
///   themselves.
/// - Symbols and emoji are words.
struct TokenScanner {
    private let utf8: UnsafeBufferPointer<UInt8>
    private var offset = 0
    private var position: UInt32 = 0
    private var run = IdentifierRun()

    private init(_ utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

    /// Calls `body` with the tokens of a text. The words come in order; a verbatim token follows its words.
    ///
    /// - Parameters:
    ///   - utf8: Valid UTF-8. Invalid bytes lead to other tokens, but to no access outside the text.
    ///   - body: Returns whether to continue.
    /// - Returns: The number of words.
    @discardableResult
    static func forEachToken(in utf8: UnsafeBufferPointer<UInt8>, _ body: (Token) -> Bool) -> UInt32 {
        var scanner = TokenScanner(utf8)
        scanner.scan(body)
        return scanner.position
    }

    /// The bits of ASCII letters and digits; 0 for other bytes.
    private enum Bits { static let (lower, upper, digit): (UInt8, UInt8, UInt8) = (1, 2, 4) }

    private static let bits: [UInt8] = (0..<256).map { byte in
        switch byte {
        case 97...122: Bits.lower
        case 65...90: Bits.upper
        case 48...57: Bits.digit
        default: 0
        }
    }

    private mutating func scan(_ body: (Token) -> Bool) {
        Self.bits.withUnsafeBufferPointer { bits in
            while offset < utf8.count {
                let byte = utf8[offset]
                if byte < 128 {
                    if bits[Int(byte)] == 0 {
                        offset += 1
                    } else if !scanWord(bits, body) {
                        return
                    }
                    continue
                }
                let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
                let found = CharacterClass.ofNonASCII(scalar)
                let continues: Bool
                switch found {
                case .separator, .extend:
                    offset += width
                    continues = true
                case .word: continues = scanWord(bits, body)
                case .symbol, .regionalIndicator: continues = scanSymbol(scalar, found, width, body)
                case .han, .hiragana, .katakana, .hangul, .southeastAsian:
                    continues = scanGrams(found, body)
                }
                guard continues else { return }
            }
            _ = finishRun(body)
        }
    }

    // MARK: Words

    private mutating func scanWord(_ bits: UnsafeBufferPointer<UInt8>, _ body: (Token) -> Bool) -> Bool {
        let start = offset
        var seen = bits[Int(utf8[start])]
        var seenAfterFirst: UInt8 = 0
        var isASCII = utf8[start] < 128
        offset += isASCII ? 1 : UTF8Decoding.scalar(utf8, start).width
        while offset < utf8.count {
            let byte = utf8[offset]
            let bit = bits[Int(byte)]
            if bit != 0 {
                seenAfterFirst |= bit
                offset += 1
                continue
            }
            let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
            if byte >= 128 {
                let found = CharacterClass.ofNonASCII(scalar)
                if found == .word || found == .extend {
                    isASCII = false
                    offset += width
                    continue
                }
            }
            // An apostrophe between letters belongs to the word: don't, o’clock.
            guard scalar == "'" || scalar == "\u{2019}", isWord(offset + width, bits) else { break }
            offset += width
        }
        seen |= seenAfterFirst
        position += 1
        let range = start..<offset
        if !run.extend(to: range, in: utf8) {
            guard finishRun(body) else { return false }
            run = IdentifierRun(range, position: position)
        }
        guard body(Token(kind: .word, range: range, position: position)) else { return false }
        let isCamel = seenAfterFirst & Bits.upper != 0 && seen & Bits.lower != 0
        return !isCamel || !isASCII || scanParts(range, body)
    }

    private func isWord(_ offset: Int, _ bits: UnsafeBufferPointer<UInt8>) -> Bool {
        guard offset < utf8.count else { return false }
        if utf8[offset] < 128 { return bits[Int(utf8[offset])] != 0 }
        return CharacterClass.ofNonASCII(UTF8Decoding.scalar(utf8, offset).scalar) == .word
    }

    /// Reports the parts of a word in camel case: `parse`, `URL` and `String` of `parseURLString`. Queries
    /// with the word do not search for them, because a text with one part is rarely about the word.
    private func scanParts(_ word: Range<Int>, _ body: (Token) -> Bool) -> Bool {
        var start = word.lowerBound
        for index in word.dropFirst() where isStartOfPart(index, of: word) {
            guard scanPart(start..<index, body) else { return false }
            start = index
        }
        return start == word.lowerBound || scanPart(start..<word.upperBound, body)
    }

    private func scanPart(_ part: Range<Int>, _ body: (Token) -> Bool) -> Bool {
        part.count < 2 || body(Token(kind: .word, range: part, position: position, isOnlyForIndex: true))
    }

    private func isStartOfPart(_ index: Int, of word: Range<Int>) -> Bool {
        func isUpper(_ byte: UInt8) -> Bool { (65...90).contains(byte) }
        guard isUpper(utf8[index]) else { return false }
        let precedesLower = index + 1 < word.upperBound && (97...122).contains(utf8[index + 1])
        return !isUpper(utf8[index - 1]) || precedesLower
    }

    /// Reports the identifier that the latest words form.
    private mutating func finishRun(_ body: (Token) -> Bool) -> Bool {
        defer { run = IdentifierRun() }
        guard let range = run.verbatimRange(in: utf8) else { return true }
        return body(Token(kind: .verbatim, range: range, position: run.position))
    }

    // MARK: Scripts without spaces

    private mutating func scanGrams(_ script: CharacterClass, _ body: (Token) -> Bool) -> Bool {
        let first = offset
        // The starts of the previous and the current character, including their marks.
        var (previous, current) = (offset, offset)
        var count = 0
        while offset < utf8.count, utf8[offset] >= 128 {
            let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
            guard CharacterClass.ofNonASCII(scalar) == script else { break }
            current = offset
            offset += width
            skipMarks()
            position += 1
            count += 1
            if count > 1 {
                let pair = Token(kind: .gram, range: previous..<offset, position: position - 1)
                guard body(pair) else { return false }
            }
            // Many words consist of one Han character. Korean particles follow the word, so only the first
            // syllable is a separate word.
            if script == .han || (script == .hangul && count == 1) {
                let isPaired = count > 1 || isFollowed(by: script)
                let single = Token(
                    kind: .gram, range: current..<offset, position: position, isOnlyForIndex: isPaired)
                guard body(single) else { return false }
            }
            previous = current
        }
        guard count == 1, script != .han, script != .hangul else { return true }
        return body(Token(kind: .gram, range: first..<offset, position: position))
    }

    private func isFollowed(by script: CharacterClass) -> Bool {
        offset < utf8.count && utf8[offset] >= 128
            && CharacterClass.ofNonASCII(UTF8Decoding.scalar(utf8, offset).scalar) == script
    }

    private mutating func skipMarks() {
        while offset < utf8.count, utf8[offset] >= 128 {
            let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
            guard CharacterClass.ofNonASCII(scalar) == .extend else { return }
            offset += width
        }
    }

    // MARK: Symbols

    private mutating func scanSymbol(
        _ scalar: Unicode.Scalar, _ found: CharacterClass, _ width: Int, _ body: (Token) -> Bool
    ) -> Bool {
        let start = offset
        offset += width
        if found == .regionalIndicator, isFollowed(by: .regionalIndicator) { offset += width }
        skipMarks()
        // Emoji are joined by a zero-width joiner, as in the emoji of professions and families.
        while offset > start + 3, utf8[offset - 3] == 0xE2, utf8[offset - 2] == 0x80,
            utf8[offset - 1] == 0x8D,
            isFollowed(by: .symbol)
        {
            offset += UTF8Decoding.scalar(utf8, offset).width
            skipMarks()
        }
        position += 1
        guard body(Token(kind: .symbol, range: start..<offset, position: position)) else { return false }
        // A row of the same symbol is one word.
        while offset + width <= utf8.count, UTF8Decoding.scalar(utf8, offset).scalar == scalar,
            found == .symbol
        {
            offset += width
            skipMarks()
        }
        return true
    }
}

/// A word of a text as the index stores it, or a further form of the word under which it can be found.
struct Token: Sendable, Hashable {
    var kind: Term.Kind
    var range: Range<Int>
    /// The number of the word in the text, from 1. A further form of a word has the same number as the word.
    var position: UInt32
    /// Whether the token is indexed but not searched for, because a query with the token also contains a more
    /// specific token.
    var isOnlyForIndex = false
}

/// The role of a character in the division of a text into words.
///
/// Follows the word boundary rules of Unicode (UAX #29), except for scripts without spaces between words.
enum CharacterClass: UInt8, Sendable {
    case separator
    /// A letter or digit of a script with spaces between words.
    case word
    /// A mark or invisible character, which belongs to the character before it.
    case extend
    /// A character of a script without spaces between words, or with particles attached to words.
    case han, hiragana, katakana, hangul, southeastAsian
    case symbol
    case regionalIndicator

    static func ofNonASCII(_ scalar: Unicode.Scalar) -> CharacterClass {
        // The most frequent ranges are tested first, because looking up the properties of a character takes
        // much longer.
        switch scalar.value {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x400...0x481, 0x48A...0x52F, 0x620...0x63F,
            0x641...0x64A:
            .word
        case 0x300...0x36F, 0xFE00...0xFE0F, 0x200C, 0x200D, 0x2060, 0xAD, 0x640, 0x1F3FB...0x1F3FF,
            0xE0020...0xE007F, 0xFF9E, 0xFF9F:
            .extend
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF, 0x3005, 0x3006, 0x3007:
            .han
        case 0x3041...0x3096, 0x309D...0x309F, 0x1B001...0x1B11F: .hiragana
        case 0x30A1...0x30FA, 0x30FC...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D: .katakana
        case 0xAC00...0xD7A3, 0x1100...0x11FF, 0x3131...0x318E: .hangul
        case 0x0E01...0x0E2E, 0x0E30, 0x0E32, 0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x0EB2, 0x0EB3,
            0x0EBD...0x0EC6, 0x0EDC...0x0EDF, 0x1000...0x102A, 0x103F, 0x1050...0x1055, 0x1780...0x17B3:
            .southeastAsian
        case 0x1F1E6...0x1F1FF: .regionalIndicator
        // Box-drawing, block and Braille characters, and the replacement character for invalid bytes.
        case 0x2500...0x259F, 0x2800...0x28FF, 0xFFFD: .separator
        default: ofRareCharacter(scalar)
        }
    }

    private static func ofRareCharacter(_ scalar: Unicode.Scalar) -> CharacterClass {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber:
            .word
        // The digits of formulas, as in CO₂. Raised digits are not, because most of them are the numbers of
        // notes.
        case .otherNumber where (0x2080...0x2089).contains(scalar.value): .word
        case .nonspacingMark, .spacingMark, .enclosingMark: .extend
        case .otherSymbol, .mathSymbol, .currencySymbol: .symbol
        default: scalar.properties.isEmojiPresentation ? .symbol : .separator
        }
    }
}
