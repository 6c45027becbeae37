/// The division of a normalized text into words whose beginnings are marked with `▁`, as SentencePiece and
/// the pre-tokenizer `Metaspace` of Hugging Face's tokenizers do.
struct WordMarks: Sendable {
    /// When a mark is put before a text that has none.
    enum Prefix: String, Sendable, Decodable {
        case always, never
        /// Only at the beginning of the whole text, not after a special token.
        case first
    }

    /// Whether the text is divided at white space first, which is then removed. Otherwise, each space becomes
    /// a mark.
    var removesWhitespace = false
    /// Whether the text is divided at marks. Otherwise, pieces of the vocabulary may contain several words.
    var dividesAtMarks = true
    var prefix = Prefix.always

    /// The UTF-8 of `▁` (U+2581).
    static let mark: [UInt8] = [0xE2, 0x96, 0x81]

    /// Returns the marked text, and the range of each word in it.
    ///
    /// - Parameters:
    ///   - text: The normalized text.
    ///   - isFirst: Whether it is the beginning of the whole text.
    /// - Complexity: O(length of text).
    func words(of text: AlignedText, isFirst: Bool) -> (text: AlignedText, words: [Range<Int>]) {
        var marked = AlignedText(capacity: text.count + text.count / 2)
        var words: [Range<Int>] = []
        var offset = 0
        var isFirst = isFirst
        while offset < text.count {
            var end = text.count
            if removesWhitespace {
                if case let length = text.lengthOfSpace(at: offset), length > 0 {
                    offset += length
                    // Only what begins the text itself is first.
                    isFirst = false
                    continue
                }
                end = offset
                while end < text.count, text.lengthOfSpace(at: end) == 0 { end += 1 }
            }
            let start = marked.count
            appendMarked(text, offset..<end, isFirst: isFirst, to: &marked)
            appendWords(in: start..<marked.count, of: marked, to: &words)
            isFirst = false
            offset = end
        }
        return (marked, words)
    }

    private func appendMarked(
        _ text: AlignedText, _ part: Range<Int>, isFirst: Bool, to marked: inout AlignedText
    ) {
        let space = UInt8(ascii: " ")
        let hasMark = text.bytes[part.lowerBound] == space || text.has(Self.mark, at: part.lowerBound)
        if !hasMark, prefix == .always || (prefix == .first && isFirst) {
            marked.append(Self.mark, from: text.origin(of: part.lowerBound..<part.lowerBound))
        }
        var kept = part.lowerBound
        for offset in part where text.bytes[offset] == space {
            marked.append(text, kept..<offset)
            marked.append(Self.mark, from: text.origin(of: offset..<offset + 1))
            kept = offset + 1
        }
        marked.append(text, kept..<part.upperBound)
    }

    /// Adds the words of a part of the marked text; each but the first begins with a mark.
    private func appendWords(in part: Range<Int>, of marked: AlignedText, to words: inout [Range<Int>]) {
        var start = part.lowerBound
        if dividesAtMarks {
            for offset in part.dropFirst()
            where marked.bytes[offset] == Self.mark[0] && marked.has(Self.mark, at: offset) {
                words.append(start..<offset)
                start = offset
            }
        }
        if start < part.upperBound { words.append(start..<part.upperBound) }
    }
}
