import Foundation
import RoostModel

/// Encodes values as segments, and writes the segments that the repository does not yet have.
actor SegmentWriter {
    nonisolated let store: SegmentStore
    nonisolated let packs: PackWriter
    private(set) var counts = (new: 0, all: 0)

    init(store: SegmentStore, packs: PackWriter) { (self.store, self.packs) = (store, packs) }

    /// The number of runs that are encoded and compressed at the same time.
    private static let concurrency = 4

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

    @concurrent
    nonisolated func write(_ entries: [Entry], _ assignments: [Assignment?]) async throws -> RunRecord {
        let ids = try await write(EntryCodec.encodeIDs(entries), .ids)
        let texts = try await write(try EntryCodec.encodeTexts(entries), .entries)
        let vectors = try await write(EntryCodec.encodeVectors(entries), .vectors)
        var assigned: SegmentID?
        if assignments.contains(where: { $0 != nil }) {
            assigned = try await write(EntryCodec.encodeAssignments(assignments), .assignments)
        }
        return RunRecord(
            ids: ids, entries: texts, vectors: vectors, assignments: assigned, count: entries.count)
    }

    /// Writes a segment unless the repository already has it.
    @concurrent
    nonisolated func write(_ data: Data, _ kind: SegmentKind) async throws -> SegmentID {
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
        let compressed = try ZstdCodec.compress(data, level: Self.level(of: kind))
        let stored = compressed ?? data
        let location = SegmentLocation(
            kind: kind, form: compressed == nil ? .plain : .compressed, offset: 0, storedSize: stored.count,
            size: data.count)
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
