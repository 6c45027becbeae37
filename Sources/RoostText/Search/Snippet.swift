/// A piece of a text that is shown for the whole, and the words in it that were asked for.
public struct Snippet: Sendable, Hashable {
    /// Where it stands in the text, in UTF-8 bytes.
    public var utf8Range: Range<Int>
    /// Where words that were asked for stand in the text, in UTF-8 bytes; ascending, within `utf8Range`.
    public var marks: [Range<Int>]

    /// Chooses the piece with the most different words of a query, and of those the first.
    ///
    /// - Parameters:
    ///   - preferred: the part of the text that it is of, if that has any of the words, or no part has.
    ///   - limit: the most bytes, about.
    /// - Complexity: O(length of text).
    public init(of text: String, preferring preferred: Range<Int>, for query: TextQuery?, limit: Int) {
        var text = text
        self = text.withUTF8 { utf8 in
            let whole = 0..<utf8.count
            let within = preferred.clamped(to: whole)
            var area = within
            var marks = query?.occurrences(in: utf8, within: within) ?? []
            if marks.isEmpty, let query, within != whole {
                marks = query.occurrences(in: utf8, within: whole)
                if !marks.isEmpty { area = whole }
            }
            let range = Self.range(utf8, area, marks, limit: max(1, limit))
            return Snippet(
                range,
                marks.map(\.range).filter {
                    range.lowerBound <= $0.lowerBound && $0.upperBound <= range.upperBound
                })
        }
    }

    private init(_ range: Range<Int>, _ marks: [Range<Int>]) {
        utf8Range = range
        self.marks = marks
    }

    private static func range(
        _ utf8: UnsafeBufferPointer<UInt8>, _ area: Range<Int>, _ marks: [TextQuery.Mark], limit: Int
    ) -> Range<Int> {
        guard area.count > limit else { return area }
        var start = area.lowerBound
        var most = 0
        var last = 0
        var counts: [Int: Int] = [:]
        // A window from each word to the last one that fits.
        for (first, mark) in marks.enumerated() {
            while last < marks.count, marks[last].range.upperBound - mark.range.lowerBound <= limit {
                counts[marks[last].clause, default: 0] += 1
                last += 1
            }
            if counts.count > most {
                most = counts.count
                // What is said before the first word belongs to it.
                let span =
                    (last > first ? marks[last - 1].range.upperBound : mark.range.upperBound)
                    - mark.range.lowerBound
                start = max(area.lowerBound, mark.range.lowerBound - max(0, limit - span) / 3)
            }
            if last <= first {
                last = first + 1
            } else {
                counts[mark.clause, default: 1] -= 1
                if counts[mark.clause] == 0 { counts[mark.clause] = nil }
            }
        }
        var end = min(area.upperBound, start + limit)
        start = max(area.lowerBound, min(start, end - limit))
        // At spaces, if there are some near; never inside a character.
        func isSpace(_ place: Int) -> Bool { utf8[place] == 32 || (9...13).contains(utf8[place]) }
        if start > area.lowerBound, !isSpace(start - 1) {
            let next = (start..<min(start + 24, end)).first(where: isSpace).map { $0 + 1 }
            start = next ?? start
            while start < end, utf8[start] & 0xC0 == 0x80 { start += 1 }
        }
        if end < area.upperBound, !isSpace(end) {
            let previous = (max(start, end - 24)..<end).last(where: isSpace)
            end = previous ?? end
            while end > start, end < utf8.count, utf8[end] & 0xC0 == 0x80 { end -= 1 }
        }
        return start < end ? start..<end : area.lowerBound..<area.lowerBound
    }
}

extension TextQuery {
    /// A word of a text that is asked for.
    struct Mark {
        var range: Range<Int>
        /// Which of the query's.
        var clause: Int
    }

    func occurrences(
        in utf8: UnsafeBufferPointer<UInt8>, within area: Range<Int>, limit: Int = .max
    ) -> [Mark] {
        let part = UnsafeBufferPointer(rebasing: utf8[area])
        let prefixes = wanted.enumerated().compactMap { place, wanted in
            if case .prefix(let word) = wanted.clause { (word: word, place: place) } else { nil }
        }
        var scanner = WordScanner()
        var marks: [Mark] = []
        while marks.count < limit, let range = scanner.next(in: part) {
            let term = Term(part[range])
            guard
                let clause = stems[term.stem]
                    ?? prefixes.first(where: { term.word.starts(with: $0.word) })?.place
            else { continue }
            marks.append(
                Mark(
                    range: range.lowerBound + area.lowerBound..<range.upperBound + area.lowerBound,
                    clause: clause))
        }
        return marks
    }

    /// Whether a text can be found by the words.
    ///
    /// - Complexity: O(length up to the first).
    public func occurs(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { !occurrences(in: $0, within: 0..<$0.count, limit: 1).isEmpty }
    }
}
