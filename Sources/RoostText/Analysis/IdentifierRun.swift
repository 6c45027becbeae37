/// A sequence of words joined by the punctuation of identifiers, such as `foo.bar` or `kubectl_get`.
struct IdentifierRun {
    private var range: Range<Int>
    private var wordCount: Int
    private(set) var position: UInt32

    init() { (range, wordCount, position) = (0..<0, 0, 0) }

    init(_ word: Range<Int>, position: UInt32) {
        (range, wordCount) = (word, 1)
        self.position = position
    }

    /// The maximum length of a verbatim token in bytes. Longer ones are paths or encoded data.
    private static let maximumLength = 64

    /// Adds the next word of the text if it is joined with the run.
    mutating func extend(to word: Range<Int>, in utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        let gap = word.lowerBound - range.upperBound
        guard wordCount > 0, (1...2).contains(gap) else { return false }
        switch (utf8[range.upperBound], gap) {
        case (UInt8(ascii: "."), 1), (UInt8(ascii: "-"), 1), (UInt8(ascii: "@"), 1): break
        case (UInt8(ascii: "_"), _), (UInt8(ascii: ":"), _):
            guard utf8[word.lowerBound - 1] == utf8[range.upperBound] else { return false }
        default: return false
        }
        range = range.lowerBound..<word.upperBound
        wordCount += 1
        return true
    }

    /// Returns the range of the identifier with its punctuation, or `nil` if the run is an ordinary word.
    func verbatimRange(in utf8: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard wordCount > 0, range.count <= Self.maximumLength else { return nil }
        let end = range.upperBound + suffixLength(in: utf8)
        return wordCount > 1 || end > range.upperBound ? range.lowerBound..<end : nil
    }

    /// The length of a name before `#`, as in `C#`. After longer words, it is another mark.
    private static let lengthOfSharpName = 1

    /// Returns the length of `++` or `#` at the end of a name.
    private func suffixLength(in utf8: UnsafeBufferPointer<UInt8>) -> Int {
        let rest = utf8[range.upperBound...].prefix(2)
        if rest.elementsEqual("++".utf8) { return 2 }
        guard range.count == Self.lengthOfSharpName, rest.first == UInt8(ascii: "#") else { return 0 }
        let isFollowed = rest.count > 1 && (rest.last.map { $0 >= 65 } ?? false)
        return isFollowed ? 0 : 1
    }
}
