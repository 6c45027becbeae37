/// A WordPiece vocabulary: the pieces that start a word, and those that continue it, which are marked with `##`
/// in the file and stored without it.
struct WordPieceVocabulary: Sendable {
    private let initial: PieceTable
    private let continuing: PieceTable
    private let initialIDs: [Int32]
    private let continuingIDs: [Int32]
    let count: Int
    /// The ids of two identical pieces; `nil` if all pieces are distinct.
    let duplicate: (first: Int, second: Int)?

    init(_ pieces: [String]) {
        var bytes: [UInt8] = []
        let ranges = pieces.map { piece in
            let start = bytes.count
            bytes += piece.utf8
            return start..<bytes.count
        }
        self.init(bytes, ranges)
    }

    init(_ bytes: [UInt8], _ ranges: [Range<Int>]) {
        count = ranges.count
        let mark = UInt8(ascii: "#")
        var (first, second): ([Range<Int32>], [Range<Int32>]) = ([], [])
        var (firstIDs, secondIDs): ([Int32], [Int32]) = ([], [])
        for (id, range) in ranges.enumerated() {
            // Compares bytes, because Swift treats a # and a combining character after it as one character.
            if range.count > 2, bytes[range.lowerBound] == mark, bytes[range.lowerBound + 1] == mark {
                second.append(Int32(range.lowerBound + 2)..<Int32(range.upperBound))
                secondIDs.append(Int32(id))
            } else {
                first.append(Int32(range.lowerBound)..<Int32(range.upperBound))
                firstIDs.append(Int32(id))
            }
        }
        (initial, continuing) = (PieceTable(bytes, first), PieceTable(bytes, second))
        (initialIDs, continuingIDs) = (firstIDs, secondIDs)
        duplicate =
            initial.duplicate.map { (Int(firstIDs[$0.first]), Int(firstIDs[$0.second])) }
            ?? continuing.duplicate.map { (Int(secondIDs[$0.first]), Int(secondIDs[$0.second])) }
    }

    /// Returns the id of a piece that starts a word, such as `[CLS]`, or `nil` if the vocabulary does not
    /// contain it.
    func id(of piece: String) -> Int32? { initial.index(of: piece).map { initialIDs[$0] } }

    /// Returns the longest piece that begins at the given offset of a word, as the greedy WordPiece algorithm
    /// requires.
    ///
    /// - Returns: `nil` if no piece matches.
    func longestPiece(_ word: UnsafeBufferPointer<UInt8>, from start: Int) -> (id: Int32, end: Int)? {
        var best: (id: Int32, end: Int)?
        let (table, ids) = start == 0 ? (initial, initialIDs) : (continuing, continuingIDs)
        table.forEachPrefix(of: word, from: start) { best = (ids[$0], $1) }
        return best
    }
}
