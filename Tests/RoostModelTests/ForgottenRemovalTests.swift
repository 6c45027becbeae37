import Foundation
import Testing

@testable import RoostModel

struct ForgottenRemovalTests {
    private let entries = (0..<4).map { Entry(content: "entry \($0)", embeddings: [1, 0]) }

    private func remove(_ entry: Entry, from storage: InMemoryStorageProvider, at seconds: Int64) throws {
        try storage.apply(WriteBatch(removals: [entry.id]), at: Date(milliseconds: seconds * 1000))
    }

    /// Returns the removed entries of which the change feed still tells.
    private func removals(of storage: InMemoryStorageProvider) async throws -> Set<Entry.ID> {
        let page = try await storage.changes(after: .start, limit: 100)
        guard case .changes(let changes, _, _) = page else {
            Issue.record("the feed cannot be read from its start")
            return []
        }
        return Set(
            changes.compactMap { change in
                if case .removed(let id) = change.kind { id } else { nil }
            })
    }

    @Test func `removals before a date are forgotten, in whatever order they were made`() async throws {
        let storage = InMemoryStorageProvider()
        try await storage.saveEntries(entries)
        // The clock was set back between the first two.
        for (entry, seconds) in zip(entries, [100, 50, 200] as [Int64]) {
            try remove(entry, from: storage, at: seconds)
        }
        let ids = entries.map(\.id)
        for (date, rest) in [(40, [0, 1, 2]), (75, [0, 2]), (150, [2]), (150, [2])] as [(Int64, [Int])] {
            storage.forgetRemovals(before: Date(milliseconds: date * 1000))
            #expect(try await removals(of: storage) == Set(rest.map { ids[$0] }), "before \(date)")
        }
        try remove(entries[3], from: storage, at: 120)
        storage.forgetRemovals(before: Date(milliseconds: 150_000))
        #expect(try await removals(of: storage) == [ids[2]])
        storage.forgetRemovals(before: Date(milliseconds: 300_000))
        #expect(try await removals(of: storage).isEmpty)
        let later = Entry(content: "later", embeddings: [1, 0])
        try await storage.saveEntry(later)
        try remove(later, from: storage, at: 400)
        #expect(try await removals(of: storage) == [later.id])
    }
}
