/// An occurrence of a word in a field other than the body, stored as one number: four times the position of
/// the word in the field, plus the number of the field.
///
/// Positions count from 1. Between the last word of a line and the first word of the next line, ``lineGap``
/// positions are unused, so that no phrase continues from one heading, path or tag to the next.
struct FieldOccurrence: Sendable, Hashable {
    /// The number of unused positions between the last word of a line and the first word of the next line.
    static let lineGap: UInt32 = 16

    var value: UInt64

    init(_ position: UInt32, in field: Int) { value = UInt64(position) << 2 | UInt64(field) }

    init(value: UInt64) { self.value = value }

    /// The position of the word in the field, from 1.
    var position: UInt64 { value >> 2 }

    var field: TextFieldSet { TextFieldSet(rawValue: 1 << UInt8(value & 3)) }

    /// Returns the start of a phrase that contains the word, or `nil` if the field does not begin so early.
    ///
    /// - Parameter offset: The number of words between the start of the phrase and the word.
    func start(ofPhraseWithOffset offset: Int) -> FieldOccurrence? {
        position > UInt64(offset) ? FieldOccurrence(value: value - UInt64(offset) << 2) : nil
    }
}

extension InvertedIndex {
    /// Calls `body` for each document in which a field other than the body contains a term, in ascending
    /// order.
    ///
    /// - Parameter body: Receives the document number, the fields, and whether the body contains the term.
    func forEachFieldPosting(
        of term: Int, _ body: (_ document: Int, _ fields: TextFieldSet, _ isInBody: Bool) -> Void
    ) {
        let bytes = fieldPostings[term]
        var (offset, document) = (0, -1)
        while let header = VariableLength.read(bytes, &offset) {
            document += Int(truncatingIfNeeded: min(header >> 1, 1 << 40))
            guard document >= 0, document < lengths.count else { return }
            var fields = TextFieldSet()
            var occurrence: UInt64 = 0
            while let value = VariableLength.read(bytes, &offset) {
                occurrence &+= value >> 1
                fields.formUnion(FieldOccurrence(value: occurrence).field)
                if value & 1 == 1 { break }
            }
            body(document, fields, header & 1 == 0)
        }
    }

    /// Calls `body` with the occurrences of a term in fields other than the body, by document in ascending
    /// order.
    func forEachFieldOccurrence(
        of term: Int, _ body: (_ document: Int, _ occurrence: FieldOccurrence) -> Void
    ) {
        let bytes = fieldPostings[term]
        var (offset, document) = (0, -1)
        while let header = VariableLength.read(bytes, &offset) {
            document += Int(truncatingIfNeeded: min(header >> 1, 1 << 40))
            guard document >= 0, document < lengths.count else { return }
            var occurrence: UInt64 = 0
            while let value = VariableLength.read(bytes, &offset) {
                occurrence &+= value >> 1
                body(document, FieldOccurrence(value: occurrence))
                if value & 1 == 1 { break }
            }
        }
    }

    /// Calls `body` for each document in which a field other than the body contains an unstemmed word, in
    /// ascending order.
    func forEachFieldPosting(ofWord word: Int, _ body: (_ document: Int, _ fields: TextFieldSet) -> Void) {
        let separate = wordFieldPostings[word]
        guard !separate.isEmpty else {
            let term = Int(UInt32(littleEndian: wordTerms[word]))
            if term < termCount {
                forEachFieldPosting(of: term) { document, fields, _ in body(document, fields) }
            }
            return
        }
        var (offset, document) = (0, -1)
        while let gap = VariableLength.read(separate, &offset), offset < separate.count {
            document += Int(truncatingIfNeeded: min(gap, 1 << 40))
            guard document >= 0, document < lengths.count else { return }
            body(document, TextFieldSet(rawValue: separate[offset]))
            offset += 1
        }
    }
}
