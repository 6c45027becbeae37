import Foundation
import RoostChunks
import RoostModel

/// Makes segments of values and writes those that are not there.
actor SegmentWriter {
    nonisolated let store: SegmentStore
    nonisolated let packs: PackWriter
    nonisolated private let bases: [SegmentID: RunRecord]
    private(set) var counts = (new: 0, all: 0)

    init(store: SegmentStore, packs: PackWriter, bases: [SegmentID: RunRecord]) {
        (self.store, self.packs, self.bases) = (store, packs, bases)
    }

    /// How many runs of entries are made at a time.
    private static let concurrency = 4

    /// Several runs, in their order.
    nonisolated func write(
        _ runs: [[Entry]], _ assignments: [Entry.ID: Assignment]
    ) async throws -> [RunRecord] {
        try await inOrder(runs) { run in try await self.write(run, run.map { assignments[$0.id] }) }
    }

    private struct Numbered<Value: Sendable>: Sendable {
        var place: Int
        var value: Value
    }

    /// Makes something of each of some things, a few at a time.
    nonisolated func inOrder<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ make: @escaping @Sendable (Item) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Numbered<Value>.self) { group in
            var values = [Value?](repeating: nil, count: items.count)
            var next = 0
            func addNext() {
                guard next < items.count else { return }
                let (place, item) = (next, items[next])
                next += 1
                group.addTask { Numbered(place: place, value: try await make(item)) }
            }
            for _ in 0..<Self.concurrency { addNext() }
            while let made = try await group.next() {
                values[made.place] = .some(made.value)
                addNext()
            }
            return values.compactMap { $0 }
        }
    }

    @concurrent
    nonisolated func write(_ entries: [Entry], _ assignments: [Assignment?]) async throws -> RunRecord {
        let ids = try await write(EntryCodec.encodeIDs(entries), .ids)
        let base = bases[ids]
        let texts = try await write(try EntryCodec.encodeTexts(entries), .entries, relativeTo: base?.entries)
        let vectors = try await write(EntryCodec.encodeVectors(entries), .vectors, relativeTo: base?.vectors)
        let places = try await write(assignments, relativeTo: base?.assignments)
        return RunRecord(
            ids: ids, entries: texts, vectors: vectors, assignments: places, count: entries.count)
    }

    /// - Returns: `nil` where no entry has a place.
    @concurrent
    nonisolated func write(
        _ assignments: [Assignment?], relativeTo base: SegmentID?
    ) async throws -> SegmentID? {
        guard assignments.contains(where: { $0 != nil }) else { return nil }
        return try await write(EntryCodec.encodeAssignments(assignments), .assignments, relativeTo: base)
    }

    /// - Parameter base: a segment of before in whose place this one is.
    @concurrent
    nonisolated func write(
        _ data: Data, _ kind: SegmentKind, relativeTo base: SegmentID? = nil
    ) async throws -> SegmentID {
        guard data.count <= SegmentLocation.largestSize else {
            throw BackupError(.badInput, "an entry is too large for a backup: \(data.count) bytes")
        }
        let id = store.naming.id(of: data, kind)
        let isNew = await packs.claim(id)
        await count(isNew)
        guard isNew else { return id }
        var location = SegmentLocation(
            kind: kind, form: .plain, offset: 0, storedSize: 0, size: data.count, base: nil)
        var stored = data
        // Relative to one that stands by itself, so that no chain grows; only where that helps much, since
        // it keeps the other one alive.
        if let base, let known = store.location(of: base) {
            let root = known.base ?? base
            let limit = (store.location(of: root)?.storedSize ?? 0) / 2
            if let prefix = try? await store.read(root, kind),
                let smaller = try ZstdCodec.compress(data, level: 3, prefix: prefix), smaller.count < limit
            {
                (stored, location.form, location.base) = (smaller, .relative, root)
            }
        }
        if location.base == nil, let smaller = try ZstdCodec.compress(data, level: kind == .vectors ? 1 : 3) {
            (stored, location.form) = (smaller, .compressed)
        }
        location.storedSize = stored.count
        try await packs.add(id, location, stored)
        return id
    }

    private func count(_ isNew: Bool) {
        counts.all += 1
        if isNew { counts.new += 1 }
    }
}

/// Gathers runs of entries into lists and writes those.
struct ListWriter {
    let writer: SegmentWriter
    private var records: [RunRecord] = []
    private var lists: [SegmentID] = []

    init(writer: SegmentWriter) { self.writer = writer }

    mutating func add(_ record: RunRecord) async throws {
        records.append(record)
        if RunBoundaries.endsList(after: record, count: records.count) { try await write() }
    }

    /// All lists, with what is left in the last one.
    mutating func finish() async throws -> [SegmentID] {
        if !records.isEmpty { try await write() }
        return lists
    }

    private mutating func write() async throws {
        lists.append(try await writer.write(RunListCodec.encode(records), .list))
        records = []
    }
}

/// Cuts entries into runs.
struct RunCutter {
    private var pending: [Entry] = []
    private var bytes = 0

    /// - Returns: the run that the entry ends, if it ends one.
    mutating func add(_ entry: Entry) -> [Entry]? {
        pending.append(entry)
        bytes += entry.content.utf8.count
        guard RunBoundaries.endsRun(after: entry.id, count: pending.count, bytes: bytes) else { return nil }
        return rest()
    }

    /// What no boundary has ended.
    mutating func rest() -> [Entry]? {
        defer { (pending, bytes) = ([], 0) }
        return pending.isEmpty ? nil : pending
    }
}
