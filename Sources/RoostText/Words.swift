/// The words of a text: maximal sequences of letters, digits and combining marks, which may contain
/// apostrophes.
///
/// In Han, hiragana and katakana, which are written without spaces, every character counts as a word.
package struct Words: Sequence, Sendable {
    /// One word of a text.
    package struct Word: Sendable, Hashable {
        /// The word in lower case, with typographic apostrophes replaced with `'`.
        package var folded: String
        /// The UTF-8 range of the word in the text.
        package var utf8Range: Range<Int>
    }

    private let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }

    /// Creates the sequence of the words of a text.
    ///
    /// - Parameter utf8: Valid UTF-8.
    package init(utf8: [UInt8]) { self.utf8 = utf8 }

    /// Returns an iterator over the words.
    ///
    /// - Complexity: O(length of text) for the whole iteration.
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
