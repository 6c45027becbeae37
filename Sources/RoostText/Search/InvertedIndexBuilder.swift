/// Builds an ``InvertedIndex`` from texts that are added one after another.
///
/// Uses about three bytes of memory per word, plus a table of the distinct words.
package struct InvertedIndexBuilder: Sendable {
    /// The postings of a term in the texts added so far.
    private struct List: Sendable {
        var postings: [UInt8] = []
        var positions: [UInt8] = []
        /// The number of documents in `postings`.
        var documents: UInt32 = 0
        /// The number of the last document in `postings`, plus 1; 0 if `postings` is empty.
        var last: UInt32 = 0
        /// The number of occurrences in the current text.
        var occurrences: UInt32 = 0
        /// The position of the last occurrence in the current text, counted from 1; 0 if there is none yet.
        var position: UInt32 = 0
    }

    /// The postings of an unstemmed word in the texts added so far. The fields have the same meaning as in
    /// `List`.
    private struct Form: Sendable {
        var postings: [UInt8] = []
        var last: UInt32 = 0
        var occurrences: UInt32 = 0
        var term: UInt32
    }

    /// The words exactly as the texts spell them, so that each is folded and stemmed only once.
    private var spellings = ByteStringTable()
    /// The index in `forms` of each spelling.
    private var formOfSpelling: [UInt32] = []
    private var words = ByteStringTable()
    private var forms: [Form] = []
    private var terms = ByteStringTable()
    private var lists: [List] = []
    private var lengths: [UInt32] = []

    package init() {}

    /// The number of texts that have been added.
    package var documentCount: Int { lengths.count }

    /// Adds a text. Its document number is the number of texts added before it.
    ///
    /// - Complexity: O(length of text).
    package mutating func add(_ text: String) {
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

    /// Returns the index in `forms` of a word, adding the word and its term if they are new.
    private mutating func form(_ term: Term) -> UInt32 {
        let number = term.stem.withUnsafeBufferPointer { terms.insert($0) }
        if number.isNew { lists.append(List()) }
        let word = term.word.withUnsafeBufferPointer { words.insert($0) }
        if word.isNew { forms.append(Form(term: UInt32(number.number))) }
        return UInt32(word.number)
    }

    /// Returns the index of all texts that have been added.
    package func finish() -> InvertedIndex {
        let order = (0..<terms.count).sorted { terms[$0].lexicographicallyPrecedes(terms[$1]) }
        var rank = [UInt32](repeating: 0, count: order.count)
        for (position, term) in order.enumerated() { rank[term] = UInt32(position) }
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
            // If a term has only one form, their postings are equal and are not stored twice.
            if formCounts[term] > 1 { parts.wordPostings += forms[word].postings }
            parts.wordPostingEnds.append(UInt64(parts.wordPostings.count))
        }
        parts.lengths = lengths
        return InvertedIndex(parts)
    }
}

/// Unsigned integers in LEB128: seven bits in each byte, the lowest first; the eighth bit is set if another
/// byte follows.
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

    /// Reads a number and advances the offset past it.
    ///
    /// - Returns: `nil` if the bytes end before the number does, or the number exceeds 64 bits.
    @inline(__always)
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt64? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        offset += 1
        if first < 0x80 { return UInt64(first) }
        var value = UInt64(first & 0x7F)
        var shift: UInt64 = 7
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }
}
