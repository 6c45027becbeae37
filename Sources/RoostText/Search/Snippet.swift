/// An excerpt of a text for display in a result list, with the matching words to highlight.
public struct Snippet: Sendable, Hashable {
    /// The UTF-8 range of the excerpt in the text.
    public var utf8Range: Range<Int>
    /// The UTF-8 ranges in the text of the words that match the query: ascending and within `utf8Range`.
    public var highlights: [Range<Int>]

    /// The UTF-8 offset of the most informative match, or of the excerpt if it has none. It is within
    /// `utf8Range` and does not depend on the length of the excerpt.
    public var anchor: Int

    /// The length in bytes of the part of the text whose words decide about the anchor: that of a line.
    private static let anchorLength = 80
    /// The factor by which words elsewhere in the text must be more informative than those of the preferred
    /// range.
    private static let elsewhereFactor: Float = 1.5

    /// Creates the excerpt around the most informative words of the query: those that few texts of the store
    /// contain.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - preferred: The UTF-8 range, such as that of the matching passage, from which the excerpt is taken,
    ///     unless another part of the text contains much more informative words of the query.
    ///   - bodyStart: The UTF-8 offset at which the text after front matter begins. Front matter is shown only if
    ///     nothing else matches.
    ///   - query: The query; `nil` for an excerpt without highlights.
    ///   - limit: The approximate maximum length in bytes.
    /// - Complexity: O(length of text).
    public init(
        of text: String, preferring preferred: Range<Int>, bodyStart: Int = 0, for query: TextQuery?,
        limit: Int
    ) {
        var text = text
        let limit = max(1, limit)
        self = text.withUTF8 { utf8 in
            let whole = 0..<utf8.count
            var area = preferred.clamped(to: whole)
            guard let query else { return Snippet(Self.start(of: area, utf8, limit), [], nil) }
            let matches = Matches(query, in: utf8)
            let body = min(max(0, bodyStart), utf8.count)..<utf8.count
            var found = matches.best(in: area, length: Self.anchorLength)
            if let best = matches.best(in: body, length: Self.anchorLength),
                best.weight > (found?.weight ?? 0) * Self.elsewhereFactor
            {
                (found, area) = (best, body)
            }
            if found == nil, let best = matches.best(in: whole, length: Self.anchorLength) {
                (found, area) = (best, whole)
            }
            var range = Self.start(of: area, utf8, limit)
            if let found, area.count > limit { range = Self.range(utf8, area, around: found, limit) }
            let highlights = matches.ranges(in: range)
            return Snippet(range, Self.union(of: highlights), found?.anchor)
        }
    }

    private init(_ range: Range<Int>, _ highlights: [Range<Int>], _ anchor: Int?) {
        utf8Range = range
        self.highlights = highlights
        let anchor = anchor ?? highlights.first?.lowerBound ?? range.lowerBound
        self.anchor = min(max(range.lowerBound, anchor), max(range.lowerBound, range.upperBound - 1))
    }

    /// Returns the excerpt of a text that begins with `count` more bytes.
    package func moved(by count: Int) -> Snippet {
        func moved(_ range: Range<Int>) -> Range<Int> { range.lowerBound + count..<range.upperBound + count }
        return Snippet(moved(utf8Range), highlights.map(moved), anchor + count)
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

    private static func start(
        of area: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>, _ limit: Int
    ) -> Range<Int> {
        guard area.count > limit else { return area }
        return alignedToWords(utf8, area, area.lowerBound..<(area.lowerBound + limit))
    }

    /// Returns the excerpt around a part, of which a third precedes it. If the part is longer than the limit,
    /// the excerpt begins at its most informative word.
    private static func range(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, around part: Matches.Part, _ limit: Int
    ) -> Range<Int> {
        let first = part.range.count > limit ? part.anchor : part.range.lowerBound
        let kept = first..<min(part.range.upperBound, first + limit)
        let start = max(area.lowerBound, kept.lowerBound - (limit - kept.count) / 3)
        let end = min(area.upperBound, start + limit)
        let window = max(area.lowerBound, min(start, end - limit))..<end
        return alignedToWords(utf8, area, window, keeping: kept)
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

extension Snippet {
    private struct Matches {
        let words: [AnalyzedText.Match]
        let weights: [Float]

        init(_ query: TextQuery, in utf8: UnsafeBufferPointer<UInt8>) {
            words = AnalyzedText(utf8).matches(of: query.scoring.map(\.clause))
            weights = query.scoring.map(\.information)
        }

        func ranges(in area: Range<Int>) -> [Range<Int>] {
            words.map(\.range).filter {
                area.lowerBound <= $0.lowerBound && $0.upperBound <= area.upperBound
            }
        }

        /// A part of a text, its information, and the start of its most informative word.
        typealias Part = (range: Range<Int>, weight: Float, anchor: Int)

        /// Returns the part of an area that contains the most informative different words; among equal
        /// parts, the shortest one.
        ///
        /// - Parameter length: The maximum length in bytes.
        func best(in area: Range<Int>, length: Int) -> Part? {
            var best: Part?
            var seen = Set<Int>()
            let start = words.partitioningIndex { $0.range.lowerBound >= area.lowerBound }
            for first in start..<words.count where words[first].range.upperBound <= area.upperBound {
                seen.removeAll(keepingCapacity: true)
                var (weight, anchor): (Float, _) = (0, words[first])
                var range = words[first].range
                let limit = min(area.upperBound, range.lowerBound + max(length, range.count))
                for word in words[first...] {
                    if word.range.lowerBound >= limit || seen.count == weights.count { break }
                    guard word.range.upperBound <= limit, seen.insert(word.clause).inserted else { continue }
                    weight += weights[word.clause]
                    if weights[word.clause] > weights[anchor.clause] { anchor = word }
                    range = range.lowerBound..<max(range.upperBound, word.range.upperBound)
                }
                let isBetter = best.map { weight > $0.weight * 1.0001 } ?? true
                let isShorter = best.map { weight >= $0.weight && range.count < $0.range.count } ?? true
                if isBetter || isShorter { best = (range, weight, anchor.range.lowerBound) }
            }
            return best
        }
    }
}
