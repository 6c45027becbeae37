import Foundation
import Testing

@testable import RoostModel

struct PagesTests {
    private let entries = (0..<23).map {
        Entry(content: "entry \($0)", embeddings: [Float($0), 1], tags: $0 % 2 == 0 ? ["even"] : [])
    }

    private func storage() async throws -> InMemoryStorageProvider {
        let storage = InMemoryStorageProvider()
        try await storage.saveEntries(entries)
        return storage
    }

    @Test func `a sequence of entries reads one snapshot, taken at its first entry`() async throws {
        let storage = try await storage()
        let sequence = storage.allEntries(pageSize: 2)
        try await storage.deleteEntry(entries[0].id)
        var iterator = sequence.makeAsyncIterator()
        var found = [try await iterator.next()]
        try await storage.saveEntry(Entry(content: "later"))
        while let entry = try await iterator.next() { found.append(entry) }
        #expect(found == Array(entries[1...]))
    }

    @Test func `reading pages stops when the task is canceled`() async throws {
        let snapshot = try await storage().snapshot()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in snapshot.entryPages(pageSize: 1) {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a page that does not end after the one before ends the reading`() async throws {
        let pages = SnapshotPages<EntryPage>(limit: 1) { _, _ in
            EntryPage(entries: [Entry(content: "again")], rows: [7], next: 7)
        }
        var count = 0
        let error = await #expect(throws: StorageError.self) { for try await _ in pages { count += 1 } }
        #expect(error?.code == .damaged && count == 1)
    }
}
