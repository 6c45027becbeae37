import RoostModel
import RoostTestKit
import Testing

/// A store whose change feed never ends.
private struct StuckStorage: StorageDecorator {
    let base: InMemoryStorageProvider
    /// Whether the pages are empty. Otherwise, the first page is repeated.
    let hasEmptyPages: Bool

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ChangePage {
        guard !hasEmptyPages, case .changes(let page, _, _) = try await base.changes(after: .start, limit: 1)
        else { return .changes([], next: cursor, isLast: false) }
        return .changes(page, next: cursor, isLast: false)
    }
}

struct StuckChangesTests {
    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `the contents of a store whose change feed does not advance cannot be read`(
        hasEmptyPages: Bool
    ) async throws {
        let base = InMemoryStorageProvider()
        try await base.saveEntry(Entry(content: "a"))
        let store = StuckStorage(base: base, hasEmptyPages: hasEmptyPages)
        let error = await #expect(throws: StorageError.self) { _ = try await StorageContents(store) }
        #expect(error?.code == .damaged)
    }
}
