/// Finds the most probable division of a word into pieces of a vocabulary (Viterbi 1967). The buffers are
/// used again for the next word.
struct UnigramSegmentation {
    /// A piece of a word, or a sequence of characters that no piece contains.
    struct Piece {
        var id: Int32
        /// The UTF-8 range in the word.
        var range: Range<Int>
    }

    /// The best division of the beginning of the word that ends at an offset.
    private struct Path {
        /// The sum of the scores of the pieces.
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
    ///
    /// - Parameters:
    ///   - word: Valid UTF-8, below 2 GB.
    ///   - vocabulary: The pieces with their scores.
    ///   - unknown: The id of unknown characters.
    /// - Complexity: O(length of word · length of the longest piece).
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
