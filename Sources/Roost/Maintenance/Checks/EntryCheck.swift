import RoostModel

/// Inspects entries, passages, vectors and assignments.
struct EntryCheck: StoreContentCheck {
    func findings(in contents: StoreContents) async throws -> [StorageFinding] {
        try await contents.snapshot.inspectContents(space: contents.space)
    }
}
