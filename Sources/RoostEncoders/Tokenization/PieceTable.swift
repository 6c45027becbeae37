import RoostText

/// The pieces of a vocabulary in a hash table. Every command that embeds a text creates the vocabulary of its
/// model, so no string is made of a piece.
struct PieceTable: Sendable {
    /// The UTF-8 bytes of all pieces, at most 2 GB.
    private let bytes: [UInt8]
    let pieces: [Range<Int32>]
    /// Indices into `pieces` with open addressing; -1 marks a free slot. The number of slots is a power of two.
    private let slots: [Int32]
    private let maximumLength: Int
    /// The indices of two identical pieces; `nil` if all pieces are distinct.
    let duplicate: (first: Int, second: Int)?

    /// Creates a table. Of identical pieces, the last is found; empty pieces are not found.
    init(_ bytes: [UInt8], _ pieces: [Range<Int32>]) {
        (self.bytes, self.pieces) = (bytes, pieces)
        maximumLength = pieces.reduce(0) { max($0, $1.count) }
        var capacity = 16
        while capacity < 2 * pieces.count { capacity *= 2 }
        var slots = [Int32](repeating: -1, count: capacity)
        var duplicate: (first: Int, second: Int)?
        bytes.withUnsafeBufferPointer { bytes in
            pieces.withUnsafeBufferPointer { pieces in
                slots.withUnsafeMutableBufferPointer { slots in
                    for index in pieces.indices where !pieces[index].isEmpty {
                        let piece = Int(pieces[index].lowerBound)..<Int(pieces[index].upperBound)
                        let text = UnsafeBufferPointer(rebasing: bytes[piece])
                        let found = Self.slot(
                            of: text, FNV1a.hash(of: text), UnsafeBufferPointer(slots), pieces, bytes)
                        if let other = found.index, duplicate == nil { duplicate = (other, index) }
                        slots[found.slot] = Int32(index)
                    }
                }
            }
        }
        (self.slots, self.duplicate) = (slots, duplicate)
    }

    func index(of piece: String) -> Int? {
        var piece = piece
        return piece.withUTF8 { index(of: $0, FNV1a.hash(of: $0)) }
    }

    /// Calls a function for each piece that begins at an offset of a text, the shortest first.
    @inline(__always)
    func forEachPrefix(
        of text: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (_ index: Int, _ end: Int) -> Void
    ) {
        let limit = min(text.count, start + maximumLength)
        var hash = FNV1a.offsetBasis
        var end = start
        while end < limit {
            hash = FNV1a.appending(text[end], to: hash)
            end += 1
            // Pieces end at characters.
            if end < text.count, text[end] & 0xC0 == 0x80 { continue }
            if let index = index(of: UnsafeBufferPointer(rebasing: text[start..<end]), hash) {
                body(index, end)
            }
        }
    }

    private func index(of text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            pieces.withUnsafeBufferPointer { pieces in
                slots.withUnsafeBufferPointer { Self.slot(of: text, hash, $0, pieces, bytes).index }
            }
        }
    }

    /// Returns the slot of a text, and its index; if the table does not contain the text, the free slot for it.
    @inline(__always)
    private static func slot(
        of text: UnsafeBufferPointer<UInt8>, _ hash: UInt64, _ slots: UnsafeBufferPointer<Int32>,
        _ pieces: UnsafeBufferPointer<Range<Int32>>, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> (slot: Int, index: Int?) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash ^ (hash >> 32)) & mask
        while slots[slot] >= 0 {
            let (index, start) = (Int(slots[slot]), Int(pieces[Int(slots[slot])].lowerBound))
            if pieces[index].count == text.count, text.indices.allSatisfy({ bytes[start + $0] == text[$0] }) {
                return (slot, index)
            }
            slot = (slot + 1) & mask
        }
        return (slot, nil)
    }
}

/// The pieces of a SentencePiece vocabulary with their scores, which are the logarithms of their probabilities.
struct UnigramVocabulary: Sendable {
    private let table: PieceTable
    private let scores: [Double]
    let minimumScore: Double

    var count: Int { scores.count }

    init(bytes: [UInt8], pieces: [Range<Int32>], scores: [Double]) {
        table = PieceTable(bytes, pieces)
        self.scores = scores
        minimumScore = scores.min() ?? 0
    }

    func id(of piece: String) -> Int32? { table.index(of: piece).map(Int32.init) }

    /// Calls a function for each piece that begins at an offset of a text, the shortest first.
    @inline(__always)
    func forEachPrefix(
        of text: UnsafeBufferPointer<UInt8>, from start: Int, _ body: (Int32, Int, Double) -> Void
    ) {
        table.forEachPrefix(of: text, from: start) { body(Int32($0), $1 - start, scores[$0]) }
    }
}
