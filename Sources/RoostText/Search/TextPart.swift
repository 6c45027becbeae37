/// Some of the texts that are searched, and which of them are there no more.
public struct TextPart: Sendable {
    public let index: InvertedIndex
    /// For each text whether it is there no more; empty where all are there.
    private(set) var removed: [Bool] = []
    /// How many are there, and how many words they have.
    private(set) var (documents, length): (Int, Int)

    public init(_ index: InvertedIndex) {
        self.index = index
        (documents, length) = (index.documentCount, index.length)
    }

    /// Takes a text out.
    public mutating func remove(_ document: Int) {
        if removed.isEmpty { removed = Array(repeating: false, count: index.documentCount) }
        guard !removed[document] else { return }
        removed[document] = true
        documents -= 1
        length -= index.reading { Int(UInt32(littleEndian: index.lengths[document])) }
    }

    /// - Complexity: O(1).
    public func isRemoved(_ document: Int) -> Bool { !removed.isEmpty && removed[document] }
}

extension TextPart {
    /// Where something that is asked for occurs.
    enum Found {
        case nowhere
        case term(Int)
        case counted([(document: Int, occurrences: Int)])

        var isEmpty: Bool { if case .nowhere = self { true } else { false } }
    }

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

    /// The texts that have words next to each other, and how often.
    private func phrase(_ terms: [Term]) -> [(document: Int, occurrences: Int)] {
        var numbers: [(offset: UInt32, term: Int)] = []
        for (offset, term) in terms.enumerated() {
            guard let number = index.terms.index(of: term.stem) else { return [] }
            numbers.append((UInt32(offset), number))
        }
        // The rarest first: what it rules out need not be looked at.
        numbers.sort {
            UInt32(littleEndian: index.frequencies[$0.term])
                < UInt32(littleEndian: index.frequencies[$1.term])
        }
        // Where the phrase may begin in each text that has the words so far: the numbers of the texts, and
        // for each the end of its part of `starts`.
        var (documents, ends, starts) = ([Int](), [Int](), [UInt32]())
        for (place, number) in numbers.enumerated() {
            var next = 0
            var kept: (documents: [Int], ends: [Int], starts: [UInt32]) = ([], [], [])
            index.forEachOccurrence(of: number.term) { document in
                guard place > 0 else { return true }
                while next < documents.count, documents[next] < document { next += 1 }
                return next < documents.count && documents[next] == document
            } _: { document, positions in
                let before = kept.starts.count
                // Both ascend.
                var known = place > 0 ? (next == 0 ? 0 : ends[next - 1]) : 0
                let end = place > 0 ? ends[next] : 0
                // The number of a word before the first is below its place.
                for position in positions where position > number.offset {
                    let start = position - number.offset
                    if place > 0 {
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

    /// The texts that have something, those that are gone among them.
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

    /// In how many texts that are there something occurs.
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

    /// The score of each text, 0 for those that have none of the words.
    ///
    /// - Complexity: O(texts, and texts that have one of the words).
    func scores(_ words: [Found], _ weights: [Float], k1: Float, b: Float, _ meanLength: Float) -> [Float] {
        let (flat, slope) = (k1 * (1 - b), k1 * b / meanLength)
        return [Float](unsafeUninitializedCapacity: index.documentCount) { scores, count in
            scores.initialize(repeating: 0)
            count = index.documentCount
            index.reading {
                for (found, weight) in zip(words, weights) {
                    func add(_ document: Int, _ occurrences: Int) {
                        let frequency = Float(occurrences)
                        let length = Float(UInt32(littleEndian: index.lengths[document]))
                        scores[document] += weight * frequency / (frequency + flat + slope * length)
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
