/// A sequence of words joined by the punctuation of identifiers, such as `foo.bar` or `kubectl_get`.
struct IdentifierRun {
    /// The UTF-8 range from the first to the last word.
    private var range: Range<Int>
    private var wordCount: Int
    /// The position of the first word in the text.
    private(set) var position: UInt32

    /// Creates a run without words.
    init() { (range, wordCount, position) = (0..<0, 0, 0) }

    init(_ word: Range<Int>, position: UInt32) {
        (range, wordCount) = (word, 1)
        self.position = position
    }

    /// The maximum length of a verbatim token in bytes. Longer ones are paths or encoded data.
    private static let maximumLength = 64

    /// Adds the next word of the text if it is joined with the run.
    ///
    /// - Returns: Whether the word was added.
    mutating func extend(to word: Range<Int>, in utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard wordCount > 0, word.lowerBound > range.upperBound else { return false }
        let first = utf8[range.upperBound]
        guard Self.joins(first) else { return false }
        switch word.lowerBound - range.upperBound {
        case 1: break
        case 2 where utf8[range.upperBound + 1] == first:
            guard first == UInt8(ascii: "_") || first == UInt8(ascii: ":") else { return false }
        default: return false
        }
        range = range.lowerBound..<word.upperBound
        wordCount += 1
        return true
    }

    /// Returns the range of the identifier with its punctuation, or `nil` if the run is an ordinary word.
    func verbatimRange(in utf8: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard wordCount > 0, range.count <= Self.maximumLength else { return nil }
        let start = range.lowerBound - prefixLength(in: utf8)
        let end = range.upperBound + suffixLength(in: utf8)
        return wordCount > 1 || start < range.lowerBound || end > range.upperBound ? start..<end : nil
    }

    /// The numbers of words of identifiers whose beginnings and ends are also indexed. Longer ones are mostly
    /// identification numbers and dates.
    private static let wordsWithParts = 3...4

    /// Calls `body` with the words of the identifier without the punctuation around them, and with its
    /// beginnings and ends of at least two words that begin with a letter.
    ///
    /// - Parameter body: Returns whether to continue.
    /// - Returns: Whether all parts were reported.
    func forEachPart(in utf8: UnsafeBufferPointer<UInt8>, _ body: (Range<Int>) -> Bool) -> Bool {
        func report(_ part: Range<Int>) -> Bool { !Self.isLetter(utf8[part.lowerBound]) || body(part) }
        guard wordCount > 1 else { return true }
        guard report(range) else { return false }
        guard Self.wordsWithParts.contains(wordCount) else { return true }
        var words = 1
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard Self.joins(utf8[offset]) else {
                offset += 1
                continue
            }
            let end = offset
            while Self.joins(utf8[offset]) { offset += 1 }
            if words > 1, !report(range.lowerBound..<end) { return false }
            if wordCount - words > 1, !report(offset..<range.upperBound) { return false }
            words += 1
        }
        return true
    }

    /// Returns whether a character joins the words of an identifier.
    private static func joins(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        default: false
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte >= 128 || (65...90).contains(byte & 0xDF)
    }

    /// Returns whether an identifier can begin after a byte.
    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case ...32, UInt8(ascii: "`"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: "="), UInt8(ascii: ","),
            UInt8(ascii: "|"), UInt8(ascii: "/"), UInt8(ascii: "*"):
            true
        default: false
        }
    }

    /// The maximum number of punctuation characters before an identifier.
    private static let maximumPrefix = 2

    /// Returns the length of the punctuation before the first word that belongs to the identifier: `-i`,
    /// `--onto`, `.gitignore`, `$PATH`, `@main`, `#include`, `:symbol`, `__name`.
    private func prefixLength(in utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let start = range.lowerBound
        guard start > 0, Self.isLetter(utf8[start]) else { return 0 }
        let mark = utf8[start - 1]
        var length = 1
        while length <= Self.maximumPrefix, start > length, utf8[start - length - 1] == mark { length += 1 }
        guard start == length || Self.isBoundary(utf8[start - length - 1]) else { return 0 }
        switch mark {
        case UInt8(ascii: "-"): return length <= 2 ? length : 0
        case UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: ":"):
            return length == 1 ? length : 0
        case UInt8(ascii: "_"): return length == 2 ? length : 0
        default: return 0
        }
    }

    /// The maximum length of a name before a final `#`, as in C#.
    private static let maximumSharpName = 2

    /// Returns the length of the punctuation after the last word that belongs to the identifier: `C++`, `C#`,
    /// `__name__`.
    private func suffixLength(in utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let end = range.upperBound
        guard end < utf8.count else { return 0 }
        let mark = utf8[end]
        var length = 1
        while length <= 2, end + length < utf8.count, utf8[end + length] == mark { length += 1 }
        let isFollowed = end + length < utf8.count && Self.isLetter(utf8[end + length])
        guard !isFollowed else { return 0 }
        switch mark {
        case UInt8(ascii: "+"), UInt8(ascii: "_"): return length == 2 ? 2 : 0
        case UInt8(ascii: "#"): return length == 1 && range.count <= Self.maximumSharpName ? 1 : 0
        default: return 0
        }
    }
}
