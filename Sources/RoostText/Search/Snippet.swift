/// An excerpt of a text for display in a result list, with the matching words to highlight.
public struct Snippet: Sendable, Hashable {
    /// The UTF-8 range of the excerpt in the text.
    public var utf8Range: Range<Int>
    /// The UTF-8 ranges in the text of the words that match the query: ascending and within `utf8Range`.
    public var highlights: [Range<Int>]

    /// Creates the first excerpt that contains the largest number of different query words.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - preferred: The UTF-8 range, such as that of the matching passage, from which the excerpt is taken.
    ///     If this range contains no query words but the rest of the text does, the whole text is used
    ///     instead.
    ///   - query: The query; `nil` for an excerpt without highlights.
    ///   - limit: The approximate maximum length in bytes.
    /// - Complexity: O(length of text).
    public init(of text: String, preferring preferred: Range<Int>, for query: TextQuery?, limit: Int) {
        var text = text
        self = text.withUTF8 { utf8 in
            let whole = 0..<utf8.count
            let within = preferred.clamped(to: whole)
            var area = within
            var matches = query?.occurrences(in: utf8, within: within) ?? []
            if matches.isEmpty, let query, within != whole {
                matches = query.occurrences(in: utf8, within: whole)
                if !matches.isEmpty { area = whole }
            }
            let range = Self.range(utf8, area, matches, limit: max(1, limit))
            let highlights = matches.map(\.range).filter {
                range.lowerBound <= $0.lowerBound && $0.upperBound <= range.upperBound
            }
            return Snippet(range, Self.union(of: highlights))
        }
    }

    private init(_ range: Range<Int>, _ highlights: [Range<Int>]) {
        utf8Range = range
        self.highlights = highlights
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

    /// Returns the range of the excerpt within `area`.
    private static func range(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, _ matches: [TextQuery.Match], limit: Int
    ) -> Range<Int> {
        guard area.count > limit else { return area }
        let start = start(of: area, matches, limit: limit)
        let end = min(area.upperBound, start + limit)
        return alignedToWords(utf8, area, max(area.lowerBound, min(start, end - limit))..<end)
    }

    /// Returns the start offset of the best window of `limit` bytes.
    private static func start(of area: Range<Int>, _ matches: [TextQuery.Match], limit: Int) -> Int {
        var start = area.lowerBound
        var maximumCount = 0
        var last = 0
        var counts: [Int: Int] = [:]
        // Slide a window over the text. The window starts at each match in turn and ends at the last match
        // that fits.
        for (first, match) in matches.enumerated() {
            while last < matches.count, matches[last].range.upperBound - match.range.lowerBound <= limit {
                counts[matches[last].clause, default: 0] += 1
                last += 1
            }
            if counts.count > maximumCount {
                maximumCount = counts.count
                // A third of the remaining length is used for the text before the first match.
                let span =
                    (last > first ? matches[last - 1].range.upperBound : match.range.upperBound)
                    - match.range.lowerBound
                start = max(area.lowerBound, match.range.lowerBound - max(0, limit - span) / 3)
            }
            if last <= first {
                last = first + 1
            } else {
                counts[match.clause, default: 1] -= 1
                if counts[match.clause] == 0 { counts[match.clause] = nil }
            }
        }
        return start
    }

    /// The maximum number of bytes by which a cut is moved to reach a space.
    private static let maximumShift = 24

    /// Returns the window with each end moved to a nearby space or, if there is none, to a character
    /// boundary.
    private static func alignedToWords(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, _ window: Range<Int>
    ) -> Range<Int> {
        var (start, end) = (window.lowerBound, window.upperBound)
        func isSpace(_ offset: Int) -> Bool { utf8[offset] == 32 || (9...13).contains(utf8[offset]) }
        if start > area.lowerBound, !isSpace(start - 1) {
            let next = (start..<min(start + maximumShift, end)).first(where: isSpace).map { $0 + 1 }
            start = next ?? start
            while start < end, utf8[start] & 0xC0 == 0x80 { start += 1 }
        }
        if end < area.upperBound, !isSpace(end) {
            let previous = (max(start, end - maximumShift)..<end).last(where: isSpace)
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
