/// An inverted index, together with a record of which of its documents have been deleted.
package struct TextPart: Sendable {
    /// The index, which still contains the deleted documents.
    package let index: InvertedIndex
    /// Whether each document is deleted; empty if none is.
    private(set) var removed: [Bool] = []
    /// The number of documents that are not deleted, and the total number of their words.
    private(set) var (documents, length): (Int, Int)

    /// Creates a part without deleted documents.
    package init(_ index: InvertedIndex) {
        self.index = index
        (documents, length) = (index.documentCount, index.length)
    }

    /// Marks a document as deleted; does nothing if it is deleted already.
    package mutating func remove(_ document: Int) {
        if removed.isEmpty { removed = Array(repeating: false, count: index.documentCount) }
        guard !removed[document] else { return }
        removed[document] = true
        documents -= 1
        length -= index.reading { Int(UInt32(littleEndian: index.lengths[document])) }
    }

    /// Returns whether a document is deleted.
    ///
    /// - Complexity: O(1).
    package func isRemoved(_ document: Int) -> Bool { !removed.isEmpty && removed[document] }
}

extension TextPart {
    /// The documents that match a clause of a query.
    enum Found {
        case nowhere
        /// The documents in the postings of the term with this number.
        case term(Int)
        /// The listed documents, in ascending order.
        case counted([(document: Int, occurrences: Int)])

        var isEmpty: Bool { if case .nowhere = self { true } else { false } }
    }

    /// Returns the documents that contain a clause, including deleted ones.
    func find(_ clause: TextQuery.Clause) -> Found {
        index.reading {
            switch clause {
            case .phrase(let terms) where terms.count == 1:
                return index.terms.index(of: terms[0].stem).map(Found.term) ?? .nowhere
            case .phrase(let terms):
                let found = phrase(terms)
                return found.isEmpty ? .nowhere : .counted(found)
            case .prefix(let prefix):
                var counts: [Int: Int] = [:]
                for word in index.words.indices(beginningWith: prefix) {
                    index.forEachPosting(ofWord: word) { counts[$0, default: 0] += $1 }
                }
                return counts.isEmpty ? .nowhere : .counted(counts.map { ($0, $1) }.sorted { $0.0 < $1.0 })
            }
        }
    }

    /// Returns the documents that contain a phrase, and how often each document contains it.
    private func phrase(_ terms: [Term]) -> [(document: Int, occurrences: Int)] {
        var numbers: [(offset: UInt32, term: Int)] = []
        for (offset, term) in terms.enumerated() {
            guard let number = index.terms.index(of: term.stem) else { return [] }
            numbers.append((UInt32(offset), number))
        }
        // Starts with the rarest term, because it excludes the most documents.
        numbers.sort {
            UInt32(littleEndian: index.frequencies[$0.term])
                < UInt32(littleEndian: index.frequencies[$1.term])
        }
        // The documents that contain all terms processed so far, and the positions at which the phrase may
        // start in them. `ends` contains, for each document, the end of its positions in `starts`.
        var (documents, ends, starts) = ([Int](), [Int](), [UInt32]())
        for (rank, number) in numbers.enumerated() {
            var next = 0
            var kept: (documents: [Int], ends: [Int], starts: [UInt32]) = ([], [], [])
            index.forEachOccurrence(of: number.term) { document in
                guard rank > 0 else { return true }
                while next < documents.count, documents[next] < document { next += 1 }
                return next < documents.count && documents[next] == document
            } _: { document, positions in
                let before = kept.starts.count
                // The positions and the known starts are both ascending, so a single pass intersects them.
                var known = rank > 0 ? (next == 0 ? 0 : ends[next - 1]) : 0
                let end = rank > 0 ? ends[next] : 0
                // If a position does not exceed the offset, the phrase would have to start before the text.
                for position in positions where position > number.offset {
                    let start = position - number.offset
                    if rank > 0 {
                        while known < end, starts[known] < start { known += 1 }
                        guard known < end, starts[known] == start else { continue }
                    }
                    kept.starts.append(start)
                }
                guard kept.starts.count > before else { return }
                kept.documents.append(document)
                kept.ends.append(kept.starts.count)
            }
            (documents, ends, starts) = kept
            if documents.isEmpty { return [] }
        }
        return documents.indices.map { (documents[$0], ends[$0] - ($0 == 0 ? 0 : ends[$0 - 1])) }
    }

    /// Returns the documents that contain a clause, including deleted ones.
    func documents(with clause: TextQuery.Clause) -> [Int] {
        switch find(clause) {
        case .nowhere: return []
        case .counted(let found): return found.map(\.document)
        case .term(let term):
            var documents: [Int] = []
            index.reading { index.forEachPosting(of: term) { document, _ in documents.append(document) } }
            return documents
        }
    }

    /// Returns the number of documents found that are not deleted.
    func documentCount(_ found: Found) -> Int {
        switch found {
        case .nowhere: return 0
        case .counted(let found): return found.count { !isRemoved($0.document) }
        case .term(let term):
            return index.reading {
                guard !removed.isEmpty else { return Int(UInt32(littleEndian: index.frequencies[term])) }
                var count = 0
                removed.withUnsafeBufferPointer { removed in
                    index.forEachPosting(of: term) { document, _ in count += removed[document] ? 0 : 1 }
                }
                return count
            }
        }
    }

    /// Returns the BM25 score of each document, 0 for documents without any of the words.
    ///
    /// - Complexity: O(documents + postings of the words).
    func scores(_ words: [Found], _ weights: [Float], k1: Float, b: Float, _ meanLength: Float) -> [Float] {
        let (constant, slope) = (k1 * (1 - b), k1 * b / meanLength)
        return [Float](unsafeUninitializedCapacity: index.documentCount) { scores, count in
            scores.initialize(repeating: 0)
            count = index.documentCount
            index.reading {
                for (found, weight) in zip(words, weights) {
                    func add(_ document: Int, _ occurrences: Int) {
                        let frequency = Float(occurrences)
                        let length = Float(UInt32(littleEndian: index.lengths[document]))
                        scores[document] += weight * frequency / (frequency + constant + slope * length)
                    }
                    switch found {
                    case .nowhere: continue
                    case .term(let term): index.forEachPosting(of: term, add)
                    case .counted(let found):
                        for (document, occurrences) in found { add(document, occurrences) }
                    }
                }
            }
        }
    }
}
