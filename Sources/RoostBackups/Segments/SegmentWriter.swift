import Foundation
import RoostChunks
import RoostModel

/// Encodes values as segments, and writes the segments that the repository does not yet have.
actor SegmentWriter {
    nonisolated let store: SegmentStore
    nonisolated let packs: PackWriter
    /// The runs of the store's newest snapshot, keyed by the id of the segment that contains the ids of their
    /// entries.
    nonisolated private let bases: [SegmentID: RunRecord]
    /// The number of segments that were written, and the total number of segments.
    private(set) var counts = (new: 0, all: 0)

    init(store: SegmentStore, packs: PackWriter, bases: [SegmentID: RunRecord]) {
        (self.store, self.packs, self.bases) = (store, packs, bases)
    }

    /// The number of runs that are encoded and compressed at the same time.
    private static let concurrency = 4

    /// Writes runs of entries and returns their records in the same order.
    nonisolated func write(
        _ runs: [[Entry]], _ assignments: [Entry.ID: Assignment]
    ) async throws -> [RunRecord] {
        try await inOrder(runs) { run in try await self.write(run, run.map { assignments[$0.id] }) }
    }

    private struct Numbered<Value: Sendable>: Sendable {
        var index: Int
        var value: Value
    }

    /// Transforms items concurrently, with at most ``concurrency`` tasks, and returns the results in the
    /// order of the items.
    nonisolated func inOrder<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ transform: @escaping @Sendable (Item) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Numbered<Value>.self) { group in
            var values = [Value?](repeating: nil, count: items.count)
            var next = 0
            func addNext() {
                guard next < items.count else { return }
                let (index, item) = (next, items[next])
                next += 1
                group.addTask { Numbered(index: index, value: try await transform(item)) }
            }
            for _ in 0..<Self.concurrency { addNext() }
            while let result = try await group.next() {
                values[result.index] = .some(result.value)
                addNext()
            }
            return values.compactMap { $0 }
        }
    }

    /// Writes the segments of one run.
    @concurrent
    nonisolated func write(_ entries: [Entry], _ assignments: [Assignment?]) async throws -> RunRecord {
        let ids = try await write(EntryCodec.encodeIDs(entries), .ids)
        let base = bases[ids]
        let texts = try await write(try EntryCodec.encodeTexts(entries), .entries, relativeTo: base?.entries)
        let vectors = try await write(EntryCodec.encodeVectors(entries), .vectors, relativeTo: base?.vectors)
        let assigned = try await write(assignments, relativeTo: base?.assignments)
        return RunRecord(
            ids: ids, entries: texts, vectors: vectors, assignments: assigned, count: entries.count)
    }

    /// Writes the assignments of a run.
    ///
    /// - Returns: `nil` if no entry has an assignment.
    @concurrent
    nonisolated func write(
        _ assignments: [Assignment?], relativeTo base: SegmentID?
    ) async throws -> SegmentID? {
        guard assignments.contains(where: { $0 != nil }) else { return nil }
        return try await write(EntryCodec.encodeAssignments(assignments), .assignments, relativeTo: base)
    }

    /// Writes a segment unless the repository already has it.
    ///
    /// - Parameter base: The corresponding segment of the previous snapshot. If the two have much in common,
    ///   the new segment is compressed relative to it.
    /// - Returns: The name of the segment.
    @concurrent
    nonisolated func write(
        _ data: Data, _ kind: SegmentKind, relativeTo base: SegmentID? = nil
    ) async throws -> SegmentID {
        guard data.count <= SegmentLocation.maximumSize else {
            throw BackupError(
                .badInput,
                "cannot back up a segment of \(data.count) bytes: the limit is "
                    + "\(SegmentLocation.maximumSize)")
        }
        let id = store.naming.id(of: data, kind)
        let isNew = await packs.claim(id)
        await count(isNew)
        guard isNew else { return id }
        var location = SegmentLocation(
            kind: kind, form: .plain, offset: 0, storedSize: 0, size: data.count, base: nil)
        var stored = data
        // If the base is itself relative to another segment, that segment is used instead, so no chains form.
        // The relative form is used only if it is less than half as large as the base, because the base
        // cannot be removed while another segment depends on it.
        if let base, let known = store.location(of: base) {
            let root = known.base ?? base
            let limit = (store.location(of: root)?.storedSize ?? 0) / 2
            if let prefix = try? await store.read(root, kind),
                let smaller = try ZstdCodec.compress(data, level: ZstdCodec.defaultLevel, prefix: prefix),
                smaller.count < limit
            {
                (stored, location.form, location.base) = (smaller, .relative, root)
            }
        }
        if location.base == nil, let smaller = try ZstdCodec.compress(data, level: Self.level(of: kind)) {
            (stored, location.form) = (smaller, .compressed)
        }
        location.storedSize = stored.count
        try await packs.add(id, location, stored)
        return id
    }

    /// Returns the compression level. At higher levels, vectors hardly become smaller but take much longer.
    private static func level(of kind: SegmentKind) -> Int32 {
        kind == .vectors ? 1 : ZstdCodec.defaultLevel
    }

    private func count(_ isNew: Bool) {
        counts.all += 1
        if isNew { counts.new += 1 }
    }
}
