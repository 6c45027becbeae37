/// Collects the words of one sentence, to find out how they are spelled.
///
/// The spelling of the first word is uncertain, because every sentence begins with a capital letter. The same
/// applies to a sentence of up to three words that all begin with a capital letter, which may be a name. An
/// uncertain spelling is used for words that occur nowhere else, such as the first name of an author in the
/// lines below quotations.
///
/// The spelling of a longer headline is not informative: in English, a sentence in which most words begin
/// with a capital letter; in other languages, one in which most words consist of capital letters. In German,
/// for example, most words of an ordinary sentence can be nouns.
struct SentenceSpelling {
    /// A word of a sentence.
    struct Word {
        /// The number of the word.
        var number: Int32
        /// The spelling; `nil` if it is in lower case.
        var spelling: String?
        /// Whether the word may be written this way only because of its position.
        var isUncertain = false
        /// Whether only a space or a hyphen separates the word from the previous one.
        var isAdjacent = false
    }

    /// Whether the text is in English.
    private let isEnglish: Bool
    private var words: [Word] = []
    private var end = 0
    /// The maximum number of words in a sentence that may be a name.
    private static let maximumNameLength = 3

    init(in language: TextLanguage) { isEnglish = language == .english }

    /// Adds the next word of a text.
    ///
    /// - Parameters:
    ///   - number: The number of the word.
    ///   - whole: The range of the word with what is written together with it (``Elision``).
    ///   - utf8: The text.
    /// - Returns: If the word begins a new sentence, the words of the previous one, except of a headline.
    mutating func add(
        _ number: Int32, _ word: Words.Word, whole: Range<Int>, in utf8: [UInt8]
    ) -> [Word] {
        let isBoundary = utf8[min(end, whole.lowerBound)..<whole.lowerBound].contains {
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
        let isAdjacent =
            end + 1 == whole.lowerBound && (utf8[end] == UInt8(ascii: " ") || utf8[end] == UInt8(ascii: "-"))
        end = whole.upperBound
        let bytes = utf8[word.utf8Range]
        let mayBeCased = bytes.contains { (65...90).contains($0) || $0 >= 0x80 }
        words.append(
            Word(
                number: number, spelling: mayBeCased ? Self.spelling(bytes, word.folded) : nil,
                isAdjacent: isAdjacent))
        return finished
    }

    /// Ends the sentence and returns its words, or none if it is a headline.
    mutating func finish() -> [Word] {
        defer { words.removeAll(keepingCapacity: true) }
        let others = words.dropFirst()
        let raised = others.count { isEnglish ? $0.spelling != nil : $0.isUppercase }
        let isHeadline = 2 * raised > others.count
        if isHeadline {
            let mayBeName =
                words.count <= Self.maximumNameLength && words.allSatisfy { $0.spelling != nil }
            guard mayBeName else { return [] }
        }
        for index in words.indices where isHeadline || index == 0 { words[index].isUncertain = true }
        return words
    }

    private static func spelling(_ bytes: ArraySlice<UInt8>, _ folded: String) -> String? {
        var text = String(decoding: bytes, as: UTF8.self)
        guard text.first?.isUppercase == true || text.contains(where: \.isUppercase) else { return nil }
        for ending in ["'s", "\u{2019}s"] where text.hasSuffix(ending) { text.removeLast(2) }
        return text
    }
}

extension SentenceSpelling.Word {
    /// Whether the word has several letters, none of which is a small one.
    var isUppercase: Bool {
        spelling.map { $0.count > 1 && !$0.contains(where: \.isLowercase) } ?? false
    }
}
