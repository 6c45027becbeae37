/// The words of a text: runs of letters, digits and marks, with apostrophes inside them. Scripts written
/// without spaces come character by character (Han, kana) where a character is a word's worth of meaning.
public struct Words: Sequence, Sendable {
    public struct Word: Sendable, Hashable {
        /// Lower-cased, without diacritics' differences of composition folded further.
        public var folded: String
        /// Where it stands, in UTF-8 bytes.
        public var utf8Range: Range<Int>
    }

    private let utf8: [UInt8]

    public init(_ text: String) { utf8 = Array(text.utf8) }

    /// - Complexity: O(length of text) for the whole iteration.
    public func makeIterator() -> AnyIterator<Word> {
        var scanner = WordScanner()
        return AnyIterator { [utf8] in
            utf8.withUnsafeBufferPointer { bytes in
                scanner.next(in: bytes).map { range in
                    Word(folded: Self.folded(bytes[range]), utf8Range: range)
                }
            }
        }
    }

    /// In lower case, with one kind of apostrophe.
    static func folded(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let text = String(decoding: word, as: UTF8.self).lowercased()
        guard text.utf8.contains(0xE2) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{2019}" ? "'" : $0 }))
    }
}

/// Goes from word to word of a text in UTF-8.
struct WordScanner {
    private var position = 0

    /// ASCII letters and digits.
    private static let isPlain: [Bool] = (0..<128).map { value in
        (48...57).contains(value) || (65...90).contains(value) || (97...122).contains(value)
    }

    /// Where the next word stands; `nil` after the last.
    ///
    /// - Parameter utf8: valid UTF-8, the same at each call.
    mutating func next(in utf8: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        Self.isPlain.withUnsafeBufferPointer { isPlain in
            var place = position
            defer { position = place }
            while place < utf8.count {
                let byte = utf8[place]
                if byte < 128 {
                    if isPlain[Int(byte)] { break }
                    place += 1
                } else {
                    let scalar = Self.scalar(utf8, place)
                    if Self.isWord(scalar) { break }
                    place += UTF8.width(scalar)
                }
            }
            guard place < utf8.count else { return nil }
            let start = place
            while place < utf8.count {
                let byte = utf8[place]
                if byte < 128, isPlain[Int(byte)] {
                    place += 1
                    continue
                }
                let scalar = Self.scalar(utf8, place)
                if Self.isWord(scalar) {
                    if Self.isAlone(scalar), place > start { break }
                    place += UTF8.width(scalar)
                    if Self.isAlone(scalar) { break }
                    continue
                }
                // don't, o’clock: an apostrophe between letters belongs to the word.
                let next = place + UTF8.width(scalar)
                guard scalar == "'" || scalar == "\u{2019}", next < utf8.count else { break }
                let following = Self.scalar(utf8, next)
                guard Self.isWord(following), !Self.isAlone(following) else { break }
                place = next
            }
            return start..<place
        }
    }

    private static func scalar(_ utf8: UnsafeBufferPointer<UInt8>, _ place: Int) -> Unicode.Scalar {
        let first = UInt32(utf8[place])
        func rest(_ index: Int) -> UInt32 {
            place + index < utf8.count ? UInt32(utf8[place + index]) & 0x3F : 0
        }
        let value: UInt32 =
            switch first {
            case ..<0x80: first
            case ..<0xE0: (first & 0x1F) << 6 | rest(1)
            case ..<0xF0: (first & 0x0F) << 12 | rest(1) << 6 | rest(2)
            default: (first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3)
            }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isPlain[Int(scalar.value)] }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return true
        default: return false
        }
    }

    private static func isAlone(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2FA1F: true
        default: false
        }
    }
}
