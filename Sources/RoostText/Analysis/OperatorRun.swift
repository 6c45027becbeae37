/// The operators of programming languages in a text: two to four adjacent characters such as `=>`, `&.` or
/// `{{` that are not the markup of Markdown, the marks of comments (`//`, `/*`), and the beginnings of
/// interpolations (`${`, `#{`, `$(`).
struct OperatorRun {
    private let utf8: UnsafeBufferPointer<UInt8>

    init(_ utf8: UnsafeBufferPointer<UInt8>) { self.utf8 = utf8 }

    /// The lengths of operators in bytes.
    private static let lengths = 2...4
    /// The maximum distance in bytes at which the other end of emphasized text is searched for.
    private static let maximumEmphasis = 200

    /// A set of ASCII characters, as a bit for each.
    private static func bits(_ characters: String) -> (low: UInt64, high: UInt64) {
        var (low, high): (UInt64, UInt64) = (0, 0)
        for byte in characters.utf8 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        return (low, high)
    }

    /// Slashes and number signs are left out, because most of them belong to paths, addresses and headings.
    /// ``markLength(at:)`` finds those that do not.
    private static let operators = bits("!$%&*+-.:<=>?^|~{}")

    /// Returns whether a byte is a character of operators.
    @inline(__always)
    private static func isOperator(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? operators.low >> UInt64(byte) : operators.high >> UInt64(byte - 64)) & 1 == 1
    }

    private static func isBrace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
    }

    /// Returns whether two adjacent bytes can belong to one operator. Braces join only other braces and
    /// percent signs, so that `{{` is found in `${{`, and `=>` in `=>{`.
    @inline(__always)
    private static func join(_ first: UInt8, _ second: UInt8) -> Bool {
        guard isOperator(first), isOperator(second) else { return false }
        guard isBrace(first) != isBrace(second) else { return true }
        return first == UInt8(ascii: "%") || second == UInt8(ascii: "%")
    }

    /// Returns whether the bytes at an offset and after it belong to one operator.
    @inline(__always)
    private func joins(_ offset: Int) -> Bool {
        offset + 1 < utf8.count && Self.join(utf8[offset], utf8[offset + 1])
            && markLength(at: offset + 1) == nil
    }

    /// Returns the end of the sequence of operator characters at an offset; `nil` if there are fewer than
    /// two.
    @inline(__always)
    func end(from start: Int) -> Int? {
        if let length = markLength(at: start) { return start + length }
        guard joins(start) else { return nil }
        var end = start + 2
        while joins(end - 1) { end += 1 }
        return end
    }

    /// Returns the length of the mark of a comment, or of the beginning of an interpolation, at an offset;
    /// `nil` if neither begins there.
    ///
    /// - Complexity: O(length of the mark).
    @inline(__always)
    private func markLength(at start: Int) -> Int? {
        switch utf8[start] {
        case UInt8(ascii: "/"): slashes(at: start)
        case UInt8(ascii: "*"):
            // The end of a comment, but not a part of `src/**/`.
            after(start + 1) == UInt8(ascii: "/") && Self.isSpace(after(start + 2))
                && before(start) != UInt8(ascii: "*") ? 2 : nil
        case UInt8(ascii: "$"): after(start + 1) == UInt8(ascii: "(") || opensBrace(start) ? 2 : nil
        case UInt8(ascii: "#"): opensBrace(start) ? 2 : nil
        default: nil
        }
    }

    /// Returns the number of slashes of a comment or an operator, or 2 for the beginning of a comment with an
    /// asterisk; `nil` for a slash of a path or an address.
    private func slashes(at start: Int) -> Int? {
        let previous = before(start)
        guard previous != UInt8(ascii: ":"), previous != UInt8(ascii: "/") else { return nil }
        if after(start + 1) == UInt8(ascii: "*") { return Self.isSpace(previous) ? 2 : nil }
        var count = 1
        while count <= Self.lengths.upperBound, after(start + count) == UInt8(ascii: "/") { count += 1 }
        return Self.lengths.contains(count) ? count : nil
    }

    /// Returns whether a single brace follows a byte. Double braces are an operator without the sign before
    /// them, as in `${{`.
    private func opensBrace(_ offset: Int) -> Bool {
        after(offset + 1) == UInt8(ascii: "{") && after(offset + 2) != UInt8(ascii: "{")
    }

    /// An operator in the text.
    struct Found {
        var range: Range<Int>
        /// Whether the operator belongs to an identifier, such as `::` in `std::vector`.
        var isInIdentifier: Bool
    }

    /// Returns the operator in a sequence of operator characters; `nil` if the sequence is markup,
    /// punctuation or too long.
    func found(in run: Range<Int>) -> Found? {
        if markLength(at: run.lowerBound) != nil { return Found(range: run, isInIdentifier: false) }
        // A long sequence is the rule of a table or a heading.
        guard run.count <= 2 * Self.lengths.upperBound, !isRule(run) else { return nil }
        var range = run
        let opening = range.prefix { utf8[$0] == utf8[range.lowerBound] }
        if isEmphasis(opening) { range = opening.upperBound..<range.upperBound }
        if let last = range.last {
            let length = range.reversed().prefix { utf8[$0] == utf8[last] }.count
            let closing = (range.upperBound - length)..<range.upperBound
            if isEmphasis(closing) { range = range.lowerBound..<closing.lowerBound }
        }
        // A period after an operator ends a sentence or precedes a name.
        if range.count > 2, utf8[range.upperBound - 1] == UInt8(ascii: "."),
            utf8[range.upperBound - 2] != UInt8(ascii: ".")
        {
            range = range.lowerBound..<(range.upperBound - 1)
        }
        guard Self.lengths.contains(range.count), !isPunctuation(range, in: run), !isOption(range) else {
            return nil
        }
        return Found(range: range, isInIdentifier: isInIdentifier(range))
    }

    // MARK: Surroundings

    /// The byte before an offset; a line break at the start of the text.
    private func before(_ offset: Int) -> UInt8 { offset > 0 ? utf8[offset - 1] : 10 }

    /// The byte at an offset; a line break at the end of the text.
    private func after(_ offset: Int) -> UInt8 { offset < utf8.count ? utf8[offset] : 10 }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 32 }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 128 || (65...90).contains(byte & 0xDF) || (48...57).contains(byte) || byte == 95
    }

    private func consists(_ range: Range<Int>, of characters: StaticString) -> Bool {
        characters.withUTF8Buffer { characters in range.allSatisfy { characters.contains(utf8[$0]) } }
    }

    // MARK: Markup and punctuation

    /// Returns whether a sequence is the rule of a table, or underlines a heading, separates paragraphs or
    /// fences code.
    private func isRule(_ run: Range<Int>) -> Bool {
        if consists(run, of: "-|:+"), run.contains(where: { utf8[$0] == UInt8(ascii: "-") }) {
            return run.count > 2 || !consists(run, of: "-")
        }
        guard consists(run, of: "*=~+:"), run.allSatisfy({ utf8[$0] == utf8[run.lowerBound] }) else {
            return false
        }
        var (start, end) = (run.lowerBound, run.upperBound)
        while before(start) == 32 || before(start) == 9 { start -= 1 }
        while after(end) == 32 || after(end) == 9 || after(end) == 13 { end += 1 }
        // A text that consists only of operators is a query.
        return before(start) == 10 && after(end) == 10 && (start > 0 || end < utf8.count)
    }

    /// Returns whether equal characters begin or end emphasized text, as in `**bold**`.
    private func isEmphasis(_ range: Range<Int>) -> Bool {
        guard let first = range.first else { return false }
        let mark = utf8[first]
        switch mark {
        case UInt8(ascii: "*"): break
        case UInt8(ascii: "~"), UInt8(ascii: "="): guard range.count > 1 else { return false }
        default: return false
        }
        let minimum = min(2, range.count)
        if opens(range), hasEnd(mark, from: range.upperBound, minimum) { return true }
        return closes(range) && hasStart(mark, before: range.lowerBound, minimum)
    }

    private func opens(_ range: Range<Int>) -> Bool {
        !Self.isSpace(after(range.upperBound)) && !Self.isWord(before(range.lowerBound))
    }

    private func closes(_ range: Range<Int>) -> Bool {
        !Self.isSpace(before(range.lowerBound)) && !Self.isWord(after(range.upperBound))
    }

    private func hasEnd(_ mark: UInt8, from start: Int, _ minimum: Int) -> Bool {
        var offset = start
        let limit = min(utf8.count, start + Self.maximumEmphasis)
        while offset < limit, utf8[offset] != 10 {
            let first = offset
            while offset < limit, utf8[offset] == mark { offset += 1 }
            if offset - first >= minimum, closes(first..<offset) { return true }
            if offset == first { offset += 1 }
        }
        return false
    }

    private func hasStart(_ mark: UInt8, before end: Int, _ minimum: Int) -> Bool {
        var offset = end
        let limit = max(0, end - Self.maximumEmphasis)
        while offset > limit, utf8[offset - 1] != 10 {
            let last = offset
            while offset > limit, utf8[offset - 1] == mark { offset -= 1 }
            if last - offset >= minimum, opens(offset..<last) { return true }
            if offset == last { offset -= 1 }
        }
        return false
    }

    /// Returns whether a sequence is an ellipsis, or ends a sentence, as in "Why?!".
    private func isPunctuation(_ range: Range<Int>, in run: Range<Int>) -> Bool {
        if consists(range, of: ".") { return true }
        let isMixed = range.contains { utf8[$0] != utf8[range.lowerBound] }
        if isMixed, consists(range, of: "?!") { return true }
        return consists(range, of: "?!.") && Self.isWord(before(range.lowerBound))
            && !Self.isWord(after(run.upperBound))
    }

    // MARK: Identifiers

    /// Returns whether a sequence consists of the hyphens of an option such as `--onto`.
    private func isOption(_ range: Range<Int>) -> Bool {
        consists(range, of: "-") && Self.isWord(after(range.upperBound))
    }

    private func isInIdentifier(_ range: Range<Int>) -> Bool {
        guard Self.isWord(before(range.lowerBound)), range.count == 2 else { return false }
        let isFollowed = Self.isWord(after(range.upperBound))
        return consists(range, of: ":") ? isFollowed : consists(range, of: "+") && !isFollowed
    }
}
