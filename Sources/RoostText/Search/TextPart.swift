/// An inverted index, together with a record of which of its documents have been deleted.
package struct TextPart: Sendable {
    /// The index, which still contains the deleted documents.
    package let index: InvertedIndex
    /// Whether each document is deleted; empty if none is.
    private(set) var removed: [Bool] = []
    private(set) var (documents, length): (Int, Int)

    package init(_ index: InvertedIndex) {
        self.index = index
        (documents, length) = (index.documentCount, index.length)
    }

    package mutating func remove(_ document: Int) {
        if removed.isEmpty { removed = Array(repeating: false, count: index.documentCount) }
        guard !removed[document] else { return }
        removed[document] = true
        documents -= 1
        length -= index.reading { Int(UInt32(littleEndian: index.lengths[document])) }
    }

    package func isRemoved(_ document: Int) -> Bool { !removed.isEmpty && removed[document] }
}

extension TextPart {
    struct FoundDocument: Sendable {
        var document: Int
        var occurrences: Int
        var fields: TextFieldSet = []
    }

    enum Found {
        case nowhere
        case term(Int)
        case counted([FoundDocument])

        var isEmpty: Bool { if case .nowhere = self { true } else { false } }
    }

    /// Returns the documents that contain a clause, including deleted ones. A phrase of several words is
    /// found only in the body.
    func find(_ clause: TextQuery.Clause) -> Found {
        index.reading {
            switch clause {
            case .phrase(let terms) where terms.count == 1: return find(numbers(of: terms[0]))
            case .phrase(let terms):
                let found = phrase(terms)
                return found.isEmpty
                    ? .nowhere : .counted(found.map { FoundDocument(document: $0, occurrences: $1) })
            case .prefix(let prefix):
                var found: [Int: FoundDocument] = [:]
                for word in index.words.indices(beginningWith: prefix) {
                    index.forEachPosting(ofWord: word) {
                        found[$0, default: FoundDocument(document: $0, occurrences: 0)].occurrences += $1
                    }
                    index.forEachFieldPosting(ofWord: word) {
                        found[$0, default: FoundDocument(document: $0, occurrences: 0)].fields.formUnion($1)
                    }
                }
                return found.isEmpty
                    ? .nowhere : .counted(found.values.sorted { $0.document < $1.document })
            }
        }
    }

    /// Returns the numbers of the index's terms under which a word is listed. Each occurrence of the word is
    /// listed under exactly one of them.
    func numbers(of term: Term) -> [Int] {
        let keys = term.keys.isEmpty ? term.keys(in: index.languages) : term.keys
        return keys.compactMap { index.terms.index(of: $0) }
    }

    private func find(_ terms: [Int]) -> Found {
        guard terms.count > 1 else { return terms.first.map(Found.term) ?? .nowhere }
        var merged: [FoundDocument] = []
        for term in terms {
            var (body, fields) = ([FoundDocument](), [FoundDocument]())
            index.forEachPosting(of: term) { body.append(FoundDocument(document: $0, occurrences: $1)) }
            index.forEachFieldPosting(of: term) { document, found, _ in
                fields.append(FoundDocument(document: document, occurrences: 0, fields: found))
            }
            merged = Self.union(Self.union(merged, body), fields)
        }
        return .counted(merged)
    }

    /// Returns the documents of two lists in ascending order, with the sums of the occurrences.
    private static func union(_ first: [FoundDocument], _ second: [FoundDocument]) -> [FoundDocument] {
        if first.isEmpty || second.isEmpty { return first + second }
        var result: [FoundDocument] = []
        result.reserveCapacity(first.count + second.count)
        var next = 0
        for document in second {
            while next < first.count, first[next].document < document.document {
                result.append(first[next])
                next += 1
            }
            var merged = document
            if next < first.count, first[next].document == document.document {
                merged.occurrences += first[next].occurrences
                merged.fields.formUnion(first[next].fields)
                next += 1
            }
            result.append(merged)
        }
        return result + first[next...]
    }

    /// Returns the documents whose body contains a phrase, and how often each document contains it.
    private func phrase(_ terms: [Term]) -> [(document: Int, occurrences: Int)] {
        let starts = starts(ofPhrase: terms)
        return starts.documents.indices.map { (starts.documents[$0], starts.count($0)) }
    }

    private func starts(ofPhrase terms: [Term]) -> WordOccurrences {
        var numbers: [(offset: UInt32, terms: [Int])] = []
        for term in terms {
            let found = self.numbers(of: term)
            guard !found.isEmpty else { return WordOccurrences() }
            numbers.append((UInt32(term.offset), found))
        }
        // Start with the rarest term, because it excludes the most documents.
        func frequency(_ terms: [Int]) -> Int {
            terms.reduce(0) { $0 + Int(UInt32(littleEndian: index.frequencies[$1])) }
        }
        numbers.sort { frequency($0.terms) < frequency($1.terms) }
        // The positions at which the phrase can start in the documents that contain all words so far.
        var starts: WordOccurrences?
        for number in numbers {
            let found = index.occurrences(ofAny: number.terms, among: starts?.documents)
            starts = found.starts(ofPhraseWithOffset: number.offset, among: starts)
            if starts?.documents.isEmpty != false { break }
        }
        return starts ?? WordOccurrences()
    }

    /// Returns, for each document, whether it contains a clause. All words of a phrase must be in the same
    /// field.
    ///
    /// - Parameter field: The field that must contain the clause; `nil` for any field, including the body.
    func contains(_ clause: TextQuery.Clause, in field: TextField?) -> [Bool] {
        let fields = field.map { TextFieldSet($0) } ?? .all
        let includesBody = field == nil || field == .body
        var contains = Array(repeating: false, count: index.documentCount)
        index.reading {
            if case .phrase(let terms) = clause, terms.count > 1 {
                if includesBody { for match in phrase(terms) { contains[match.document] = true } }
                for document in phraseInFields(terms, fields).keys { contains[document] = true }
                return
            }
            guard includesBody else {
                forEachFieldMatch(clause) { document, found in
                    if !found.isDisjoint(with: fields) { contains[document] = true }
                }
                return
            }
            forEachMatch(find(clause)) { match in
                if match.occurrences > 0 || !match.fields.isDisjoint(with: fields) {
                    contains[match.document] = true
                }
            }
        }
        return contains
    }

    /// Calls `body` with the documents in which fields other than the body contain a word or prefix, in any
    /// order and perhaps several times, and these fields.
    private func forEachFieldMatch(
        _ clause: TextQuery.Clause, _ body: (_ document: Int, _ fields: TextFieldSet) -> Void
    ) {
        switch clause {
        case .phrase(let terms):
            for number in terms.flatMap({ numbers(of: $0) }) {
                index.forEachFieldPosting(of: number) { document, fields, _ in body(document, fields) }
            }
        case .prefix(let prefix):
            for word in index.words.indices(beginningWith: prefix) {
                index.forEachFieldPosting(ofWord: word, body)
            }
        }
    }

    /// Returns the documents in which one of several fields contains a phrase, and where it begins.
    private func phraseInFields(_ terms: [Term], _ fields: TextFieldSet) -> [Int: Set<FieldOccurrence>] {
        // The possible starts of the phrase in each document that contains all terms processed so far.
        var starts: [Int: Set<FieldOccurrence>]?
        for term in terms {
            var found: [Int: Set<FieldOccurrence>] = [:]
            for number in numbers(of: term) {
                index.forEachFieldOccurrence(of: number) { document, occurrence in
                    guard fields.isSuperset(of: occurrence.field),
                        let start = occurrence.start(ofPhraseWithOffset: term.offset),
                        starts?[document, default: []].contains(start) ?? true
                    else { return }
                    found[document, default: []].insert(start)
                }
            }
            guard !found.isEmpty else { return [:] }
            starts = found
        }
        return starts ?? [:]
    }

    /// Returns the documents with a given title, including deleted ones.
    func documents(titled terms: [Term]) -> Set<Int> {
        terms.isEmpty ? [] : index.reading { Set(phraseInFields(terms, TextFieldSet(.title)).keys) }
    }

    func documentCount(_ found: Found) -> Int {
        if case .term(let term) = found, removed.isEmpty {
            return index.reading { Int(UInt32(littleEndian: index.frequencies[term])) }
        }
        var count = 0
        index.reading { forEachMatch(found) { count += isRemoved($0.document) ? 0 : 1 } }
        return count
    }

    /// Returns the number of documents that are not deleted and meet a condition, and the total number of
    /// their words.
    func size(where isCounted: (_ document: Int) -> Bool) -> (documents: Int, length: Int) {
        var size = (documents: 0, length: 0)
        index.reading {
            for document in 0..<index.documentCount where !isRemoved(document) && isCounted(document) {
                size.documents += 1
                size.length += Int(UInt32(littleEndian: index.lengths[document]))
            }
        }
        return size
    }

    /// Returns the number of documents found that are not deleted and meet a condition.
    func documentCount(_ found: Found, where isCounted: (_ document: Int) -> Bool) -> Int {
        var count = 0
        index.reading {
            forEachMatch(found) { if !isRemoved($0.document), isCounted($0.document) { count += 1 } }
        }
        return count
    }

    @inline(__always)
    func forEachMatch(_ found: Found, _ body: (FoundDocument) -> Void) {
        switch found {
        case .nowhere: return
        case .counted(let documents): for document in documents { body(document) }
        case .term(let term):
            var inFields: [FoundDocument] = []
            index.forEachFieldPosting(of: term) { document, fields, _ in
                inFields.append(FoundDocument(document: document, occurrences: 0, fields: fields))
            }
            guard !inFields.isEmpty else {
                index.forEachPosting(of: term) { body(FoundDocument(document: $0, occurrences: $1)) }
                return
            }
            var next = 0
            index.forEachPosting(of: term) { document, occurrences in
                while next < inFields.count, inFields[next].document < document {
                    body(inFields[next])
                    next += 1
                }
                var match = FoundDocument(document: document, occurrences: occurrences)
                if next < inFields.count, inFields[next].document == document {
                    match.fields = inFields[next].fields
                    next += 1
                }
                body(match)
            }
            for match in inFields[next...] { body(match) }
        }
    }
}
