/// Builds an ``InvertedIndex`` from texts that are added one after another.
///
/// Uses about three bytes of memory per word, plus a table of the distinct words.
package struct InvertedIndexBuilder: Sendable {
    /// The postings of a term in the texts added so far.
    private struct List: Sendable {
        var postings: [UInt8] = []
        var positions: [UInt8] = []
        var documents: UInt32 = 0
        /// The number of the last document in `postings`, plus 1; 0 if `postings` is empty.
        var last: UInt32 = 0
        var occurrences: UInt32 = 0
        /// The position of the last occurrence in the current text, counted from 1; 0 before the first one.
        var position: UInt32 = 0
        /// The postings of the fields in the documents added so far.
        var fieldPostings: [UInt8] = []
        /// The number of the last document in `fieldPostings`, plus 1; 0 if it is empty.
        var lastWithField: UInt32 = 0
        var fieldOccurrences: [FieldOccurrence] = []
    }

    /// The postings of an unstemmed word in the texts added so far. The fields have the same meaning as in
    /// `List`.
    private struct Form: Sendable {
        var postings: [UInt8] = []
        var last: UInt32 = 0
        var occurrences: UInt32 = 0
        var fieldPostings: [UInt8] = []
        var lastWithField: UInt32 = 0
        var fields: TextFieldSet = []
    }

    private var vocabulary = TermVocabulary()
    /// The postings of the vocabulary's forms and terms.
    private var forms: [Form] = []
    private var lists: [List] = []
    private var lengths: [UInt32] = []

    package init() {}

    package var documentCount: Int { lengths.count }

    /// Adds a document that has only a body.
    package mutating func add(_ text: String) { add(IndexedText(text)) }

    /// Adds a document. Its number is the number of documents added before it.
    package mutating func add(_ text: IndexedText) {
        var body = text.body
        body.withUTF8 { add(body: $0) }
        // The body is usually the only field that is long enough for its language to be detected.
        if !text.fields.isEmpty { addFields(of: text, vocabulary.lastLanguages) }
    }

    private mutating func add(body utf8: UnsafeBufferPointer<UInt8>) {
        var (found, foundForms) = ([Int](), [Int]())
        var (forms, lists) = (self.forms, self.lists)
        (self.forms, self.lists) = ([], [])
        defer { (self.forms, self.lists) = (forms, lists) }
        let count = vocabulary.forEachForm(in: utf8) { occurrence in
            let (form, term) = (Int(occurrence.form), Int(occurrence.term))
            if form == forms.count { forms.append(Form()) }
            if term == lists.count { lists.append(List()) }
            if forms[form].occurrences == 0 { foundForms.append(form) }
            forms[form].occurrences += 1
            if lists[term].occurrences == 0 {
                found.append(term)
                lists[term].position = 0
            }
            lists[term].occurrences += 1
            VariableLength.append(
                UInt64(occurrence.position - lists[term].position), to: &lists[term].positions)
            lists[term].position = occurrence.position
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
        lengths.append(count)
    }

    private mutating func addFields(of text: IndexedText, _ languages: TextLanguages) {
        var (found, foundForms) = ([Int](), [Int]())
        func add(_ term: Int, _ occurrence: FieldOccurrence) {
            while term >= lists.count { lists.append(List()) }
            if lists[term].fieldOccurrences.isEmpty { found.append(term) }
            lists[term].fieldOccurrences.append(occurrence)
        }
        for (number, field) in TextFieldSet.fields.enumerated() {
            var start: UInt32 = 1
            for line in (text.fields[field] ?? "").split(whereSeparator: \.isNewline) {
                var line = String(line)
                var occurrences: [TermVocabulary.Occurrence] = []
                let count = line.withUTF8 { utf8 in
                    vocabulary.forEachForm(in: utf8, languages) { occurrences.append($0) }
                }
                if field == .title {
                    add(vocabulary.term(ofMark: Term.titleStart), FieldOccurrence(start, in: number))
                    add(
                        vocabulary.term(ofMark: Term.titleEnd), FieldOccurrence(start + count + 1, in: number)
                    )
                }
                for occurrence in occurrences {
                    let form = Int(occurrence.form)
                    if form == forms.count { forms.append(Form()) }
                    add(Int(occurrence.term), FieldOccurrence(start + occurrence.position, in: number))
                    if forms[form].fields.isEmpty { foundForms.append(form) }
                    forms[form].fields.insert(TextFieldSet(field))
                }
                start += count + FieldOccurrence.lineGap
            }
        }
        let document = UInt32(lengths.count - 1)
        for term in found { endFields(ofTerm: term, document) }
        for form in foundForms { endFields(ofForm: form, document) }
    }

    private mutating func endFields(ofTerm term: Int, _ document: UInt32) {
        let isInBody = lists[term].last == document + 1
        VariableLength.append(
            UInt64(document + 1 - lists[term].lastWithField) << 1 | (isInBody ? 0 : 1),
            to: &lists[term].fieldPostings)
        // Words of different fields can have equal positions, so the occurrences are not in order.
        let values = lists[term].fieldOccurrences.map(\.value).sorted()
        var previous: UInt64 = 0
        for (index, value) in values.enumerated() {
            VariableLength.append(
                (value - previous) << 1 | (index == values.count - 1 ? 1 : 0), to: &lists[term].fieldPostings)
            previous = value
        }
        lists[term].lastWithField = document + 1
        lists[term].fieldOccurrences = []
        if !isInBody { lists[term].documents += 1 }
    }

    /// Adds the fields of the current document that contain a word to its postings.
    private mutating func endFields(ofForm form: Int, _ document: UInt32) {
        VariableLength.append(
            UInt64(document + 1 - forms[form].lastWithField), to: &forms[form].fieldPostings)
        forms[form].fieldPostings.append(forms[form].fields.rawValue)
        forms[form].lastWithField = document + 1
        forms[form].fields = []
    }

    private static func append(
        _ document: UInt32, _ occurrences: UInt32, after last: UInt32, to postings: inout [UInt8]
    ) {
        VariableLength.append(UInt64(document + 1 - last) << 1 | (occurrences > 1 ? 1 : 0), to: &postings)
        if occurrences > 1 { VariableLength.append(UInt64(occurrences), to: &postings) }
    }

    package func finish() -> InvertedIndex {
        let terms = vocabulary.terms
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
            parts.fieldPostings += lists[term].fieldPostings
            parts.fieldPostingEnds.append(UInt64(parts.fieldPostings.count))
        }
        var formCounts = [Int](repeating: 0, count: terms.count)
        for term in vocabulary.termOfForm { formCounts[Int(term)] += 1 }
        for form in vocabulary.sortedForms {
            parts.words += vocabulary.listing(of: form)
            parts.wordEnds.append(UInt64(parts.words.count))
            let term = Int(vocabulary.termOfForm[form])
            parts.wordTerms.append(rank[term])
            // If a term has only one form, their postings are equal and are not stored twice.
            if formCounts[term] > 1 {
                let (postings, fieldPostings) = (forms[form].postings, forms[form].fieldPostings)
                parts.wordPostings += postings.isEmpty ? InvertedIndex.noPostings : postings
                parts.wordFieldPostings += fieldPostings.isEmpty ? InvertedIndex.noPostings : fieldPostings
            }
            parts.wordPostingEnds.append(UInt64(parts.wordPostings.count))
            parts.wordFieldPostingEnds.append(UInt64(parts.wordFieldPostings.count))
        }
        parts.languages = vocabulary.textCounts
        parts.lengths = lengths
        // The sections of these arrays always form an index.
        guard let index = try? InvertedIndex(parts) else { preconditionFailure("the arrays do not match") }
        return index
    }
}
