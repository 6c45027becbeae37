/// An iterator over the words of a UTF-8 text that does not allocate.
package struct WordScanner {
    private var position = 0

    private static let isPlain: [Bool] = (0..<128).map { value in
        (48...57).contains(value) || (65...90).contains(value) || (97...122).contains(value)
    }

    /// Returns the range of the next word, or `nil` after the last.
    ///
    /// - Parameter utf8: Valid UTF-8; it must be the same in every call.
    mutating func next(in utf8: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        Self.isPlain.withUnsafeBufferPointer { isPlain in
            var offset = position
            defer { position = offset }
            while offset < utf8.count {
                let byte = utf8[offset]
                if byte < 128 {
                    if isPlain[Int(byte)] { break }
                    offset += 1
                } else {
                    let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
                    if Self.isWord(scalar) { break }
                    offset += width
                }
            }
            guard offset < utf8.count else { return nil }
            let start = offset
            while offset < utf8.count {
                let byte = utf8[offset]
                if byte < 128, isPlain[Int(byte)] {
                    offset += 1
                    continue
                }
                let (scalar, width) = UTF8Decoding.scalar(utf8, offset)
                if Self.isWord(scalar) {
                    if Self.isSeparateWord(scalar), offset > start { break }
                    offset += width
                    if Self.isSeparateWord(scalar) { break }
                    continue
                }
                // An apostrophe between letters belongs to the word: don't, o’clock.
                let next = offset + width
                guard scalar == "'" || scalar == "\u{2019}", next < utf8.count else { break }
                let following = UTF8Decoding.scalar(utf8, next).scalar
                guard Self.isWord(following), !Self.isSeparateWord(following) else { break }
                offset = next
            }
            return start..<offset
        }
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

    /// Returns whether a character belongs to a script without spaces: one in which every character counts as a
    /// word, or Thai, Lao, Burmese or Khmer.
    static func isSpaceless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        default: isSeparateWord(scalar)
        }
    }

    /// Returns whether a character belongs to a script without spaces, in which every character counts as a
    /// word.
    package static func isSeparateWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2FA1F: true
        default: false
        }
    }
}

/// The words of a text: maximal sequences of letters, digits and combining marks, which may contain
/// apostrophes.
///
/// In Han, hiragana and katakana, which are written without spaces, every character counts as a word.
package struct Words: Sequence, Sendable {
    package struct Word: Sendable, Hashable {
        /// The word in lower case, with typographic apostrophes replaced with `'`.
        package var folded: String
        package var utf8Range: Range<Int>
    }

    private let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }

    package init(utf8: [UInt8]) { self.utf8 = utf8 }

    /// Returns an iterator over the words.
    package func makeIterator() -> AnyIterator<Word> {
        var scanner = WordScanner()
        return AnyIterator { [utf8] in
            utf8.withUnsafeBufferPointer { bytes in
                scanner.next(in: bytes).map { range in
                    Word(folded: Self.folded(bytes[range]), utf8Range: range)
                }
            }
        }
    }

    /// Returns the word in lower case, with typographic apostrophes replaced with `'`.
    static func folded(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let text = String(decoding: word, as: UTF8.self).lowercased()
        guard text.utf8.contains(0xE2) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{2019}" ? "'" : $0 }))
    }
}
