/// Splits a long text into passages at headings, paragraphs, sentences or words, counted in a model's own
/// tokens.
public struct PassageSplitter: Sendable, Hashable {
    /// The most tokens of a passage.
    public var maximumTokens: Int
    /// About how many tokens at a passage's end are also at the beginning of the next; none where a heading
    /// begins it.
    public var overlap: Int

    /// - Precondition: `0 <= overlap < maximumTokens`.
    public init(maximumTokens: Int = 200, overlap: Int = 30) {
        precondition(
            overlap >= 0 && overlap < maximumTokens, "an overlap of \(overlap) in \(maximumTokens) tokens")
        self.maximumTokens = maximumTokens
        self.overlap = overlap
    }

    /// How good a place is for a cut before it, better ones later.
    private enum Boundary: UInt8, Comparable {
        /// Inside a grapheme: never.
        case none
        case token, word, sentence, paragraph, heading

        static func < (left: Boundary, right: Boundary) -> Bool { left.rawValue < right.rawValue }
    }

    /// The passages of a text, as ranges of its UTF-8 bytes, in order. Together they cover every token; no
    /// boundary is inside a grapheme.
    ///
    /// - Parameter tokens: where the tokens lie, ascending (`Embedder.tokenRanges(in:)`).
    /// - Returns: the whole text as one range where it has no more than `maximumTokens` tokens.
    /// - Complexity: O(length of text).
    public func split(_ text: String, tokens: [Range<Int>]) -> [Range<Int>] {
        let size = text.utf8.count
        guard tokens.count > maximumTokens else { return [0..<size] }
        let boundaries = boundaries(text, tokens)
        var ranges: [Range<Int>] = []
        var first = 0
        while first < tokens.count {
            let end = self.end(from: first, boundaries)
            let start = ranges.isEmpty ? 0 : tokens[first].lowerBound
            ranges.append(start..<(end < tokens.count ? tokens[end].lowerBound : size))
            guard end < tokens.count else { break }
            first = max(first + 1, self.start(before: end, after: first, boundaries))
        }
        return ranges.map { Self.trimmed($0, text) }
    }

    /// The token before which a passage that begins with `first` ends: the best boundary in its last 60%,
    /// the latest of equal ones.
    private func end(from first: Int, _ boundaries: [Boundary]) -> Int {
        let limit = min(first + maximumTokens, boundaries.count)
        guard limit < boundaries.count else { return limit }
        let earliest = first + max(1, maximumTokens * 2 / 5)
        var best = limit
        var kind = Boundary.none
        for token in stride(from: limit, through: earliest, by: -1) where boundaries[token] > kind {
            best = token
            kind = boundaries[token]
        }
        if kind == .none {
            // One grapheme of very many tokens: it is kept whole, and whoever embeds it tells what was left
            // out.
            var token = limit
            while token < boundaries.count, boundaries[token] == .none { token += 1 }
            return token
        }
        return best
    }

    /// The token that the next passage begins with.
    private func start(before end: Int, after first: Int, _ boundaries: [Boundary]) -> Int {
        guard overlap > 0, boundaries[end] < .heading else { return end }
        var best = end
        var kind = Boundary.none
        for token in max(first + 1, end - overlap)..<end where boundaries[token] > kind {
            // A sentence that fits is better than a word; the earliest of equals gives the larger overlap.
            best = token
            kind = boundaries[token]
        }
        return best
    }

    /// For each token, how good a cut before it is.
    private func boundaries(_ text: String, _ tokens: [Range<Int>]) -> [Boundary] {
        var text = text
        var graphemes = Set<Int>(minimumCapacity: tokens.count)
        let wanted = Set(tokens.map(\.lowerBound))
        var offset = 0
        for character in text {
            if wanted.contains(offset) { graphemes.insert(offset) }
            offset += character.utf8.count
        }
        return text.withUTF8 { utf8 in
            tokens.indices.map { index in
                let start = tokens[index].lowerBound
                guard graphemes.contains(start) else { return .none }
                let before = index == 0 ? 0 : tokens[index - 1].upperBound
                return Self.boundary(utf8, gap: min(before, start)..<start)
            }
        }
    }

    private static func boundary(_ utf8: UnsafeBufferPointer<UInt8>, gap: Range<Int>) -> Boundary {
        let newline = UInt8(ascii: "\n")
        var newlines = 0
        for place in gap where utf8[place] == newline { newlines += 1 }
        if newlines > 0, let last = gap.last(where: { utf8[$0] == newline }), isHeading(utf8, at: last + 1) {
            return .heading
        }
        if newlines > 1 { return .paragraph }
        if newlines == 1 { return .sentence }
        guard !gap.isEmpty else {
            // A full stop of Chinese or Japanese needs no space after it.
            return gap.lowerBound >= 3 && isFullStop(utf8, endingAt: gap.lowerBound, ideographicOnly: true)
                ? .sentence : .token
        }
        return isFullStop(utf8, endingAt: gap.lowerBound, ideographicOnly: false) ? .sentence : .word
    }

    /// Whether a Markdown heading begins here.
    private static func isHeading(_ utf8: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
        var level = 0
        while place + level < utf8.count, utf8[place + level] == UInt8(ascii: "#"), level < 7 { level += 1 }
        return (1...6).contains(level) && place + level < utf8.count
            && utf8[place + level] == UInt8(ascii: " ")
    }

    private static func isFullStop(
        _ utf8: UnsafeBufferPointer<UInt8>, endingAt end: Int, ideographicOnly: Bool
    ) -> Bool {
        var place = end
        if !ideographicOnly {
            while place > 0, "\"')]*_".utf8.contains(utf8[place - 1]) { place -= 1 }
            if place > 0, ".!?:;".utf8.contains(utf8[place - 1]) { return true }
        }
        guard place >= 3 else { return false }
        let last = (utf8[place - 3], utf8[place - 2], utf8[place - 1])
        // 。 ！ ？ …
        return last == (0xE3, 0x80, 0x82) || last == (0xEF, 0xBC, 0x81) || last == (0xEF, 0xBC, 0x9F)
            || last == (0xE2, 0x80, 0xA6)
    }

    /// Without the white space at the end, which belongs to no token; never empty where it was not.
    private static func trimmed(_ range: Range<Int>, _ text: String) -> Range<Int> {
        var text = text
        return text.withUTF8 { utf8 in
            var end = range.upperBound
            while end > range.lowerBound + 1, [9, 10, 13, 32].contains(utf8[end - 1]) { end -= 1 }
            return range.lowerBound..<end
        }
    }
}
