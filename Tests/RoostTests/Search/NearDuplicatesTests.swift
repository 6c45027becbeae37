import RoostModel
import RoostText
import RoostVectors
import Testing

@testable import Roost

struct NearDuplicatesTests {
    /// Returns entries in groups with similar vectors. Some have no vector, and some a shorter one.
    private func entries(_ count: Int) -> [Entry] {
        var generator = SeededGenerator(seed: 3)
        let centers = (0..<30).map { _ in (0..<8).map { _ in Float(generator.nextNormal()) } }
        return (0..<count).map { index in
            var entry = Entry(content: "text \(index % 50)")
            let dimension = index % 11 == 0 ? 0 : index % 7 == 0 ? 4 : 8
            let center = centers[generator.nextIndex(below: centers.count)]
            entry.embeddings = normalized(
                center.prefix(dimension).map { $0 + 0.2 * Float(generator.nextNormal()) })
            return entry
        }
    }

    private func areDuplicates(_ first: Entry, _ second: Entry, _ threshold: Float) -> Bool {
        guard !first.embeddings.isEmpty, first.embeddings.count == second.embeddings.count else {
            return first.content == second.content
        }
        return innerProduct(first.embeddings, second.embeddings) >= threshold
    }

    @Test(arguments: [-1, 0.5, 0.95, 2] as [Float])
    func `the first near-duplicate is the one that single comparisons find`(threshold: Float) {
        let entries = entries(400)
        var (expected, firsts) = ([Int?](), [Entry]())
        for entry in entries {
            let first = firsts.firstIndex { areDuplicates($0, entry, threshold) }
            expected.append(first)
            if first == nil { firsts.append(entry) }
        }
        for size in [1, 7, NearDuplicates.block, 400] {
            var (duplicates, found) = (NearDuplicates(threshold: threshold), [Int?]())
            for start in stride(from: 0, to: entries.count, by: size) {
                let block = Array(entries[start..<min(entries.count, start + size)])
                let comparison = duplicates.compare(block)
                for (index, entry) in block.enumerated() {
                    found.append(duplicates.first(of: entry, at: index, in: comparison))
                    if found.last == .some(nil) { duplicates.add(entry) }
                }
            }
            #expect(found == expected)
        }
    }

    @Test func `texts that differ in their bytes are different`() {
        var duplicates = NearDuplicates(threshold: 0.9)
        duplicates.add(Entry(content: "caf\u{E9}"))
        let block = [Entry(content: "cafe\u{301}"), Entry(content: "caf\u{E9}")]
        let comparison = duplicates.compare(block)
        #expect(block.indices.map { duplicates.first(of: block[$0], at: $0, in: comparison) } == [nil, 0])
    }

    @Test func `each near-duplicate of a long list is added to the best hit`() throws {
        var search = EntrySearch("boat", limit: 1000)
        search.duplicateThreshold = 0.9
        let plan = QueryPlan(search: search, vector: [1, 0], text: TextQuery("boat"))
        var assembly = HitAssembly(plan)
        assembly.needed = 1000
        let hits = (0..<300).map { index in
            var entry = Entry(content: "text \(index)")
            entry.embeddings = index % 3 == 0 ? [1, 0] : [0, 1]
            var hit = QueryHit(entry: entry, similarity: 1)
            hit.evidence = Float(300 - index)
            return hit
        }
        for start in stride(from: 0, to: 300, by: 100) {
            try assembly.add(Array(hits[start..<start + 100]))
            assembly.endStage()
        }
        #expect(assembly.hits.map(\.entry.content) == ["text 0", "text 1"])
        #expect(assembly.hits.map(\.duplicates.count) == [99, 199])
    }
}
