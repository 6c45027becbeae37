/// Segments of a snapshot that are needed for the same data.
struct SegmentGroup {
    var segments: [(id: SegmentID, kind: SegmentKind)]
    /// The number of entries that need the segments.
    var entryCount = 0
    /// The number of original files that need the segments.
    var documentCount = 0
}

extension BackupRepository {
    /// Calls `body` with the segments of a snapshot. A list is passed before it is read.
    ///
    /// - Parameter isUnreadable: Called with the error of a list that cannot be read, which is then skipped
    ///   if the result is `true`.
    func forEachGroup(
        of snapshot: BackupSnapshot, _ store: SegmentStore, isUnreadable: (SegmentID, any Error) -> Bool,
        _ body: (SegmentGroup) throws -> Void
    ) async throws {
        func elements<Element>(
            of list: SegmentID, _ kind: SegmentKind, _ read: () async throws -> [Element]
        ) async throws -> [Element] {
            try body(SegmentGroup(segments: [(list, kind)]))
            do {
                return try await read()
            } catch  where isUnreadable(list, error) {
                return []
            }
        }
        for id in snapshot.sources { try body(SegmentGroup(segments: [(id, .sources)])) }
        for id in snapshot.clusters { try body(SegmentGroup(segments: [(id, .clusters)])) }
        if let run = snapshot.run { try body(SegmentGroup(segments: [(run, .run)])) }
        for list in snapshot.originals {
            for record in try await elements(of: list, .originals, { try await originals(of: list, store) }) {
                try body(SegmentGroup(segments: record.parts.map { ($0, .original) }, documentCount: 1))
            }
        }
        for list in snapshot.lists {
            for run in try await elements(of: list, .list, { try await runs(of: list, store) }) {
                try body(SegmentGroup(segments: run.all, entryCount: run.count))
            }
        }
    }
}
