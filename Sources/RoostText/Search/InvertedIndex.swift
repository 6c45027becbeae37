/// Which texts have which words, how often and where: what searching for words reads. Texts are numbered from
/// 0 in the order in which they were added.
///
/// Immutable; it lies in memory, or in a mapped file. What a file holds is looked at within its bounds only,
/// so that one that is not as it was written gives wrong answers at worst.
///
/// Unchecked because the compiler cannot see that the bytes are never written and live as long as their
/// owner, which is kept with them.
public struct InvertedIndex: @unchecked Sendable {
    /// The arrays that an index consists of.
    struct Parts: Sendable {
        /// Terms, sorted by their bytes, and where each ends.
        var (terms, termEnds) = ([UInt8](), [UInt64]())
        /// Of each term, how many texts have it.
        var frequencies: [UInt32] = []
        /// Of each term its texts: how many numbers further than the last (the first one's number plus 1)
        /// times two, plus 1 where it has the term more than once; then follows how often.
        var (postings, postingEnds) = ([UInt8](), [UInt64]())
        /// Of each term, for each of its texts, where it stands, in words from 1: each as the distance from
        /// the one before.
        var (positions, positionEnds) = ([UInt8](), [UInt64]())
        /// Words as they are written, sorted, and the term of each.
        var (words, wordEnds, wordTerms) = ([UInt8](), [UInt64](), [UInt32]())
        /// Of each word its texts, as those of a term; none where the word is the only form of its term,
        /// whose texts are the same.
        var (wordPostings, wordPostingEnds) = ([UInt8](), [UInt64]())
        /// Of each text, how many words it has.
        var lengths: [UInt32] = []
    }

    /// Byte strings behind each other, sorted.
    struct Dictionary {
        let bytes: UnsafeBufferPointer<UInt8>
        let ends: UnsafeBufferPointer<UInt64>
    }

    private let owner: any Sendable
    let terms: Dictionary
    let words: Dictionary
    let wordTerms: UnsafeBufferPointer<UInt32>
    let wordPostings: Dictionary
    let frequencies: UnsafeBufferPointer<UInt32>
    let postings: Dictionary
    let positions: Dictionary
    let lengths: UnsafeBufferPointer<UInt32>
    /// How many words all texts have.
    public let length: Int

    public var documentCount: Int { lengths.count }
    public var termCount: Int { frequencies.count }

    /// The names of the sections, in the order in which they are written.
    public static let sections = [
        "terms", "termEnds", "frequencies", "postings", "postingEnds", "positions", "positionEnds", "words",
        "wordEnds", "wordTerms", "wordPostings", "wordPostingEnds", "lengths",
    ]

    /// Why bytes are no index.
    public struct Malformed: Error {}

    /// An index over bytes of somebody else's.
    ///
    /// - Parameters:
    ///   - owner: what keeps the bytes.
    ///   - section: the bytes of a section, aligned to 8.
    /// - Throws: ``Malformed`` where sections do not fit each other; what `section` throws.
    public init(owner: any Sendable, section: (String) throws -> UnsafeRawBufferPointer) throws {
        func numbers<Number>(_ name: String, _ type: Number.Type) throws -> UnsafeBufferPointer<Number> {
            let bytes = try section(name)
            guard bytes.count % MemoryLayout<Number>.stride == 0 else { throw Malformed() }
            return bytes.bindMemory(to: type)
        }
        func dictionary(_ name: String, _ ends: String) throws -> Dictionary {
            Dictionary(bytes: try numbers(name, UInt8.self), ends: try numbers(ends, UInt64.self))
        }
        self.owner = owner
        terms = try dictionary("terms", "termEnds")
        words = try dictionary("words", "wordEnds")
        wordTerms = try numbers("wordTerms", UInt32.self)
        wordPostings = try dictionary("wordPostings", "wordPostingEnds")
        frequencies = try numbers("frequencies", UInt32.self)
        postings = try dictionary("postings", "postingEnds")
        positions = try dictionary("positions", "positionEnds")
        lengths = try numbers("lengths", UInt32.self)
        let count = terms.ends.count
        guard frequencies.count == count, postings.ends.count == count, positions.ends.count == count,
            wordTerms.count == words.ends.count, wordPostings.ends.count == words.ends.count
        else { throw Malformed() }
        length = lengths.reduce(0) { $0 + Int(UInt32(littleEndian: $1)) }
    }

    /// An index in memory of its own.
    init(_ parts: Parts) {
        let memory = Memory()
        func keep<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
            elements.withUnsafeBytes { memory.copy($0).bindMemory(to: Element.self) }
        }
        terms = Dictionary(bytes: keep(parts.terms), ends: keep(parts.termEnds.map(\.littleEndian)))
        words = Dictionary(bytes: keep(parts.words), ends: keep(parts.wordEnds.map(\.littleEndian)))
        wordTerms = keep(parts.wordTerms.map(\.littleEndian))
        wordPostings = Dictionary(
            bytes: keep(parts.wordPostings), ends: keep(parts.wordPostingEnds.map(\.littleEndian)))
        frequencies = keep(parts.frequencies.map(\.littleEndian))
        postings = Dictionary(bytes: keep(parts.postings), ends: keep(parts.postingEnds.map(\.littleEndian)))
        positions = Dictionary(
            bytes: keep(parts.positions), ends: keep(parts.positionEnds.map(\.littleEndian)))
        lengths = keep(parts.lengths.map(\.littleEndian))
        length = parts.lengths.reduce(0) { $0 + Int($1) }
        owner = memory
    }

    /// The sections with their names, to be written.
    public func withSections<Result>(
        _ body: ([(name: String, bytes: UnsafeRawBufferPointer)]) throws -> Result
    ) rethrows -> Result {
        let bytes: [UnsafeRawBufferPointer] = [
            UnsafeRawBufferPointer(terms.bytes), UnsafeRawBufferPointer(terms.ends),
            UnsafeRawBufferPointer(frequencies), UnsafeRawBufferPointer(postings.bytes),
            UnsafeRawBufferPointer(postings.ends), UnsafeRawBufferPointer(positions.bytes),
            UnsafeRawBufferPointer(positions.ends), UnsafeRawBufferPointer(words.bytes),
            UnsafeRawBufferPointer(words.ends), UnsafeRawBufferPointer(wordTerms),
            UnsafeRawBufferPointer(wordPostings.bytes), UnsafeRawBufferPointer(wordPostings.ends),
            UnsafeRawBufferPointer(lengths),
        ]
        return try withExtendedLifetime(owner) {
            try body(zip(Self.sections, bytes).map { (name: $0, bytes: $1) })
        }
    }

    /// Runs a body that reads the bytes.
    func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner, body)
    }

    /// Unchecked because the compiler cannot see that blocks are added only while an index is made.
    private final class Memory: @unchecked Sendable {
        private var blocks: [UnsafeMutableRawBufferPointer] = []

        func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
            block.copyMemory(from: bytes)
            blocks.append(block)
            return UnsafeRawBufferPointer(block)
        }

        deinit { for block in blocks { block.deallocate() } }
    }
}

extension InvertedIndex.Dictionary {
    var count: Int { ends.count }

    /// The bytes of one; none where the ends are not as they were written.
    subscript(number: Int) -> UnsafeBufferPointer<UInt8> {
        let start = number == 0 ? 0 : UInt64(littleEndian: ends[number - 1])
        let end = UInt64(littleEndian: ends[number])
        guard start <= end, end <= bytes.count else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
    }

    /// The first that is not before a string.
    ///
    /// - Complexity: O(log count).
    func firstIndex(notBefore string: [UInt8]) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lexicographicallyPrecedes(string) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func index(of string: [UInt8]) -> Int? {
        let index = firstIndex(notBefore: string)
        return index < count && self[index].elementsEqual(string) ? index : nil
    }

    /// Those that begin with a string.
    func indices(beginningWith prefix: [UInt8]) -> Range<Int> {
        let start = firstIndex(notBefore: prefix)
        var (low, high) = (start, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].starts(with: prefix) { low = middle + 1 } else { high = middle }
        }
        return start..<low
    }
}

extension InvertedIndex {
    /// Goes through the texts that have a term.
    ///
    /// - Parameter body: is given the text's number and how often it has the term.
    /// - Complexity: O(texts that have it).
    @inline(__always)
    func forEachPosting(of term: Int, _ body: (_ document: Int, _ occurrences: Int) -> Void) {
        forEachPosting(in: postings[term], body)
    }

    /// Goes through the texts that have a word as it is written.
    func forEachPosting(ofWord word: Int, _ body: (_ document: Int, _ occurrences: Int) -> Void) {
        let own = wordPostings[word]
        let term = Int(UInt32(littleEndian: wordTerms[word]))
        forEachPosting(in: own.isEmpty && term < termCount ? postings[term] : own, body)
    }

    @inline(__always)
    private func forEachPosting(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (_ document: Int, _ occurrences: Int) -> Void
    ) {
        var (place, document) = (0, -1)
        while let value = VariableLength.read(bytes, &place) {
            var occurrences = 1
            if value & 1 == 1 {
                guard let many = VariableLength.read(bytes, &place) else { return }
                occurrences = Int(truncatingIfNeeded: min(many, 1 << 31))
            }
            document += Int(truncatingIfNeeded: min(value >> 1, 1 << 40))
            guard document >= 0, document < lengths.count else { return }
            body(document, occurrences)
        }
    }

    /// Goes through the texts that have a term, and where it stands in some of them.
    ///
    /// - Parameters:
    ///   - isWanted: whether it is asked where the term stands in a text.
    ///   - body: is given the text's number and where the term stands, in words from 1.
    func forEachOccurrence(
        of term: Int, where isWanted: (Int) -> Bool, _ body: (_ document: Int, _ positions: [UInt32]) -> Void
    ) {
        let bytes = positions[term]
        var place = 0
        var found: [UInt32] = []
        forEachPosting(of: term) { document, occurrences in
            guard isWanted(document) else {
                var rest = occurrences
                while rest > 0, place < bytes.count {
                    if bytes[place] < 0x80 { rest -= 1 }
                    place += 1
                }
                return
            }
            found.removeAll(keepingCapacity: true)
            var position: UInt32 = 0
            for _ in 0..<occurrences {
                guard let gap = VariableLength.read(bytes, &place) else { break }
                position &+= UInt32(truncatingIfNeeded: gap)
                found.append(position)
            }
            body(document, found)
        }
    }
}
