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
