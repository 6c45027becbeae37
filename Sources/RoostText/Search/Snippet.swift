/// An excerpt of a text for display in a result list, with the matching words to highlight.
public struct Snippet: Sendable, Hashable {
    /// The UTF-8 range of the excerpt in the text.
    public var utf8Range: Range<Int>
    /// The UTF-8 ranges in the text of the words that match the query: ascending and within `utf8Range`.
    public var highlights: [Range<Int>]

    /// The UTF-8 offset of the most informative match, or of the excerpt if it has none. It is within
    /// `utf8Range` and does not depend on the length of the excerpt.
    public var anchor: Int

    /// The length in bytes of the part of the text whose words decide about the anchor.
    private static let anchorLength = 160
    /// The factor by which words elsewhere in the text must be more informative than those of the preferred
    /// range.
    private static let elsewhereFactor: Float = 1.5

    /// Creates the excerpt around the most informative words of the query: those that few texts of the store
    /// contain, identifiers, and words that are adjacent as in the query. Link targets are not considered.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - preferred: The UTF-8 range, such as that of the matching passage, from which the excerpt is taken,
    ///     unless another part of the text contains much more informative words of the query.
    ///   - query: The query; `nil` for an excerpt without highlights.
    ///   - limit: The approximate maximum length in bytes.
    /// - Complexity: O(length of text).
    public init(of text: String, preferring preferred: Range<Int>, for query: TextQuery?, limit: Int) {
        var text = text
        let limit = max(1, limit)
        self = text.withUTF8 { utf8 in
            let whole = 0..<utf8.count
            var area = preferred.clamped(to: whole)
            guard let query else { return Snippet(Self.start(of: area, utf8, limit), [], nil) }
            let matches = query.occurrences(in: utf8, within: whole)
            let weighted = SnippetMatches(matches, of: query, in: utf8)
            let inside = weighted.within(area)
            let bodyStart = HeadingPath.bodyStart(of: utf8)
            var found = inside.best(length: Self.anchorLength)
            // Front matter is shown only if nothing else matches.
            let elsewhere =
                weighted.within(bodyStart..<utf8.count).best(length: Self.anchorLength)
                ?? weighted.best(length: Self.anchorLength)
            if let other = elsewhere, other.weight > (found?.weight ?? 0) * Self.elsewhereFactor {
                found = other
                if !(area.contains(other.range.lowerBound) && other.range.upperBound <= area.upperBound) {
                    area = other.range.lowerBound < bodyStart ? whole : bodyStart..<utf8.count
                }
            }
            var range = Self.start(of: area, utf8, limit)
            if let found, area.count > limit {
                let window = weighted.within(area).best(length: limit, containing: found.best)
                range = Self.range(
                    utf8, area, around: window?.range ?? found.best, keeping: found.best, limit)
            }
            let highlights = matches.map(\.range).filter {
                range.lowerBound <= $0.lowerBound && $0.upperBound <= range.upperBound
            }
            return Snippet(range, Self.union(of: highlights), found?.best.lowerBound)
        }
    }

    private init(_ range: Range<Int>, _ highlights: [Range<Int>], _ anchor: Int?) {
        utf8Range = range
        self.highlights = highlights
        let anchor = anchor ?? highlights.first?.lowerBound ?? range.lowerBound
        self.anchor = min(max(range.lowerBound, anchor), max(range.lowerBound, range.upperBound - 1))
    }

    /// Joins ranges that overlap, such as an identifier and its words.
    ///
    /// - Parameter ranges: Ranges in ascending order of their lower bounds.
    private static func union(of ranges: [Range<Int>]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        for range in ranges {
            if let last = result.last, range.lowerBound < last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Returns the beginning of a range.
    private static func start(
        of area: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>, _ limit: Int
    ) -> Range<Int> {
        guard area.count > limit else { return area }
        return alignedToWords(utf8, area, area.lowerBound..<(area.lowerBound + limit))
    }

    /// Returns the excerpt of `area` with the given matches. A third of the remaining length is used for the
    /// text before them.
    private static func range(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, around matches: Range<Int>,
        keeping best: Range<Int>, _ limit: Int
    ) -> Range<Int> {
        let start = max(area.lowerBound, matches.lowerBound - max(0, limit - matches.count) / 3)
        let end = min(area.upperBound, start + limit)
        let window = max(area.lowerBound, min(start, end - limit))..<end
        return alignedToWords(utf8, area, window, keeping: best)
    }

    /// The maximum number of bytes by which a cut is moved to reach a space.
    private static let maximumShift = 24

    /// Returns the window with each end moved to a nearby space or, if there is none, to a character
    /// boundary.
    ///
    /// - Parameter best: A range that no end is moved across; `nil` for none.
    private static func alignedToWords(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, _ window: Range<Int>,
        keeping best: Range<Int>? = nil
    ) -> Range<Int> {
        var (start, end) = (window.lowerBound, window.upperBound)
        let latestStart = min(end, best?.lowerBound ?? end)
        let earliestEnd = max(start, best?.upperBound ?? start)
        func isSpace(_ offset: Int) -> Bool { utf8[offset] == 32 || (9...13).contains(utf8[offset]) }
        if start > area.lowerBound, !isSpace(start - 1) {
            let next = (start..<max(start, min(start + maximumShift, latestStart))).first(where: isSpace)
            start = next.map { $0 + 1 } ?? start
            while start < end, utf8[start] & 0xC0 == 0x80 { start += 1 }
        }
        if end < area.upperBound, !isSpace(end) {
            let previous = (min(end, max(start, end - maximumShift, earliestEnd))..<end).last(where: isSpace)
            end = previous ?? end
            while end > start, end < utf8.count, utf8[end] & 0xC0 == 0x80 { end -= 1 }
        }
        return start < end ? start..<end : area.lowerBound..<area.lowerBound
    }
}

extension TextQuery {
    /// A word of a text that matches the query.
    typealias Match = AnalyzedText.Match

    /// Returns the first `limit` words within a range of a text that match the query.
    func occurrences(
        in utf8: UnsafeBufferPointer<UInt8>, within area: Range<Int>, limit: Int = .max
    ) -> [Match] {
        // The complete text determines its language.
        let matches = AnalyzedText(utf8).matches(
            of: scoring.map(\.clause), limit: area == 0..<utf8.count ? limit : .max)
        return Array(
            matches.lazy.filter {
                area.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= area.upperBound
            }.prefix(limit))
    }

    /// Returns whether a text contains a word that matches the query.
    ///
    /// - Complexity: O(length of text). If the text contains a word as the query spells it, only the text up
    ///   to this word is read.
    public func occurs(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            containsWord(in: utf8) || !occurrences(in: utf8, within: 0..<utf8.count, limit: 1).isEmpty
        }
    }

    /// Returns whether a text contains a word of the query in the same form.
    private func containsWord(in utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var words = Set<[UInt8]>()
        for case .phrase(let terms) in scoring.lazy.map(\.clause) {
            words.formUnion(terms.lazy.filter { $0.kind == .word }.map(\.word))
        }
        var isFound = false
        TokenScanner.forEachToken(in: utf8) { token in
            isFound = token.kind == .word && words.contains(WordFolding(utf8[token.range]).folded)
            return !isFound
        }
        return isFound
    }
}
