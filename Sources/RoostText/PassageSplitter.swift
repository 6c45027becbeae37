/// Splits a long text into passages at headings, paragraphs, sentences or words. The length of a passage is
/// the number of its tokens in the embedding model.
public struct PassageSplitter: Sendable, Hashable {
    /// The maximum number of tokens in a passage. A number below 1 is treated as 1.
    public var maximumTokens: Int
    /// The maximum number of tokens from the end of a passage that are repeated at the start of the next
    /// passage. A passage that starts with a heading repeats no tokens, and no passage starts inside a block
    /// that fits into one. A negative number is treated as 0, and of a passage with fewer tokens, all tokens
    /// except the first are repeated.
    public var overlap: Int

    /// Creates a splitter.
    ///
    /// - Parameters:
    ///   - maximumTokens: The maximum number of tokens in a passage.
    ///   - overlap: The maximum number of tokens that a passage repeats from the previous one.
    /// - Precondition: `0 <= overlap < maximumTokens`.
    public init(maximumTokens: Int = 200, overlap: Int = 30) {
        precondition(
            overlap >= 0 && overlap < maximumTokens,
            "the overlap must be from 0 to \(maximumTokens - 1), not \(overlap)")
        (self.maximumTokens, self.overlap) = (maximumTokens, overlap)
    }

    /// The kind of boundary before a token. Later cases are preferred when a text is cut.
    private enum Boundary: UInt8, Comparable {
        /// Inside a grapheme cluster. A text is never cut here.
        case none
        /// Inside a block that is short enough for one passage.
        case block
        case token, word, sentence, paragraph, heading

        static func < (left: Boundary, right: Boundary) -> Bool { left.rawValue < right.rawValue }
    }

    /// Returns the passages of a text as ascending ranges of its UTF-8 bytes.
    ///
    /// The passages together cover every token, and no passage begins or ends inside a grapheme cluster. A
    /// text of at most `maximumTokens` tokens forms a single passage.
    ///
    /// - Parameters:
    ///   - text: The text to split.
    ///   - tokens: The UTF-8 ranges of the text's tokens, as returned by `Embedder.tokenRanges(in:)`. A
    ///     range that exceeds the text, or begins before the previous one, is ignored.
    ///   - sections: The UTF-8 offsets at which sections begin, in ascending order.
    ///   - blocks: UTF-8 ranges that are not cut if they fit into one passage, such as fenced code and the
    ///     rows of tables. In ascending order and disjoint.
    /// - Complexity: O(length of text).
    public func split(
        _ text: String, tokens: [Range<Int>], sections: [Int] = [], blocks: [Range<Int>] = []
    ) -> [Range<Int>] {
        let size = text.utf8.count
        let tokens = Self.valid(tokens, size: size)
        guard tokens.count > max(1, maximumTokens) else { return [0..<size] }
        guard maximumTokens >= 1 else {
            return PassageSplitter(maximumTokens: 1, overlap: 0)
                .split(text, tokens: tokens, sections: sections, blocks: blocks)
        }
        var boundaries = boundaries(text, tokens, sections)
        protect(blocks, tokens, in: &boundaries)
        let starts = Self.starts(of: tokens, sections + blocks.map(\.lowerBound))
        var ranges: [Range<Int>] = []
        var first = 0
        while first < tokens.count {
            let end = self.end(from: first, boundaries)
            let start = ranges.isEmpty ? 0 : starts[first]
            ranges.append(start..<(end < tokens.count ? starts[end] : size))
            guard end < tokens.count else { break }
            var next = max(first + 1, self.start(before: end, after: first, boundaries))
            // Repeated tokens must not keep a block that follows them out of the next passage.
            if next < end, self.end(from: next, boundaries) <= end { next = end }
            first = next
        }
        return ranges.map { Self.trimmed($0, text) }
    }

    /// Returns the ranges that are within a text of the given size and begin in ascending order.
    package static func valid(_ ranges: [Range<Int>], size: Int) -> [Range<Int>] {
        var start = 0
        func isValid(_ range: Range<Int>) -> Bool {
            guard range.lowerBound >= start, range.upperBound <= size else { return false }
            start = range.lowerBound
            return true
        }
        if ranges.allSatisfy(isValid) { return ranges }
        start = 0
        return ranges.filter(isValid)
    }

    /// The share of the maximum passage length before which no boundary is chosen, so that passages do not
    /// become too short.
    private static let minimumFill = (numerator: 2, denominator: 5)

    /// Returns the end of the passage that starts with token `first`, as the index of the token that follows
    /// the passage.
    ///
    /// The passage ends at the best boundary after ``minimumFill`` of the maximum length. If several
    /// boundaries are equally good, the last one is chosen. If all of them are in a block that continues
    /// after the limit, the passage ends before the block.
    private func end(from first: Int, _ boundaries: [Boundary]) -> Int {
        let limit = min(first + maximumTokens, boundaries.count)
        guard limit < boundaries.count else { return limit }
        let earliest =
            first + max(1, maximumTokens * Self.minimumFill.numerator / Self.minimumFill.denominator)
        var best = limit
        var kind = Boundary.none
        for token in stride(from: limit, through: earliest, by: -1) where boundaries[token] > kind {
            best = token
            kind = boundaries[token]
        }
        if kind <= .block {
            for token in stride(from: earliest - 1, to: first, by: -1) where boundaries[token] > .block {
                return token
            }
        }
        if kind == .none {
            // A single grapheme cluster exceeds the limit. The passage contains the whole cluster, and the
            // embedder reports the tokens that it omits.
            var token = limit
            while token < boundaries.count, boundaries[token] == .none { token += 1 }
            return token
        }
        return best
    }

    /// Returns the index of the token with which the next passage starts.
    private func start(before end: Int, after first: Int, _ boundaries: [Boundary]) -> Int {
        guard overlap > 0, boundaries[end] < .heading else { return end }
        var best = end
        // The end of a block is not repeated without its beginning.
        var kind = Boundary.block
        for token in max(first + 1, end - overlap)..<end where boundaries[token] > kind {
            // The start of a sentence is preferred to the start of a word. Among equals, the earliest gives
            // the largest overlap.
            best = token
            kind = boundaries[token]
        }
        return best
    }

    /// Returns, for each token, the offset at which a passage that starts with the token begins.
    ///
    /// This is the start of the token's section or block if no other token of the section or block precedes
    /// the token, and otherwise the start of the token. Many tokenizers produce no tokens for the `#` of a
    /// heading and for the fence of code, which must not be separated from the text that follows.
    ///
    /// - Parameter parts: The offsets of sections and blocks.
    private static func starts(of tokens: [Range<Int>], _ parts: [Int]) -> [Int] {
        var parts = parts.sorted()[...]
        var before = 0
        return tokens.map { token in
            defer { before = token.upperBound }
            while let part = parts.first, part < before { parts.removeFirst() }
            guard let part = parts.first, part <= token.lowerBound else { return token.lowerBound }
            return part
        }
    }

    /// Marks the boundaries inside blocks that fit into one passage, so that no block is cut.
    private func protect(_ blocks: [Range<Int>], _ tokens: [Range<Int>], in boundaries: inout [Boundary]) {
        var token = 0
        for block in blocks {
            while token < tokens.count, tokens[token].lowerBound < block.lowerBound { token += 1 }
            let start = token
            while token < tokens.count, tokens[token].lowerBound < block.upperBound { token += 1 }
            guard token > start, token - start <= maximumTokens else { continue }
            for inner in (start + 1)..<max(start + 1, token) where boundaries[inner] != .none {
                boundaries[inner] = .block
            }
        }
    }

    private func boundaries(_ text: String, _ tokens: [Range<Int>], _ sections: [Int]) -> [Boundary] {
        var text = text
        text.makeContiguousUTF8()
        let whole = text
        var starts = sections[...]
        var offset = 0
        return text.withUTF8 { utf8 in
            tokens.indices.map { index in
                let start = tokens[index].lowerBound
                while offset < start { offset += Self.graphemeLength(whole, utf8, at: offset) }
                guard offset == start, start < utf8.count else { return .none }
                let before = index == 0 ? 0 : tokens[index - 1].upperBound
                let gap = min(before, start)..<start
                var beginsSection = false
                while let first = starts.first, first <= start {
                    beginsSection = first > 0
                    starts.removeFirst()
                }
                return beginsSection ? .heading : Self.boundary(utf8, gap: gap)
            }
        }
    }

    /// Returns the number of bytes of the grapheme cluster that begins at an offset.
    private static func graphemeLength(
        _ text: String, _ utf8: UnsafeBufferPointer<UInt8>, at offset: Int
    ) -> Int {
        // Of two ASCII characters, only CR and LF form a cluster.
        if utf8[offset] < 0x80, utf8[offset] != UInt8(ascii: "\r"), offset + 1 < utf8.count,
            utf8[offset + 1] < 0x80
        {
            return 1
        }
        return text[text.utf8.index(text.startIndex, offsetBy: offset)].utf8.count
    }

    private static func boundary(_ utf8: UnsafeBufferPointer<UInt8>, gap: Range<Int>) -> Boundary {
        let newline = UInt8(ascii: "\n")
        var newlines = 0
        for offset in gap where utf8[offset] == newline { newlines += 1 }
        if newlines > 1 { return .paragraph }
        if newlines == 1 { return .sentence }
        guard !gap.isEmpty else {
            // In Chinese and Japanese, full stops are not followed by a space.
            return gap.lowerBound >= 3 && isFullStop(utf8, endingAt: gap.lowerBound, ideographicOnly: true)
                ? .sentence : .token
        }
        return isFullStop(utf8, endingAt: gap.lowerBound, ideographicOnly: false) ? .sentence : .word
    }

    /// The maximum number of quotation marks, brackets and signs of emphasis after a full stop. Very many of
    /// them would be read again for each token.
    private static let maximumClosingSigns = 16

    private static func isFullStop(
        _ utf8: UnsafeBufferPointer<UInt8>, endingAt end: Int, ideographicOnly: Bool
    ) -> Bool {
        var stop = end
        if !ideographicOnly {
            let first = max(0, end - maximumClosingSigns)
            while stop > first, "\"')]*_".utf8.contains(utf8[stop - 1]) { stop -= 1 }
            if stop > 0, ".!?:;".utf8.contains(utf8[stop - 1]) { return true }
        }
        guard stop >= 3 else { return false }
        let last = (utf8[stop - 3], utf8[stop - 2], utf8[stop - 1])
        // The ideographic full stop, the fullwidth exclamation and question marks, and the ellipsis: 。 ！ ？ …
        return last == (0xE3, 0x80, 0x82) || last == (0xEF, 0xBC, 0x81) || last == (0xEF, 0xBC, 0x9F)
            || last == (0xE2, 0x80, 0xA6)
    }

    /// Returns the range without trailing white space. If the range is not empty, the result contains at
    /// least one byte.
    private static func trimmed(_ range: Range<Int>, _ text: String) -> Range<Int> {
        var text = text
        return text.withUTF8 { utf8 in
            var end = range.upperBound
            while end > range.lowerBound + 1, [9, 10, 12, 13, 32].contains(utf8[end - 1]) { end -= 1 }
            return range.lowerBound..<end
        }
    }
}
