/// A positional inverted index. For each term, it stores which documents contain the term, how often, and at
/// which positions.
///
/// Documents are texts, numbered from 0 in the order in which they were added. The index is immutable and is
/// stored in memory or in a mapped file. Reads are bounds-checked: a corrupt file can cause wrong results,
/// but no access outside of its bytes.
///
/// The conformance to `Sendable` is unchecked because the compiler cannot verify that the bytes are never
/// written and that the stored owner keeps them alive.
package struct InvertedIndex: @unchecked Sendable {
    struct Parts: Sendable {
        /// The bytes of all terms in sorted order, and the end offset of each.
        var (terms, termEnds) = ([UInt8](), [UInt64]())
        /// For each term, the number of documents that contain it in any field.
        var frequencies: [UInt32] = []
        /// For each term, the documents whose body contains it, as variable-length integers: twice the
        /// difference from the previous document number (-1 before the first), plus 1 if the term occurs more
        /// than once, in which case the number of occurrences follows.
        var (postings, postingEnds) = ([UInt8](), [UInt64]())
        /// For each term and each of its documents, the positions of the term, counted in words from 1 and
        /// stored as differences.
        var (positions, positionEnds) = ([UInt8](), [UInt64]())
        /// For each term, the documents in which other fields than the body contain it: twice the difference
        /// from the previous document number (-1 before the first), plus 1 if the body does not contain the
        /// term, followed by the occurrences (`FieldOccurrence`) in ascending order: twice the difference
        /// from the previous one, plus 1 for the last.
        var (fieldPostings, fieldPostingEnds) = ([UInt8](), [UInt64]())
        /// The unstemmed words in sorted order, and the number of the term to which each word belongs.
        var (words, wordEnds, wordTerms) = ([UInt8](), [UInt64](), [UInt32]())
        /// For each word, its documents in the encoding of `postings`. Empty if the word is the only form of
        /// its term, because the postings of the term are the same.
        var (wordPostings, wordPostingEnds) = ([UInt8](), [UInt64]())
        /// For each word, the documents in which other fields than the body contain it: the difference from
        /// the previous document number (-1 before the first), and a byte with the bits of the fields
        /// (`TextFieldSet`). Empty if the word is the only form of its term.
        var (wordFieldPostings, wordFieldPostingEnds) = ([UInt8](), [UInt64]())
        var lengths: [UInt32] = []
        /// For each language, by its raw value, the number of documents with words in it.
        var languages: [UInt32] = []
    }

    /// Byte strings stored one after another, in sorted order.
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
    let fieldPostings: Dictionary
    let wordFieldPostings: Dictionary
    let lengths: UnsafeBufferPointer<UInt32>
    let languages: Set<TextLanguage>
    package let length: Int
    private let bytes: [UnsafeRawBufferPointer]

    package var documentCount: Int { lengths.count }
    package var termCount: Int { frequencies.count }
    /// The number of distinct words, including identifiers and all inflected forms.
    package var formCount: Int { wordTerms.count }

    package static let sections = [
        "terms", "termEnds", "frequencies", "postings", "postingEnds", "positions", "positionEnds", "words",
        "wordEnds", "wordTerms", "wordPostings", "wordPostingEnds", "lengths", "languages", "fieldPostings",
        "fieldPostingEnds", "wordFieldPostings", "wordFieldPostingEnds",
    ]

    package struct Malformed: Error {}

    /// Creates an index over existing bytes, without copying them.
    ///
    /// - Parameters:
    ///   - owner: The object that keeps the bytes alive.
    ///   - section: Returns the bytes of a section, aligned to 8 bytes.
    /// - Throws: ``Malformed``; the errors of `section`.
    package init(owner: any Sendable, section: (String) throws -> UnsafeRawBufferPointer) throws {
        var sections: [String: UnsafeRawBufferPointer] = [:]
        for name in Self.sections { sections[name] = try section(name) }
        bytes = Self.sections.compactMap { sections[$0] }
        func numbers<Number>(_ name: String, _ type: Number.Type) throws -> UnsafeBufferPointer<Number> {
            guard let bytes = sections[name], bytes.count % MemoryLayout<Number>.stride == 0 else {
                throw Malformed()
            }
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
        fieldPostings = try dictionary("fieldPostings", "fieldPostingEnds")
        wordFieldPostings = try dictionary("wordFieldPostings", "wordFieldPostingEnds")
        lengths = try numbers("lengths", UInt32.self)
        let counts = try numbers("languages", UInt32.self)
        languages = Set(
            TextLanguage.allCases.filter { counts.count > $0.rawValue && counts[Int($0.rawValue)] > 0 })
        let count = terms.ends.count
        guard frequencies.count == count, postings.ends.count == count, positions.ends.count == count,
            fieldPostings.ends.count == count, wordTerms.count == words.ends.count,
            wordPostings.ends.count == words.ends.count,
            wordFieldPostings.ends.count == words.ends.count
        else { throw Malformed() }
        length = lengths.reduce(0) { $0 + Int(UInt32(littleEndian: $1)) }
    }

    init(_ parts: Parts) throws {
        let memory = Memory()
        func keep<Number: FixedWidthInteger & BitwiseCopyable>(_ numbers: [Number]) -> UnsafeRawBufferPointer
        {
            numbers.map(\.littleEndian).withUnsafeBytes { memory.copy($0) }
        }
        let sections = [
            "terms": keep(parts.terms), "termEnds": keep(parts.termEnds),
            "frequencies": keep(parts.frequencies), "postings": keep(parts.postings),
            "postingEnds": keep(parts.postingEnds), "positions": keep(parts.positions),
            "positionEnds": keep(parts.positionEnds), "words": keep(parts.words),
            "wordEnds": keep(parts.wordEnds), "wordTerms": keep(parts.wordTerms),
            "wordPostings": keep(parts.wordPostings), "wordPostingEnds": keep(parts.wordPostingEnds),
            "lengths": keep(parts.lengths), "languages": keep(parts.languages),
            "fieldPostings": keep(parts.fieldPostings), "fieldPostingEnds": keep(parts.fieldPostingEnds),
            "wordFieldPostings": keep(parts.wordFieldPostings),
            "wordFieldPostingEnds": keep(parts.wordFieldPostingEnds),
        ]
        try self.init(owner: memory) { name in
            guard let section = sections[name] else { throw Malformed() }
            return section
        }
    }

    package func withSections<Result>(
        _ body: ([(name: String, bytes: UnsafeRawBufferPointer)]) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(owner) {
            try body(zip(Self.sections, bytes).map { (name: $0, bytes: $1) })
        }
    }

    /// Calls `body`, which may read the bytes, and keeps their owner alive until it returns.
    func reading<Result>(_ body: () throws -> Result) rethrows -> Result {
        try withExtendedLifetime(owner, body)
    }

    /// The bytes of an index in memory. The conformance to `Sendable` is unchecked because the compiler
    /// cannot verify that blocks are added only during initialization.
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

    /// The bytes of the string with the given number; empty if its end offsets are invalid.
    subscript(number: Int) -> UnsafeBufferPointer<UInt8> {
        let start = number == 0 ? 0 : UInt64(littleEndian: ends[number - 1])
        let end = UInt64(littleEndian: ends[number])
        guard start <= end, end <= bytes.count else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(rebasing: bytes[Int(start)..<Int(end)])
    }

    func firstIndex(notBefore string: [UInt8]) -> Int {
        (0..<count).partitioningIndex { !self[$0].lexicographicallyPrecedes(string) }
    }

    func index(of string: [UInt8]) -> Int? {
        let index = firstIndex(notBefore: string)
        return index < count && self[index].elementsEqual(string) ? index : nil
    }

    func indices(beginningWith prefix: [UInt8]) -> Range<Int> {
        let start = firstIndex(notBefore: prefix)
        return start..<(start..<count).partitioningIndex { !self[$0].starts(with: prefix) }
    }
}

extension InvertedIndex {
    /// Calls `body` for each document that contains a term, in ascending order.
    ///
    /// - Parameter body: Receives the document number and the number of occurrences.
    @inline(__always)
    func forEachPosting(of term: Int, _ body: (_ document: Int, _ occurrences: Int) -> Void) {
        forEachPosting(in: postings[term], body)
    }

    /// The encoding of a list without documents, which differs from a list that is not stored.
    static let noPostings: [UInt8] = [0]

    /// Calls `body` for each document that contains an unstemmed word, in ascending order.
    func forEachPosting(ofWord word: Int, _ body: (_ document: Int, _ occurrences: Int) -> Void) {
        let separate = wordPostings[word]
        let term = Int(UInt32(littleEndian: wordTerms[word]))
        forEachPosting(in: separate.isEmpty && term < termCount ? postings[term] : separate, body)
    }

    @inline(__always)
    private func forEachPosting(
        in bytes: UnsafeBufferPointer<UInt8>, _ body: (_ document: Int, _ occurrences: Int) -> Void
    ) {
        // The limits on decoded values prevent overflow if the file is corrupt.
        var (offset, document) = (0, -1)
        while let value = VariableLength.read(bytes, &offset) {
            var occurrences = 1
            if value & 1 == 1 {
                guard let stored = VariableLength.read(bytes, &offset) else { return }
                occurrences = Int(truncatingIfNeeded: min(stored, 1 << 31))
            }
            document += Int(truncatingIfNeeded: min(value >> 1, 1 << 40))
            guard document >= 0, document < lengths.count else { return }
            body(document, occurrences)
        }
    }
}
