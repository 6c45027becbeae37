/// Splits texts into the tokens of a unigram language model (Kudo 2018), as SentencePiece does for XLM-R and
/// other multilingual models, exactly like Hugging Face's tokenizers.
struct UnigramTokenizer: ModelTokenizer {
    /// A token that is recognized when its text occurs literally, before the text is normalized.
    struct AddedToken: Sendable {
        var utf8: [UInt8]
        var id: Int32
        /// Whether the token includes the white space before it.
        var includesSpaceBefore: Bool
        /// Whether the token includes the white space after it.
        var includesSpaceAfter: Bool
    }

    let vocabulary: UnigramVocabulary
    let unknown: Int32
    let start: Int32
    let end: Int32
    private let normalization: [NormalizationStep]
    private let marks: WordMarks
    /// The added tokens, the longest first.
    private let added: [AddedToken]
    /// The bytes with which an added token begins.
    private let addedBytes: Set<UInt8>

    /// Creates a tokenizer.
    ///
    /// - Parameters:
    ///   - vocabulary: The pieces, with ids below 2³¹.
    ///   - unknown: The id of unknown characters.
    ///   - ends: The ids of the tokens before and after each sequence; `nil` if no special tokens are added.
    ///   - added: The tokens that are recognized before the text is normalized.
    ///   - normalization: The steps of the normalization.
    ///   - marks: The division into words.
    init(
        vocabulary: UnigramVocabulary, unknown: Int32, ends: (start: Int32, end: Int32)?, added: [AddedToken],
        normalization: [NormalizationStep], marks: WordMarks
    ) {
        self.vocabulary = vocabulary
        self.unknown = unknown
        start = ends?.start ?? -1
        end = ends?.end ?? -1
        self.added = added.filter { !$0.utf8.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
        addedBytes = Set(self.added.map { $0.utf8[0] })
        self.normalization = normalization
        self.marks = marks
    }

    var count: Int { max(vocabulary.count, (added.map { Int($0.id) }.max() ?? -1) + 1) }

    func isSpecial(_ id: Int) -> Bool { id == unknown || added.contains { $0.id == id } }

    func joined(_ ids: ArraySlice<Int>) -> String? {
        var bytes: [UInt8] = []
        for id in ids {
            guard let piece = vocabulary.text(of: id) else { return nil }
            bytes += piece
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let spaced = text.unicodeScalars.map { $0.value == 0x2581 ? " " : $0 }
        return String(String.UnicodeScalarView(spaced.first == " " ? spaced.dropFirst() : spaced[...]))
    }

    func tokenize(_ text: String) -> TokenSequence {
        var text = text
        return text.withUTF8 { utf8 in
            var tokens = TokenSequence()
            var offset = 0
            while let match = nextAddedToken(in: utf8, from: offset) {
                appendTokens(of: utf8, offset..<match.range.lowerBound, to: &tokens)
                tokens.append(match.id, match.range)
                offset = match.range.upperBound
            }
            appendTokens(of: utf8, offset..<utf8.count, to: &tokens)
            return tokens
        }
    }

    /// Returns the first added token from an offset on, with its white space.
    private func nextAddedToken(in utf8: UnsafeBufferPointer<UInt8>, from first: Int)
        -> (id: Int32, range: Range<Int>)?
    {
        for offset in first..<utf8.count where addedBytes.contains(utf8[offset]) {
            let token = added.first { token in
                offset + token.utf8.count <= utf8.count
                    && token.utf8.indices.allSatisfy { token.utf8[$0] == utf8[offset + $0] }
            }
            guard let token else { continue }
            var (start, end) = (offset, offset + token.utf8.count)
            while token.includesSpaceBefore, start > first,
                case let length = WhiteSpace.length(before: start, in: utf8), length > 0
            {
                start -= length
            }
            while token.includesSpaceAfter, end < utf8.count,
                case let length = WhiteSpace.length(at: end, in: utf8), length > 0
            {
                end += length
            }
            return (token.id, max(first, start)..<end)
        }
        return nil
    }

    /// The approximate size in bytes of the parts of a text that are normalized separately, which limits the
    /// memory for long texts.
    private static let sizeOfPart = 1 << 16

    /// Adds the tokens of a part of a text that contains no added token.
    private func appendTokens(
        of utf8: UnsafeBufferPointer<UInt8>, _ part: Range<Int>, to tokens: inout TokenSequence
    ) {
        var segmentation = UnigramSegmentation()
        var start = part.lowerBound
        while start < part.upperBound {
            var end = part.upperBound
            if marks.removesWhitespace, part.upperBound - start > Self.sizeOfPart {
                end = Self.endOfWord(in: utf8, start + Self.sizeOfPart..<part.upperBound)
            }
            appendTokens(of: AlignedText(utf8, start..<end), isFirst: start == 0, &segmentation, to: &tokens)
            start = end
        }
    }

    /// Returns the first offset in a range that no word and no grapheme cluster contains: after a tab or line
    /// feed, or between a space and an ASCII character; the end of the range if it has no such offset.
    private static func endOfWord(in utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int {
        range.dropFirst().first {
            switch utf8[$0 - 1] {
            case 9, 10: true
            case 32: utf8[$0] < 0x80
            default: false
            }
        } ?? range.upperBound
    }

    private func appendTokens(
        of text: AlignedText, isFirst: Bool, _ segmentation: inout UnigramSegmentation,
        to tokens: inout TokenSequence
    ) {
        let normalized = normalization.reduce(text) { $1.apply(to: $0) }
        let (text, words) = marks.words(of: normalized, isFirst: isFirst)
        text.bytes.withUnsafeBufferPointer { bytes in
            for word in words {
                let characters = UnsafeBufferPointer(rebasing: bytes[word])
                for piece in segmentation.pieces(of: characters, vocabulary, unknown: unknown) {
                    let (first, last) = (piece.range.lowerBound, piece.range.upperBound)
                    let range = withoutMark(word.lowerBound + first..<word.lowerBound + last, of: text)
                    tokens.append(piece.id, text.origin(of: range))
                }
            }
        }
    }

    /// Returns the range of a token without the mark at its beginning, which stands for the space before it.
    private func withoutMark(_ range: Range<Int>, of text: AlignedText) -> Range<Int> {
        guard range.count >= WordMarks.mark.count, text.has(WordMarks.mark, at: range.lowerBound) else {
            return range
        }
        return range.lowerBound + WordMarks.mark.count..<range.upperBound
    }
}
