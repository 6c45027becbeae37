public import RoostModel

extension KnowledgeStore {
    /// Returns the links in the text of an entry, in order.
    ///
    /// Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by an alias.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the store does not contain the entry; `StorageError`.
    @concurrent
    public func links(of id: Entry.ID) async throws -> [EntryLink] {
        let snapshot = try await storage.snapshot()
        return try await LinkGraph(snapshot).links(of: try await linkedEntry(id, snapshot))
    }

    /// Returns the links to an entry, in the order of the paths of the entries that contain them.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the store does not contain the entry; `StorageError`.
    @concurrent
    public func backlinks(to id: Entry.ID) async throws -> [LinkedEntry] {
        let snapshot = try await storage.snapshot()
        return try await LinkGraph(snapshot).backlinks(to: try await linkedEntry(id, snapshot))
    }

    /// Returns the links that lead neither to an entry of the store nor to a file, in the order of the paths
    /// of the entries that contain them.
    ///
    /// Web pages are not requested, and files next to a note are not read.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func brokenLinks() async throws -> [LinkedEntry] {
        try await LinkGraph(try await storage.snapshot()).brokenLinks()
    }

    private func linkedEntry(_ id: Entry.ID, _ snapshot: any StorageSnapshot) async throws -> Entry {
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "cannot read the links of entry \(id.text): it was not found")
        }
        return entry
    }
}
