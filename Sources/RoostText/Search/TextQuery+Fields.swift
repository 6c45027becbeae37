extension TextQuery.FieldCondition {
    /// Whether an index alone can decide if a document meets the condition: it lists the words of a field,
    /// but not their order.
    package var isSingleWord: Bool {
        if case .phrase(let terms) = clause { terms.count == 1 } else { false }
    }

    /// Returns whether a text contains the words of the condition, in any inflected form.
    ///
    /// - Complexity: O(length of text).
    package func occurs(in text: String) -> Bool { AnalyzedText(text).contains(clause) }
}

extension TextPart {
    /// Returns the documents whose field contains all words of a condition, but not necessarily next to each
    /// other. For a prefix, the words only have the same stems as words with the prefix.
    ///
    /// - Returns: The document numbers, including those of deleted documents.
    /// - Complexity: O(occurrences of the words in fields).
    package func documents(with condition: TextQuery.FieldCondition) -> Set<Int> {
        let field = TextFieldSet(condition.field)
        return index.reading {
            func documents(ofTerms numbers: some Sequence<Int>) -> Set<Int> {
                var documents = Set<Int>()
                for number in numbers {
                    index.forEachFieldPosting(of: number) { document, fields, _ in
                        if fields.isSuperset(of: field) { documents.insert(document) }
                    }
                }
                return documents
            }
            switch condition.clause {
            case .phrase(let terms):
                guard let first = terms.first else { return [] }
                var found = documents(ofTerms: numbers(of: first))
                for term in terms.dropFirst() {
                    found.formIntersection(documents(ofTerms: numbers(of: term)))
                }
                return found
            case .prefix(let prefix):
                return documents(
                    ofTerms: index.words.indices(beginningWith: prefix).lazy
                        .map { Int(UInt32(littleEndian: index.wordTerms[$0])) }
                        .filter { $0 < index.termCount })
            }
        }
    }
}
