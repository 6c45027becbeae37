/// The parts of a word in camel case: `parseURLString` has the parts `parse`, `URL` and `String`.
enum CamelCase {
    /// The minimum length of a part, and the maximum length of a word with parts.
    private static let (minimumPart, maximumWord) = (2, 64)
    /// The maximum number of parts of a word whose beginnings and ends of several parts are reported too.
    private static let maximumParts = 5

    /// The prefixes of names in libraries. Together with an acronym, they look like one: `NSURLSession`.
    private static let prefixes: [(UInt8, UInt8)] = ["NS", "UI", "CG", "CF", "CA", "AV"].map {
        let utf8 = Array($0.utf8)
        return (utf8[0], utf8[1])
    }

    /// Calls `body` with the ranges of the parts of an ASCII word.
    ///
    /// Beginnings and ends of several parts, and the parts of an acronym with a known prefix, are indexed,
    /// but not searched for.
    ///
    /// - Parameter body: Returns whether to continue.
    /// - Returns: Whether all parts were reported.
    static func forEachPart(
        of word: Range<Int>, in utf8: UnsafeBufferPointer<UInt8>,
        _ body: (_ part: Range<Int>, _ isOnlyForIndex: Bool) -> Bool
    ) -> Bool {
        guard word.count <= maximumWord else { return true }
        // A bit for each byte of the word at which a part starts.
        var starts: UInt64 = 1
        for index in word.dropFirst() where isStart(index, of: word, utf8) {
            starts |= 1 << UInt64(index - word.lowerBound)
        }
        let count = starts.nonzeroBitCount
        guard count > 1 else { return reportPrefix(of: word, word, utf8, body) }
        for number in 0..<count {
            let part = start(number, starts, word)..<start(number + 1, starts, word)
            if part.count >= minimumPart, !body(part, false) { return false }
            guard reportPrefix(of: part, word, utf8, body) else { return false }
        }
        guard count <= maximumParts, count > 2 else { return true }
        for number in 2..<count {
            let end = start(number, starts, word)
            let begin = start(number - 1, starts, word)
            guard body(word.lowerBound..<end, true), body(begin..<word.upperBound, true) else { return false }
        }
        return true
    }

    /// Returns the offset of the part with a number, or the end of the word after the last part.
    private static func start(_ number: Int, _ starts: UInt64, _ word: Range<Int>) -> Int {
        var rest = starts
        for _ in 0..<number { rest &= rest &- 1 }
        return rest == 0 ? word.upperBound : word.lowerBound + rest.trailingZeroBitCount
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (65...90).contains(byte) }

    private static func isStart(
        _ index: Int, of word: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard isUpper(utf8[index]) else { return false }
        let precedesLower = index + 1 < word.upperBound && (97...122).contains(utf8[index + 1])
        return !isUpper(utf8[index - 1]) || precedesLower
    }

    /// Reports the prefix and the rest of an acronym such as `NSURL`, and the word without the prefix.
    private static func reportPrefix(
        of part: Range<Int>, _ word: Range<Int>, _ utf8: UnsafeBufferPointer<UInt8>,
        _ body: (_ part: Range<Int>, _ isOnlyForIndex: Bool) -> Bool
    ) -> Bool {
        guard part.lowerBound == word.lowerBound, part.count >= 2 * minimumPart,
            part.allSatisfy({ isUpper(utf8[$0]) }),
            prefixes.contains(where: { $0 == (utf8[part.lowerBound], utf8[part.lowerBound + 1]) })
        else { return true }
        let rest = part.lowerBound + 2
        guard body(part.lowerBound..<rest, true), body(rest..<part.upperBound, true) else { return false }
        return part.upperBound == word.upperBound || body(rest..<word.upperBound, true)
    }
}
