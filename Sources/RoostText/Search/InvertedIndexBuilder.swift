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

    /// Which texts have a word in one of its forms.
    private struct Form: Sendable {
        var postings: [UInt8] = []
        var last: UInt32 = 0
        var occurrences: UInt32 = 0
        var term: UInt32
    }

    /// Words as they stand in texts, so that each is folded and stemmed once only.
    private var spellings = ByteStringTable()
    /// The form of each spelling.
    private var formOfSpelling: [UInt32] = []
    private var words = ByteStringTable()
    private var forms: [Form] = []
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
        var (found, foundForms) = ([Int](), [Int]())
        var position: UInt32 = 0
        while let range = scanner.next(in: utf8) {
            position += 1
            let (spelling, isNew) = spellings.insert(UnsafeBufferPointer(rebasing: utf8[range]))
            if isNew { formOfSpelling.append(form(Term(utf8[range]))) }
            let form = Int(formOfSpelling[spelling])
            if forms[form].occurrences == 0 { foundForms.append(form) }
            forms[form].occurrences += 1
            let term = Int(forms[form].term)
            if lists[term].occurrences == 0 {
                found.append(term)
                lists[term].position = 0
            }
            lists[term].occurrences += 1
            VariableLength.append(UInt64(position - lists[term].position), to: &lists[term].positions)
            lists[term].position = position
        }
        let document = UInt32(lengths.count)
        for term in found {
            Self.append(document, lists[term].occurrences, after: lists[term].last, to: &lists[term].postings)
            lists[term].last = document + 1
            lists[term].documents += 1
            lists[term].occurrences = 0
        }
        for form in foundForms {
            Self.append(document, forms[form].occurrences, after: forms[form].last, to: &forms[form].postings)
            forms[form].last = document + 1
            forms[form].occurrences = 0
        }
        lengths.append(position)
    }

    private static func append(
        _ document: UInt32, _ occurrences: UInt32, after last: UInt32, to postings: inout [UInt8]
    ) {
        VariableLength.append(UInt64(document + 1 - last) << 1 | (occurrences > 1 ? 1 : 0), to: &postings)
        if occurrences > 1 { VariableLength.append(UInt64(occurrences), to: &postings) }
    }

    private mutating func form(_ term: Term) -> UInt32 {
        let number = term.stem.withUnsafeBufferPointer { terms.insert($0) }
        if number.isNew { lists.append(List()) }
        let word = term.word.withUnsafeBufferPointer { words.insert($0) }
        if word.isNew { forms.append(Form(term: UInt32(number.number))) }
        return UInt32(word.number)
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
        var formCounts = [Int](repeating: 0, count: terms.count)
        for form in forms { formCounts[Int(form.term)] += 1 }
        for word in (0..<words.count).sorted(by: { words[$0].lexicographicallyPrecedes(words[$1]) }) {
            parts.words += words[word]
            parts.wordEnds.append(UInt64(parts.words.count))
            let term = Int(forms[word].term)
            parts.wordTerms.append(rank[term])
            // Of the only form, the postings are the term's.
            if formCounts[term] > 1 { parts.wordPostings += forms[word].postings }
            parts.wordPostingEnds.append(UInt64(parts.wordPostings.count))
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
