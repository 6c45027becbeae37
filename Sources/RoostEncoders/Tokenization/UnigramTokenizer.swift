/// Splits texts into the tokens of a unigram language model (Kudo 2018), as SentencePiece does for XLM-R and
/// other multilingual models, exactly like Hugging Face's tokenizers.
struct UnigramTokenizer: ModelTokenizer {
    /// A token that is recognized when its text occurs literally, before the text is normalized.
    struct AddedToken: Sendable {
        var utf8: [UInt8]
        var id: Int32
        var includesSpaceBefore: Bool
        var includesSpaceAfter: Bool
    }

    let vocabulary: UnigramVocabulary
    let unknown: Int32
    let start: Int32
    let end: Int32
    private let normalization: [NormalizationStep]
    private let marks: WordMarks
    private let added: [AddedToken]
    private let addedBytes: Set<UInt8>

    init(
        vocabulary: UnigramVocabulary, unknown: Int32, ends: (start: Int32, end: Int32)?, added: [AddedToken],
        normalization: [NormalizationStep], marks: WordMarks
    ) {
        (self.vocabulary, self.unknown) = (vocabulary, unknown)
        start = ends?.start ?? -1
        end = ends?.end ?? -1
        self.added = added.filter { !$0.utf8.isEmpty }.sorted { $0.utf8.count > $1.utf8.count }
        addedBytes = Set(self.added.map { $0.utf8[0] })
        (self.normalization, self.marks) = (normalization, marks)
    }

    var count: Int { max(vocabulary.count, (added.map { Int($0.id) }.max() ?? -1) + 1) }

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

/// Finds the most probable division of a word into pieces of a vocabulary (Viterbi 1967). The buffers are
/// used again for the next word.
struct UnigramSegmentation {
    /// A piece of a word, or a sequence of characters that no piece contains.
    struct Piece {
        var id: Int32
        var range: Range<Int>
    }

    /// The best division of the beginning of the word that ends at an offset.
    private struct Path {
        var score = 0.0
        /// The offset at which the last piece begins; -1 if no division ends here.
        var start: Int32 = -1
        var id: Int32 = -1
    }

    private var paths: [Path] = []

    /// The difference between the score of an unknown character and the lowest score of a piece, as in
    /// SentencePiece.
    private static let unknownPenalty = 10.0

    /// Returns the pieces of a word. Adjacent unknown characters form one piece.
    mutating func pieces(
        of word: UnsafeBufferPointer<UInt8>, _ vocabulary: UnigramVocabulary, unknown: Int32
    ) -> [Piece] {
        paths.removeAll(keepingCapacity: true)
        paths.append(contentsOf: repeatElement(Path(), count: word.count + 1))
        let unknownScore = vocabulary.minimumScore - Self.unknownPenalty
        var start = 0
        while start < word.count {
            let score = paths[start].score
            var length = 1
            while start + length < word.count, word[start + length] & 0xC0 == 0x80 { length += 1 }
            var hasCharacter = false
            vocabulary.forEachPrefix(of: word, from: start) { id, count, pieceScore in
                extend(to: start + count, Path(score: score + pieceScore, start: Int32(start), id: id))
                if count == length { hasCharacter = true }
            }
            if !hasCharacter {
                let path = Path(score: score + unknownScore, start: Int32(start), id: unknown)
                extend(to: start + length, path)
            }
            start += length
        }
        return bestPath(unknown: unknown)
    }

    /// Records a division if it is better than the known one with the same end.
    private mutating func extend(to end: Int, _ path: Path) {
        if paths[end].start < 0 || path.score > paths[end].score { paths[end] = path }
    }

    private func bestPath(unknown: Int32) -> [Piece] {
        var pieces: [Piece] = []
        var end = paths.count - 1
        while end > 0 {
            let path = paths[end]
            if path.id == unknown, let last = pieces.last, last.id == unknown {
                pieces[pieces.count - 1].range = Int(path.start)..<last.range.upperBound
            } else {
                pieces.append(Piece(id: path.id, range: Int(path.start)..<end))
            }
            end = Int(path.start)
        }
        return pieces.reversed()
    }
}

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
