import RoostText

/// The pieces of a SentencePiece vocabulary with their scores, in a hash table.
struct UnigramVocabulary: Sendable {
    struct Piece: Sendable {
        /// The range of its UTF-8 in the bytes of all pieces.
        var range: Range<Int32>
        /// The logarithm of its probability.
        var score: Double
    }

    private let bytes: [UInt8]
    /// The pieces in the order of their ids.
    private let pieces: [Piece]
    /// A hash table of ids with open addressing; -1 marks a free slot. The number of slots is a power of two.
    private var slots: [Int32]
    private let maximumLength: Int
    /// The lowest score of a piece.
    let minimumScore: Double

    var count: Int { pieces.count }

    /// Creates a vocabulary.
    ///
    /// Every command that embeds a text creates the vocabulary of its model, so no string is made of a piece.
    ///
    /// - Parameters:
    ///   - bytes: The UTF-8 bytes of the pieces.
    ///   - pieces: The pieces in the order of their ids. Of two pieces with the same text, the last is used.
    /// - Complexity: O(bytes).
    init(bytes: [UInt8], pieces: [Piece]) {
        self.bytes = bytes
        self.pieces = pieces
        minimumScore = pieces.lazy.map(\.score).min() ?? 0
        maximumLength = pieces.reduce(0) { max($0, $1.range.count) }
        var capacity = 16
        while capacity < 2 * pieces.count { capacity *= 2 }
        slots = Array(repeating: -1, count: capacity)
        for (id, piece) in pieces.enumerated() where !piece.range.isEmpty {
            let text = bytes[Int(piece.range.lowerBound)..<Int(piece.range.upperBound)]
            let hash = text.reduce(FNV1a.offsetBasis) { FNV1a.appending($1, to: $0) }
            let index = text.withUnsafeBufferPointer { slot(of: $0, hash).index }
            slots[index] = Int32(id)
        }
    }

    /// Returns the UTF-8 of a piece; `nil` if no piece has the id.
    func text(of id: Int) -> ArraySlice<UInt8>? {
        guard pieces.indices.contains(id) else { return nil }
        return bytes[Int(pieces[id].range.lowerBound)..<Int(pieces[id].range.upperBound)]
    }

    /// Returns the id of a piece; `nil` if the vocabulary does not contain it.
    func id(of piece: String) -> Int32? {
        let text = Array(piece.utf8)
        let hash = text.reduce(FNV1a.offsetBasis) { FNV1a.appending($1, to: $0) }
        return text.withUnsafeBufferPointer { slot(of: $0, hash).id }
    }

    /// Calls a function for each piece with which a text begins, the shortest first.
    ///
    /// - Parameter body: Receives the id, the length in bytes and the score of the piece.
    /// - Complexity: O(length of the longest piece).
    func forEachPrefix(
        of text: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (Int32, Int, Double) -> Void
    ) {
        let limit = min(text.count, start + maximumLength)
        var hash = FNV1a.offsetBasis
        var end = start
        while end < limit {
            hash = FNV1a.appending(text[end], to: hash)
            end += 1
            // Pieces end at characters.
            if end < text.count, text[end] & 0xC0 == 0x80 { continue }
            if let id = slot(of: UnsafeBufferPointer(rebasing: text[start..<end]), hash).id {
                body(id, end - start, pieces[Int(id)].score)
            }
        }
    }

    /// Returns the slot of a text, and its id; if the table does not contain the text, the free slot for it.
    private func slot(of text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> (index: Int, id: Int32?) {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: hash ^ (hash >> 32)) & mask
        while slots[index] >= 0 {
            let id = slots[index]
            if matches(pieces[Int(id)].range, text) { return (index, id) }
            index = (index + 1) & mask
        }
        return (index, nil)
    }

    private func matches(_ range: Range<Int32>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard range.count == text.count else { return false }
        let start = Int(range.lowerBound)
        for offset in text.indices where bytes[start + offset] != text[offset] { return false }
        return true
    }
}
