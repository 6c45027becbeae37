import Foundation
import RoostModel
import RoostText

/// The hash tables of a WordPiece vocabulary: one for the pieces that start a word, and one for those that
/// continue it, which are marked with `##` in the file and stored without it.
struct WordPieceVocabulary: Sendable {
    private struct Table: Sendable {
        /// A hash table of indices into `pieces`, with open addressing; -1 marks a free slot. The number of
        /// slots is a power of two.
        var slots: [Int32] = []
        /// The offset and length of each piece in `bytes`, and its id.
        var pieces: [(start: Int32, count: Int32, id: Int32)] = []
        var maximumLength = 0
    }

    /// The UTF-8 bytes of all pieces.
    private let bytes: [UInt8]
    private var initial = Table()
    private var continuing = Table()
    let count: Int
    /// The ids of two identical pieces; `nil` if all pieces are distinct.
    private(set) var duplicate: (first: Int, second: Int)?

    /// Creates a vocabulary.
    ///
    /// - Parameter pieces: The pieces in the order of their ids, starting at 0.
    init(_ pieces: [String]) {
        var bytes: [UInt8] = []
        let ranges = pieces.map { piece in
            let start = bytes.count
            bytes += piece.utf8
            return start..<bytes.count
        }
        self.init(bytes, ranges)
    }

    /// Creates a vocabulary from a buffer that contains all pieces.
    ///
    /// Every command that embeds a text creates the vocabulary of its model, so no string is made of a piece.
    ///
    /// - Parameters:
    ///   - bytes: The UTF-8 bytes of the pieces, at most 2 GB. Bytes that belong to no piece are ignored.
    ///   - ranges: The range of each piece in `bytes`, in the order of their ids, starting at 0.
    /// - Complexity: O(bytes).
    init(_ bytes: [UInt8], _ ranges: [Range<Int>]) {
        self.bytes = bytes
        count = ranges.count
        let mark = UInt8(ascii: "#")
        for (id, range) in ranges.enumerated() {
            // Compares bytes, because Swift treats a # and a combining character after it as one character.
            let continues =
                range.count > 2 && bytes[range.lowerBound] == mark && bytes[range.lowerBound + 1] == mark
            let start = range.lowerBound + (continues ? 2 : 0)
            let piece = (start: Int32(start), count: Int32(range.upperBound - start), id: Int32(id))
            if continues { continuing.pieces.append(piece) } else { initial.pieces.append(piece) }
        }
        // Uses local copies of the tables, because `build` reads `bytes` while it modifies a table.
        var (first, second) = (initial, continuing)
        build(&first)
        build(&second)
        (initial, continuing) = (first, second)
    }

    private mutating func build(_ table: inout Table) {
        var capacity = 16
        while capacity < 2 * table.pieces.count { capacity *= 2 }
        table.slots = Array(repeating: -1, count: capacity)
        for (index, piece) in table.pieces.enumerated() {
            table.maximumLength = max(table.maximumLength, Int(piece.count))
            var hash = FNV1a.offsetBasis
            for offset in Int(piece.start)..<Int(piece.start + piece.count) {
                hash = FNV1a.appending(bytes[offset], to: hash)
            }
            var slot = Self.slot(hash, capacity)
            while table.slots[slot] >= 0 {
                let other = table.pieces[Int(table.slots[slot])]
                if other.count == piece.count, isSame(other.start, piece.start, Int(piece.count)) {
                    duplicate = duplicate ?? (Int(other.id), Int(piece.id))
                }
                slot = (slot + 1) & (capacity - 1)
            }
            table.slots[slot] = Int32(index)
        }
    }

    private func isSame(_ a: Int32, _ b: Int32, _ count: Int) -> Bool {
        for offset in 0..<count where bytes[Int(a) + offset] != bytes[Int(b) + offset] { return false }
        return true
    }

    /// Returns the id of a piece that starts a word, such as `[CLS]`, or `nil` if the vocabulary does not
    /// contain it.
    func id(of piece: String) -> Int32? {
        var word = Array(piece.utf8)
        return word.withUnsafeMutableBufferPointer { longestPiece(UnsafeBufferPointer($0), from: 0) }
            .flatMap { $0.end == word.count ? $0.id : nil }
    }

    /// Returns the text of a piece, and whether it continues a word; `nil` if no piece has the id.
    ///
    /// - Complexity: O(log n), where n is the number of pieces.
    func piece(_ id: Int) -> (text: ArraySlice<UInt8>, continues: Bool)? {
        for (table, continues) in [(initial, false), (continuing, true)] {
            // The pieces of a table have ascending ids.
            let index = table.pieces.partitioningIndex { Int($0.id) >= id }
            guard index < table.pieces.count, Int(table.pieces[index].id) == id else { continue }
            let piece = table.pieces[index]
            return (bytes[Int(piece.start)..<Int(piece.start + piece.count)], continues)
        }
        return nil
    }

    /// Returns the longest piece that begins at the given offset of a word, as the greedy WordPiece algorithm
    /// requires.
    ///
    /// - Returns: `nil` if no piece matches.
    func longestPiece(_ word: UnsafeBufferPointer<UInt8>, from start: Int) -> (id: Int32, end: Int)? {
        let table = start == 0 ? initial : continuing
        let limit = min(word.count, start + table.maximumLength)
        let capacity = table.slots.count
        var best: (id: Int32, end: Int)?
        var hash = FNV1a.offsetBasis
        var end = start
        while end < limit {
            hash = FNV1a.appending(word[end], to: hash)
            end += 1
            var slot = Self.slot(hash, capacity)
            while table.slots[slot] >= 0 {
                let piece = table.pieces[Int(table.slots[slot])]
                if Int(piece.count) == end - start, matches(piece.start, word, start, end) {
                    best = (piece.id, end)
                    break
                }
                slot = (slot + 1) & (capacity - 1)
            }
        }
        return best
    }

    private func matches(_ piece: Int32, _ word: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Bool
    {
        for offset in 0..<(end - start) where bytes[Int(piece) + offset] != word[start + offset] {
            return false
        }
        return true
    }

    @inline(__always)
    private static func slot(_ hash: UInt64, _ capacity: Int) -> Int {
        Int(truncatingIfNeeded: hash ^ (hash >> 32)) & (capacity - 1)
    }
}
