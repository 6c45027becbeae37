import Foundation
import RoostModel
import Testing

@testable import Roost

/// Tests of ``KnowledgeStore/count(by:matching:)``.
struct EntryCounterTests {
    private let storage = InMemoryStorageProvider()
    private let first = Cluster(label: "first")

    /// Stores three entries: two from one folder in January, of which one is in a cluster, and a loose one.
    private func fill() async throws {
        let january = Date(timeIntervalSince1970: 1_767_268_800)  // 2026-01-01, 12:00 UTC
        let (day, february) = (TimeInterval(86_400), january.addingTimeInterval(40 * 86_400))
        let entries = [
            Entry(
                content: "a", embeddings: [1, 0], source: "file:///notes/birds/a.md",
                metadata: ["year": 2024, "lang": ["en", "de", "en"]], tags: ["Garden", "birds"],
                createdAt: january),
            Entry(
                content: "b", embeddings: [1, 0], source: "file:///notes/birds/b.md",
                metadata: ["year": 2024, "lang": nil], tags: ["garden"],
                createdAt: january.addingTimeInterval(4 * day)),
            Entry(content: "c", embeddings: [1, 0], createdAt: february),
        ]
        let assignment = Assignment(
            entry: entries[0].id, target: .cluster(first.id), run: nil, similarity: 1, confidence: 1)
        _ = try await storage.commit(
            WriteBatch(
                upserts: entries,
                clustering: .init(run: nil, clusters: [first], assignments: [assignment])))
    }

    private func counts(
        _ names: String..., matching filter: EntryFilter = .all, zone: String = "UTC"
    ) async throws -> [String] {
        let properties = try names.map { try #require(EntryProperty($0)) }
        var counter = try await EntryCounter(
            properties, in: storage.snapshot(), timeZone: try #require(TimeZone(identifier: zone)))
        return try await counter.counts(matching: filter).map { count in
            (count.values.map { $0 ?? "-" } + ["\(count.count)"]).joined(separator: " ")
        }
    }

    @Test func `Entries are counted for each of their values, and once without a value`() async throws {
        try await fill()
        #expect(try await counts("tag") == ["Garden 2", "birds 1", "- 1"])
        #expect(try await counts("lang") == ["- 2", "de 1", "en 1"])
        #expect(try await counts("metadata.year") == ["2024 2", "- 1"])
        #expect(try await counts("folder") == ["/notes/birds 2", "- 1"])
        #expect(try await counts("source").first == "file:///notes/birds/a.md 1")
        #expect(try await counts("cluster") == ["- 2", "first 1"])
        #expect(try await counts("tag", matching: EntryFilter(tags: ["birds"])) == ["Garden 1", "birds 1"])
        #expect(try await counts("none", matching: EntryFilter(tags: ["none"])) == [])
    }

    @Test func `Periods are in the order of the calendar, in the time zone`() async throws {
        try await fill()
        #expect(try await counts("month") == ["2026-01 2", "2026-02 1"])
        #expect(try await counts("day") == ["2026-01-01 1", "2026-01-05 1", "2026-02-10 1"])
        // The first of January 2026 is a Thursday, so its week is the first one.
        #expect(try await counts("week") == ["2026-W01 1", "2026-W02 1", "2026-W07 1"])
        #expect(try await counts("year") == ["2026 3"])
        #expect(try await counts("day", zone: "Pacific/Kiritimati").first == "2026-01-02 1")
    }

    @Test func `Two properties give the numbers of their combinations`() async throws {
        try await fill()
        #expect(try await counts("folder", "month") == ["/notes/birds 2026-01 2", "- 2026-02 1"])
        #expect(
            try await counts("tag", "month") == ["Garden 2026-01 2", "birds 2026-01 1", "- 2026-02 1"])
    }

    @Test func `An entry with too many combinations of values is refused`() async throws {
        func values(_ count: Int) -> MetadataValue { .array((0..<count).map { .string("\($0)") }) }
        let large = EntryCounter.maximumCombinations
        let entry = Entry(
            content: "a", embeddings: [1, 0],
            metadata: ["a": values(100), "b": values(large / 100), "c": values(2), "d": values(large + 1)])
        _ = try await storage.commit(WriteBatch(upserts: [entry]))
        #expect(try await counts("a", "b").count == large)
        #expect(try await counts("d", "none").count == large + 1)
        let error = await #expect(throws: RoostError.self) { try await counts("a", "b", "c") }
        #expect(error?.code == .badInput && error?.message.contains("fewer properties") == true)
    }

    @Test func `A name is that of a property, or a metadata key`() {
        #expect(EntryProperty("month") == .month)
        #expect(EntryProperty("metadata.month") == .metadata("month"))
        #expect(EntryProperty("status") == .metadata("status"))
        #expect(EntryProperty("") == nil && EntryProperty("metadata.") == nil)
        #expect(EntryProperty("tags") == .tag)
        let keys = ["status", "metadata.year", "metadata.tags", "metadata.count", "metadata.metadata.x"]
        for name in EntryProperty.names + keys {
            #expect(EntryProperty(name)?.name == name)
        }
        #expect(EntryProperty("count")?.name == "metadata.count")
    }
}
