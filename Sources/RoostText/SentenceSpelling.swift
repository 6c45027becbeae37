/// Collects the words of one sentence, to find out how they are spelled.
///
/// The spelling of the first word is not informative, because every sentence begins with a capital letter.
/// The same applies to a sentence in which most words begin with one, such as a headline.
struct SentenceSpelling {
    /// A word of a sentence.
    struct Word {
        /// The number of the word.
        var number: Int32
        /// The spelling; `nil` if it is in lower case.
        var spelling: String?
    }

    private var words: [Word] = []
    private var end = 0

    /// Adds the next word of a text.
    ///
    /// - Parameters:
    ///   - number: The number of the word.
    ///   - utf8: The text.
    /// - Returns: If the word begins a new sentence, the words of the previous one whose spelling is
    ///   significant.
    mutating func add(_ number: Int32, _ word: Words.Word, in utf8: [UInt8]) -> [Word] {
        let isBoundary = utf8[min(end, word.utf8Range.lowerBound)..<word.utf8Range.lowerBound].contains {
            switch $0 {
            case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: ":"),
                UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\""), UInt8(ascii: "|"):
                true
            // The first byte of typographic quotation marks, dashes and bullets.
            case 0xE2: true
            default: false
            }
        }
        let finished = isBoundary ? finish() : []
        end = word.utf8Range.upperBound
        let bytes = utf8[word.utf8Range]
        let mayBeCased = bytes.contains { (65...90).contains($0) || $0 >= 0x80 }
        words.append(Word(number: number, spelling: mayBeCased ? Self.spelling(bytes, word.folded) : nil))
        return finished
    }

    /// Ends the sentence and returns its words whose spelling is significant.
    mutating func finish() -> [Word] {
        defer { words.removeAll(keepingCapacity: true) }
        let others = words.dropFirst()
        let cased = others.count { $0.spelling != nil }
        return 2 * cased > others.count ? [] : Array(others)
    }

    private static func spelling(_ bytes: ArraySlice<UInt8>, _ folded: String) -> String? {
        var text = String(decoding: bytes, as: UTF8.self)
        guard text.first?.isUppercase == true || text.contains(where: \.isUppercase) else { return nil }
        for ending in ["'s", "\u{2019}s"] where text.hasSuffix(ending) { text.removeLast(2) }
        return text
    }
}
