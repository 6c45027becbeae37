/// Makes an ``InvertedIndex`` of texts that come one after another.
///
/// - Complexity: O(length of a text) for each; memory about three bytes a word and one table of distinct
///   words.
public struct InvertedIndexBuilder: Sendable {
    /// What is known of a term so far.
    private struct List: Sendable {
        var postings: [UInt8] = []
        var positions: [UInt8] = []
        var documents: UInt32 = 0
        /// The document that was added last, plus 1.
        var last: UInt32 = 0
        /// How often it was in the text that is being read, and where last, plus 1.
        var occurrences: UInt32 = 0
        var position: UInt32 = 0
    }

    /// Words as they stand in texts, so that each is folded and stemmed once only.
    private var spellings = ByteStringTable()
    /// The term of each spelling; none where it is too long.
    private var termOfSpelling: [UInt32?] = []
    private var words = ByteStringTable()
    private var termOfWord: [UInt32] = []
    private var terms = ByteStringTable()
    private var lists: [List] = []
    private var lengths: [UInt32] = []

    public init() {}

    public var documentCount: Int { lengths.count }

    /// Adds the next text.
    public mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(utf8: $0) }
    }

    private mutating func add(utf8: UnsafeBufferPointer<UInt8>) {
        var scanner = WordScanner()
        var found: [UInt32] = []
        var position: UInt32 = 0
        while let range = scanner.next(in: utf8) {
            position += 1
            let (spelling, isNew) = spellings.insert(UnsafeBufferPointer(rebasing: utf8[range]))
            if isNew { termOfSpelling.append(term(Slice(base: utf8, bounds: range))) }
            guard let term = termOfSpelling[spelling] else { continue }
            let index = Int(term)
            if lists[index].occurrences == 0 {
                found.append(term)
                lists[index].position = 0
            }
            lists[index].occurrences += 1
            VariableLength.append(UInt64(position - lists[index].position), to: &lists[index].positions)
            lists[index].position = position
        }
        let document = UInt32(lengths.count)
        for term in found {
            let index = Int(term)
            let occurrences = lists[index].occurrences
            let gap = UInt64(document + 1 - lists[index].last)
            VariableLength.append(gap << 1 | (occurrences > 1 ? 1 : 0), to: &lists[index].postings)
            if occurrences > 1 { VariableLength.append(UInt64(occurrences), to: &lists[index].postings) }
            lists[index].last = document + 1
            lists[index].documents += 1
            lists[index].occurrences = 0
        }
        lengths.append(position)
    }

    private mutating func term(_ spelling: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        guard let term = Term(spelling) else { return nil }
        let number = term.stem.withUnsafeBufferPointer { terms.insert($0) }
        if number.isNew { lists.append(List()) }
        let word = term.word.withUnsafeBufferPointer { words.insert($0) }
        if word.isNew { termOfWord.append(UInt32(number.number)) }
        return UInt32(number.number)
    }

    /// The index of all texts that were added.
    public func finish() -> InvertedIndex {
        let order = (0..<terms.count).sorted { terms[$0].lexicographicallyPrecedes(terms[$1]) }
        var rank = [UInt32](repeating: 0, count: order.count)
        for (place, term) in order.enumerated() { rank[term] = UInt32(place) }
        var parts = InvertedIndex.Parts()
        for term in order {
            parts.terms += terms[term]
            parts.termEnds.append(UInt64(parts.terms.count))
            parts.frequencies.append(lists[term].documents)
            parts.postings += lists[term].postings
            parts.postingEnds.append(UInt64(parts.postings.count))
            parts.positions += lists[term].positions
            parts.positionEnds.append(UInt64(parts.positions.count))
        }
        for word in (0..<words.count).sorted(by: { words[$0].lexicographicallyPrecedes(words[$1]) }) {
            parts.words += words[word]
            parts.wordEnds.append(UInt64(parts.words.count))
            parts.wordTerms.append(rank[Int(termOfWord[word])])
        }
        parts.lengths = lengths
        return InvertedIndex(parts)
    }
}

/// Whole numbers in as few bytes as they need: seven bits a byte, the lowest first, the eighth bit where more
/// follow (LEB128).
enum VariableLength {
    @inline(__always)
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// - Returns: `nil` at the end.
    @inline(__always)
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> UInt64? {
        guard place < bytes.count else { return nil }
        let first = bytes[place]
        place += 1
        if first < 0x80 { return UInt64(first) }
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while place < bytes.count, shift < 64 {
            let byte = bytes[place]
            place += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
