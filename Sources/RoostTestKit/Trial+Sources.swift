import Foundation
import RoostModel

extension Trial {
    func sourcesAreReadInPages() async throws {
        let empty = try await store.snapshot()
        try requireEqual(try await empty.sourceCount(), 0, "the number of sources of an empty store")
        let first = try await empty.sources(after: nil, limit: 1)
        try require(first.sources.isEmpty && first.next == nil, "an empty store has a page of sources")
        // The order of bytes differs from that of words, and some of the ids are equal after Unicode
        // normalization.
        let ids = [
            "a", "B", "aa", "\u{E9}", "e\u{301}", "\u{10000}", "\u{FFFF}", "z", "%", "",
            String(repeating: "x", count: 5_000), String(repeating: "x", count: 5_000) + "y",
        ]
        let records = ids.enumerated().map { number, id in
            Source(id: id, fingerprint: "f\(number)", ingestedAt: Date(milliseconds: Int64(number)))
        }
        var entry = entry(0)
        entry.source = "a"
        _ = try await store.commit(WriteBatch(upserts: [entry], sources: records))
        let snapshot = try await store.snapshot()
        // Later commits do not change the pages.
        _ = try await store.commit(
            WriteBatch(sources: [Source(id: "b", fingerprint: "")], removedSources: ["z"]))
        let ordered = records.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        try requireEqual(try await snapshot.sourceCount(), ids.count, "the number of sources")
        try requireEqual(try await snapshot.sources(), ordered, "all sources")
        for limit in [1, 5, ids.count - 1, ids.count, .max] {
            var (found, next): ([Source], Source.ID?) = ([], nil)
            repeat {
                let page = try await snapshot.sources(after: next, limit: limit)
                try require(page.sources.count <= limit, "a page of sources is larger than \(limit)")
                try require(!page.sources.isEmpty, "a page of sources with limit \(limit) is empty")
                found += page.sources
                next = page.next
            } while next != nil && found.count <= ids.count
            try requireEqual(found, ordered, "the sources in pages of \(limit)")
        }
        // A page can begin after an id that the store does not contain.
        let middle = try await snapshot.sources(after: "ab", limit: 2).sources.map(\.id)
        try requireEqual(middle, ["e\u{301}", ids[10]], "the sources after an unknown id")
        let last = try await snapshot.sources(after: "\u{10FFFF}", limit: 2)
        try require(last.sources.isEmpty && last.next == nil, "there are sources after the last one")
        let after = try await store.snapshot().sources(after: "aa", limit: 1).sources.map(\.id)
        try requireEqual(after, ["b"], "the sources of a later revision")
    }
}
