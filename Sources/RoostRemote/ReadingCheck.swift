/// Detects whether a server truncated a text, based on `usage.prompt_tokens` in its responses. Some servers
/// truncate texts that exceed their context window without reporting it.
///
/// Only the server knows the number of tokens in a text. However, if the server read a text completely, the
/// two halves of the text together have about as many tokens as the text; if it truncated the text, the
/// halves have significantly more. Therefore the first text of each new length is sent in a separate request,
/// followed by its halves. In a request with several texts, the sum of the tokens would hide the truncation
/// of a single text. After a text has been read completely, shorter texts need no check.
struct ReadingCheck {
    /// Whether the server's token counts can be used. Some servers always report 0, or count texts instead of
    /// tokens.
    private(set) var isReliable = true
    /// The largest estimated size of a text that the server read completely. The initial value fits in the
    /// window of every model.
    private var maximumCompleteSize = 32
    /// The smallest estimated size of a text that the server truncated.
    private var minimumTruncatedSize = Int.max

    /// The result of a check.
    enum Verdict: Hashable {
        case fits, unknown, isTruncated
    }

    /// Estimates the number of tokens in a text, so that texts can be compared. A separator, or a character
    /// that is a word by itself, counts as one token; any other word counts as one token per six bytes.
    static func size(_ text: String) -> Int {
        var (count, word) = (0, 0)
        func endWord() {
            count += (word + 5) / 6
            word = 0
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: word += 1
            // In scripts without spaces, each character may be a token. These ranges are Thai to Myanmar,
            // Khmer, kana, CJK, Hangul and their extensions.
            case 0x0E00...0x109F, 0x1780...0x17FF, 0x3040...0xD7FF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
                endWord()
                count += 1
            case _ where scalar.properties.isWhitespace: endWord()
            case 0x80...: word += UTF8.width(scalar)
            default:
                endWord()
                count += 1
            }
        }
        endWord()
        return count
    }

    /// Decides whether the server's token counts can be used, based on its response to a text that is too
    /// short to be truncated. A plausible count is not much smaller than the number of words in the text.
    mutating func calibrate(read: Int?, of text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).count
        isReliable = read.map { 4 * $0 >= 3 * words } ?? false
    }

    /// Returns whether a text of the given size fits in the server's window, or `.unknown` if this cannot be
    /// decided yet.
    func verdict(size: Int) -> Verdict {
        if !isReliable || size <= maximumCompleteSize { return .fits }
        return size >= minimumTruncatedSize ? .isTruncated : .unknown
    }

    /// A text counts as truncated if the server read fewer tokens of it than this share of the tokens in its
    /// halves. The margin allows for tokens that are split differently where the text is cut.
    private static let minimumShare = 0.85

    /// Compares the number of tokens that the server read of a text with the number in the halves of the
    /// text, and remembers the result.
    ///
    /// - Parameters:
    ///   - read: The number of tokens reported for the text.
    ///   - halves: The number of tokens reported for its halves.
    ///   - size: The estimated size of the text.
    ///   - prefixSize: The estimated size of the prefix, which the text and each half begin with.
    /// - Returns: Whether the text was truncated.
    mutating func compare(read: Int?, ofHalves halves: Int?, size: Int, prefixSize: Int) -> Bool {
        guard let read, let halves, read > 0, halves > 0 else {
            isReliable = false
            return false
        }
        // The two halves contain the prefix and the special tokens one time more than the text does. These
        // estimates are rounded up so that a complete text is never reported as truncated.
        let expected = Double(halves) - Double(prefixSize) * 1.5 - 4
        if Double(read) < Self.minimumShare * expected {
            minimumTruncatedSize = min(minimumTruncatedSize, size)
            return true
        }
        maximumCompleteSize = max(maximumCompleteSize, size)
        return false
    }

    /// Estimates the number of tokens in each text of a request by dividing the reported total in proportion
    /// to the sizes of the texts.
    func tokens(read: Int?, sizes: [Int]) -> [Int] {
        let total = sizes.reduce(0, +)
        guard isReliable, let read, read > 0, total > 0 else { return sizes }
        return sizes.map { Int((Double(read) * Double($0) / Double(total)).rounded()) }
    }
}
