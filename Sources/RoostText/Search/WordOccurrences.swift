struct WordOccurrences {
    private(set) var documents: [Int] = []
    /// For each document, the end of its positions in `positions`.
    private(set) var ends: [Int] = []
    /// The positions in each document in ascending order, in words from 1.
    private(set) var positions: [UInt32] = []

    private func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    func count(_ index: Int) -> Int { range(index).count }

    /// Assigns the positions that no document has yet to a document. Without such positions, it is omitted.
    @inline(__always)
    fileprivate mutating func close(_ document: Int) {
        guard positions.count > (ends.last ?? 0) else { return }
        documents.append(document)
        ends.append(positions.count)
    }

    /// Returns the positions at which a phrase can start.
    ///
    /// - Parameters:
    ///   - offset: The number of words between the start of the phrase and this word.
    ///   - starts: The positions that the words before allow; `nil` for all.
    func starts(ofPhraseWithOffset offset: UInt32, among starts: WordOccurrences?) -> WordOccurrences {
        guard let starts else { return self.starts(ofPhraseWithOffset: offset) }
        var result = WordOccurrences()
        result.reserve(Swift.min(documents.count, starts.documents.count))
        var (known, first) = (0, 0)
        for index in documents.indices {
            let (document, last) = (documents[index], ends[index])
            defer { first = last }
            while known < starts.documents.count, starts.documents[known] < document { known += 1 }
            guard known < starts.documents.count, starts.documents[known] == document else { continue }
            var next = known == 0 ? 0 : starts.ends[known - 1]
            let end = starts.ends[known]
            // If a position does not exceed the offset, the phrase would have to start before the text.
            for place in first..<last where positions[place] > offset {
                let start = positions[place] - offset
                // Both lists of positions are ascending, so a single pass intersects them.
                while next < end, starts.positions[next] < start { next += 1 }
                if next < end, starts.positions[next] == start { result.positions.append(start) }
            }
            result.close(document)
        }
        return result
    }

    private func starts(ofPhraseWithOffset offset: UInt32) -> WordOccurrences {
        guard offset > 0 else { return self }
        var result = WordOccurrences()
        result.reserve(documents.count)
        var first = 0
        for index in documents.indices {
            let last = ends[index]
            for place in first..<last where positions[place] > offset {
                result.positions.append(positions[place] - offset)
            }
            first = last
            result.close(documents[index])
        }
        return result
    }

    /// Reserves memory for documents with one position each.
    fileprivate mutating func reserve(_ count: Int) {
        documents.reserveCapacity(count)
        ends.reserveCapacity(count)
        positions.reserveCapacity(count)
    }

    /// Returns the positions of two words. A position belongs to only one of them.
    func union(_ other: WordOccurrences) -> WordOccurrences {
        if other.documents.isEmpty { return self }
        if documents.isEmpty { return other }
        var result = WordOccurrences()
        var (index, otherIndex) = (0, 0)
        while index < documents.count || otherIndex < other.documents.count {
            let document = Swift.min(
                index < documents.count ? documents[index] : .max,
                otherIndex < other.documents.count ? other.documents[otherIndex] : .max)
            let start = result.positions.count
            if index < documents.count, documents[index] == document {
                result.positions += positions[range(index)]
                index += 1
            }
            if otherIndex < other.documents.count, other.documents[otherIndex] == document {
                let isMerged = result.positions.count > start
                result.positions += other.positions[other.range(otherIndex)]
                if isMerged { result.positions[start...].sort() }
                otherIndex += 1
            }
            result.close(document)
        }
        return result
    }
}

extension InvertedIndex {
    /// Returns the positions of terms.
    ///
    /// - Parameter documents: The documents to read, in ascending order; `nil` for all.
    func occurrences(ofAny terms: [Int], among documents: [Int]?) -> WordOccurrences {
        terms.reduce(WordOccurrences()) { $0.union(occurrences(of: $1, among: documents)) }
    }

    private func occurrences(of term: Int, among documents: [Int]?) -> WordOccurrences {
        var result = WordOccurrences()
        let frequency = Int(UInt32(littleEndian: frequencies[term]))
        result.reserve(Swift.min(frequency, lengths.count, documents?.count ?? .max))
        let bytes = positions[term]
        var (offset, next) = (0, 0)
        forEachPosting(of: term) { document, occurrences in
            if let documents {
                while next < documents.count, documents[next] < document { next += 1 }
                guard next < documents.count, documents[next] == document else {
                    var rest = occurrences
                    while rest > 0, offset < bytes.count {
                        if bytes[offset] < 0x80 { rest -= 1 }
                        offset += 1
                    }
                    return
                }
            }
            result.append(document, occurrences, bytes, &offset)
        }
        return result
    }
}

extension WordOccurrences {
    /// Appends a document with positions that are stored as differences.
    @inline(__always)
    fileprivate mutating func append(
        _ document: Int, _ count: Int, _ bytes: UnsafeBufferPointer<UInt8>, _ offset: inout Int
    ) {
        var position: UInt32 = 0
        for _ in 0..<count {
            guard let gap = VariableLength.read(bytes, &offset) else { break }
            position &+= UInt32(truncatingIfNeeded: gap)
            positions.append(position)
        }
        close(document)
    }
}
