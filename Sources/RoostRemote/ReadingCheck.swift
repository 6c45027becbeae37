/// Tells from `usage.prompt_tokens` whether a server read all of a text: some cut what exceeds their window
/// and say nothing.
///
/// How many tokens a text should have, only the server knows. But the halves of a text that was read whole
/// have about as many as the whole, and those of one that was cut have clearly more. So the first text of its
/// length goes alone, and its halves after it; what was read whole once is long enough for all that are
/// shorter. Of a request with many texts the sum would hide one that was cut.
struct ReadingCheck {
    /// Whether the counts can be believed: some servers always say 0, or count texts.
    private(set) var isReliable = true
    /// The largest size that was read whole; no window is smaller.
    private var whole = 32
    /// The smallest size that was cut.
    private var cut = Int.max

    enum Verdict: Hashable {
        case fits, unknown, isCut
    }

    /// About how many tokens a text has, to compare texts by: what separates or stands alone counts as one,
    /// and a word as one for each six bytes.
    static func size(_ text: String) -> Int {
        var (count, word) = (0, 0)
        func endWord() {
            count += (word + 5) / 6
            word = 0
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: word += 1
            // Scripts without spaces, of which each character may be a token: Thai to Myanmar, Khmer, kana,
            // CJK, Hangul and their extensions.
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

    /// Learns from the probe, of which nothing can have been cut, whether counts are believed.
    mutating func calibrate(read: Int?, of text: String) {
        let words = text.split(whereSeparator: \.isWhitespace).count
        isReliable = read.map { 4 * $0 >= 3 * words } ?? false
    }

    func verdict(size: Int) -> Verdict {
        if !isReliable || size <= whole { return .fits }
        return size >= cut ? .isCut : .unknown
    }

    /// Learns from a text and its halves what the server reads.
    ///
    /// - Parameters:
    ///   - size: of the text.
    ///   - prefixSize: of what stands before the text, and before each half.
    /// - Returns: whether the text was cut.
    mutating func compare(read: Int?, ofHalves halves: Int?, size: Int, prefixSize: Int) -> Bool {
        guard let read, let halves, read > 0, halves > 0 else {
            isReliable = false
            return false
        }
        // The halves have the prefix and the marks of a text once more than the whole.
        let once = Double(halves) - Double(prefixSize) * 1.5 - 4
        if Double(read) < 0.85 * once {
            cut = min(cut, size)
            return true
        }
        whole = max(whole, size)
        return false
    }

    /// About how many tokens each text of a request has.
    func tokens(read: Int?, sizes: [Int]) -> [Int] {
        let total = sizes.reduce(0, +)
        guard isReliable, let read, read > 0, total > 0 else { return sizes }
        return sizes.map { Int((Double(read) * Double($0) / Double(total)).rounded()) }
    }
}
