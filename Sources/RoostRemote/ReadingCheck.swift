/// Tells from `usage.prompt_tokens` whether a server read all of the texts that it was given: some cut what
/// exceeds their window and say nothing.
///
/// Of a request with several texts the sum can hide one that was cut. So the first text of its length goes
/// alone; what was read whole once is long enough for all that are shorter.
struct ReadingCheck {
    /// Whether the counts can be believed: some servers always say 0, or count texts.
    private(set) var isReliable = true
    /// The largest size that was read whole.
    private var whole = 64
    /// The smallest size that was cut.
    private var cut = Int.max

    enum Verdict: Hashable {
        case fits, unknown, isCut
    }

    /// At least how many tokens a text has: one a word, and half a one for each character of scripts that are
    /// written without spaces, of which tokenizers join two or three at most.
    static func size(_ text: String) -> Int {
        var (words, dense) = (0, 0)
        var isInWord = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            // Thai to Myanmar, Khmer; kana, CJK, Hangul; their extensions.
            case 0x0E00...0x109F, 0x1780...0x17FF, 0x3040...0xD7FF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
                dense += 1
                isInWord = false
            default:
                let isSpace = scalar.properties.isWhitespace
                if !isSpace, !isInWord { words += 1 }
                isInWord = !isSpace
            }
        }
        return words + (dense + 1) / 2
    }

    /// Learns from a short text, of which nothing can have been cut, whether counts are believed.
    mutating func calibrate(read: Int?, of text: String) {
        isReliable = read.map { Self.isEnough($0, for: Self.size(text)) } ?? false
    }

    func verdict(size: Int) -> Verdict {
        if !isReliable || size <= whole { return .fits }
        return size >= cut ? .isCut : .unknown
    }

    /// - Returns: whether some of the texts were not read to their end, and about how many tokens each has.
    mutating func check(read: Int?, sizes: [Int]) -> (isCut: Bool, tokens: [Int]) {
        let total = sizes.reduce(0, +)
        guard isReliable, let read, read > 0 else { return (false, sizes) }
        guard Self.isEnough(read, for: total) else {
            if sizes.count == 1, sizes[0] > whole { cut = min(cut, sizes[0]) }
            // A text that is no longer than some that was read whole cannot be cut: the counts are wrong.
            if sizes.count == 1, sizes[0] <= whole {
                isReliable = false
                return (false, sizes)
            }
            return (true, sizes)
        }
        if sizes.count == 1 { whole = max(whole, sizes[0]) }
        return (false, sizes.map { Int((Double(read) * Double($0) / Double(max(1, total))).rounded()) })
    }

    private static func isEnough(_ read: Int, for size: Int) -> Bool { Double(read) >= 0.75 * Double(size) }
}
