import Foundation
import RoostModel

/// A tokenizer that splits text into WordPiece tokens (Devlin et al. 2019) exactly like Hugging Face's
/// tokenizers.
struct WordPieceTokenizer: Sendable {
    /// The tokens of a text, without the special tokens before and after them.
    struct Tokens: Sendable {
        var ids: [Int32] = []
        /// The UTF-8 range of each token in the text. The ranges are ascending and disjoint.
        var ranges: [Range<Int>] = []
    }

    let vocabulary: WordPieceVocabulary
    let normalizer: BERTNormalizer
    /// The id of `[UNK]`.
    let unknown: Int32
    /// The id of `[CLS]`; -1 if the tokenizer adds no special tokens.
    let start: Int32
    /// The id of `[SEP]`; -1 if the tokenizer adds no special tokens.
    let end: Int32
    /// The special tokens that are recognized when they occur literally in a text.
    private let special: [(utf8: [UInt8], id: Int32)]

    /// The maximum number of characters in a word; a longer word becomes one unknown token, as in BERT.
    private static let maximumWordLength = 100

    /// Creates a tokenizer.
    ///
    /// - Parameter addsSpecialTokens: Whether `[CLS]` and `[SEP]` must be in the vocabulary.
    /// - Throws: `EmbedderError` with `.damagedModel` if a special token is missing.
    init(vocabulary: WordPieceVocabulary, options: BERTNormalizer.Options, addsSpecialTokens: Bool = true)
        throws
    {
        self.vocabulary = vocabulary
        normalizer = BERTNormalizer(options: options)
        func id(_ piece: String) throws -> Int32 {
            guard let id = vocabulary.id(of: piece) else {
                throw EmbedderError(.damagedModel, "the vocabulary lacks the token \(piece)")
            }
            return id
        }
        unknown = try id("[UNK]")
        start = addsSpecialTokens ? try id("[CLS]") : -1
        end = addsSpecialTokens ? try id("[SEP]") : -1
        special = ["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"].compactMap { piece in
            vocabulary.id(of: piece).map { (Array(piece.utf8), $0) }
        }
    }

    /// Returns the tokens of a text.
    ///
    /// - Complexity: O(length of text).
    func tokenize(_ text: String) -> Tokens {
        var text = text
        return text.withUTF8 { utf8 in
            var scan = Scan(tokenizer: self, utf8: utf8)
            scan.run()
            normalizer.keep(scan.found)
            return scan.tokens
        }
    }

    /// Returns the text that consists of the given tokens. Special tokens at the start and at the end are
    /// removed.
    ///
    /// - Returns: `nil` if the tokens of no text are the given ones. Ids of another vocabulary are recognized
    ///   by this, because greedy tokenization rarely produces them.
    /// - Complexity: O(n log v), where n is the number of ids and v the size of the vocabulary.
    func text(of ids: [Int]) -> String? {
        var ids = ids[...]
        if start >= 0, ids.first == Int(start) { ids.removeFirst() }
        if end >= 0, ids.last == Int(end) { ids.removeLast() }
        var bytes: [UInt8] = []
        for id in ids {
            guard let piece = vocabulary.piece(id) else { return nil }
            if !piece.continues, !bytes.isEmpty { bytes.append(UInt8(ascii: " ")) }
            bytes += piece.text
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return tokenize(text).ids.elementsEqual(ids.lazy.map { Int32(truncatingIfNeeded: $0) }) ? text : nil
    }

    /// Returns whether a text is one token of the vocabulary, other than the token of unknown words.
    func isSingleToken(_ text: String) -> Bool {
        let ids = tokenize(text).ids
        return ids.count == 1 && ids[0] != unknown
    }

    /// Returns how many of the characters of a text's words are in tokens that stand for them, and not for an
    /// unknown word. An unknown word that is too long for the vocabulary, such as encoded data, counts as one
    /// character.
    ///
    /// Tokens are not counted, because an unknown word is one token, however long, and a known word of a
    /// script with few entries in the vocabulary is as many tokens as it has letters.
    func knownCharacters(in text: String) -> (known: Int, total: Int) {
        var text = text
        let tokens = tokenize(text)
        return text.withUTF8 { utf8 in
            var (known, total) = (0, 0)
            for (id, range) in zip(tokens.ids, tokens.ranges) {
                let count = utf8[range].count { $0 & 0xC0 != 0x80 }
                let isUnknown = id == unknown
                total += isUnknown && count > Self.maximumWordLength ? 1 : count
                known += isUnknown ? 0 : count
            }
            return (known, total)
        }
    }

    /// The state of one pass over a text.
    private struct Scan {
        let tokenizer: WordPieceTokenizer
        let utf8: UnsafeBufferPointer<UInt8>
        var tokens = Tokens()
        /// A copy of the shared cache. New results go to `found`, because changing the table would copy its
        /// memory.
        private let table: [UInt32: [BERTNormalizer.Piece]]
        private(set) var found: [UInt32: [BERTNormalizer.Piece]] = [:]
        /// The current word in its normalized form, and for each of its bytes the offset in the original
        /// text.
        private var word: [UInt8] = []
        private var origins: [Int] = []
        private var characters = 0
        private var wordEnd = 0

        init(tokenizer: WordPieceTokenizer, utf8: UnsafeBufferPointer<UInt8>) {
            self.tokenizer = tokenizer
            self.utf8 = utf8
            table = tokenizer.normalizer.table()
        }

        mutating func run() {
            let options = tokenizer.normalizer.options
            var offset = 0
            while offset < utf8.count {
                let byte = utf8[offset]
                if byte >= 0x80 {
                    offset = readScalar(at: offset)
                    continue
                }
                if byte == UInt8(ascii: "["), let special = special(at: offset) {
                    finishWord()
                    append(special.id, offset..<offset + special.utf8.count)
                    offset += special.utf8.count
                    continue
                }
                switch byte {
                case 9, 10, 13, 32, 11, 12:
                    // Vertical tab and form feed do not end a word: they are control characters, which BERT
                    // removes before it recognizes white space.
                    if byte != 11 && byte != 12 { finishWord() }
                case 0...31, 127: break
                case 33...47, 58...64, 91...96, 123...126: appendAlone([byte], offset..<offset + 1)
                case 65...90: appendLetter(options.lowercases ? byte + 32 : byte, offset)
                default: appendLetter(byte, offset)
                }
                offset += 1
            }
            finishWord()
        }

        private mutating func readScalar(at offset: Int) -> Int {
            // The bytes are valid UTF-8, so the first byte of a character determines its length.
            let lead = utf8[offset]
            let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
            var value = UInt32(lead) & (length == 2 ? 0x1F : length == 3 ? 0x0F : 0x07)
            for index in 1..<length { value = value << 6 | UInt32(utf8[offset + index] & 0x3F) }
            let pieces: [BERTNormalizer.Piece]
            if let known = table[value] ?? found[value] {
                pieces = known
            } else {
                pieces = Unicode.Scalar(value).map { tokenizer.normalizer.pieces(of: $0) } ?? []
                found[value] = pieces
            }
            for piece in pieces {
                switch piece.kind {
                case .space: finishWord()
                case .alone: appendAlone(piece.utf8, offset..<offset + length)
                case .letter:
                    for byte in piece.utf8 {
                        word.append(byte)
                        origins.append(offset)
                    }
                    characters += 1
                    wordEnd = offset + length
                }
            }
            return offset + length
        }

        private func special(at offset: Int) -> (utf8: [UInt8], id: Int32)? {
            tokenizer.special.first { candidate in
                offset + candidate.utf8.count <= utf8.count
                    && candidate.utf8.indices.allSatisfy { candidate.utf8[$0] == utf8[offset + $0] }
            }
        }

        @inline(__always)
        private mutating func appendLetter(_ byte: UInt8, _ offset: Int) {
            word.append(byte)
            origins.append(offset)
            characters += 1
            wordEnd = offset + 1
        }

        private mutating func appendAlone(_ bytes: [UInt8], _ range: Range<Int>) {
            finishWord()
            word = bytes
            origins = Array(repeating: range.lowerBound, count: bytes.count)
            characters = 1
            wordEnd = range.upperBound
            finishWord()
        }

        private mutating func append(_ id: Int32, _ range: Range<Int>) {
            tokens.ids.append(id)
            // Two tokens may come from one character, such as a decomposed ligature; the second gets an empty
            // range.
            let start = max(range.lowerBound, tokens.ranges.last?.upperBound ?? 0)
            tokens.ranges.append(start..<max(start, range.upperBound))
        }

        private mutating func finishWord() {
            guard !word.isEmpty else { return }
            defer {
                word.removeAll(keepingCapacity: true)
                origins.removeAll(keepingCapacity: true)
                characters = 0
            }
            guard characters <= WordPieceTokenizer.maximumWordLength else {
                append(tokenizer.unknown, origins[0]..<wordEnd)
                return
            }
            let first = tokens.ids.count
            let isComplete = word.withUnsafeBufferPointer { bytes in
                var start = 0
                while start < bytes.count {
                    guard let piece = tokenizer.vocabulary.longestPiece(bytes, from: start) else {
                        return false
                    }
                    append(
                        piece.id, origins[start]..<(piece.end < bytes.count ? origins[piece.end] : wordEnd))
                    start = piece.end
                }
                return true
            }
            if !isComplete {
                tokens.ids.removeSubrange(first...)
                tokens.ranges.removeSubrange(first...)
                append(tokenizer.unknown, origins[0]..<wordEnd)
            }
        }
    }
}
