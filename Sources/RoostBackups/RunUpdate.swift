import Foundation
import RoostModel

/// The runs of a store by way of those of its last snapshot: entries that have no later revision are as they
/// were then, and need not be read.
struct RunUpdate {
    let repository: BackupRepository
    let snapshot: any StorageSnapshot
    let assignments: [Entry.ID: Assignment]
    let store: SegmentStore
    let writer: SegmentWriter

    /// With more new or changed entries than this, all are read at once more quickly.
    private static let largestShare = 0.2
    private static let groupSize = 64

    /// The same runs that reading the whole store gives.
    ///
    /// - Returns: `nil` where the last snapshot does not tell enough: of another history, entries gone, too
    ///   much changed, or something in it that cannot be read.
    func runs(since parent: BackupSnapshot) async throws -> (runs: [RunRecord], lastRow: UInt32)? {
        let (before, now) = (parent.stamp, snapshot.stamp)
        guard before.store == now.store, before.epoch == now.epoch, before.revision <= now.revision,
            let lastRow = parent.lastRow, let known = try await knownRuns(of: parent)
        else { return nil }
        let ids = known.flatMap(\.ids)
        let revisions = try await snapshot.revisions(of: ids)
        // An entry that is gone moves boundaries.
        guard revisions.count == ids.count else { return nil }
        let changed = ids.filter { (revisions[$0] ?? .zero) > before.revision }
        let limit = Int(Self.largestShare * Double(now.entryCount))
        guard changed.count <= limit, let added = try await entries(after: lastRow, limit, ids) else {
            return nil
        }
        let newer = Dictionary(try await snapshot.entries(changed).map { ($0.id, $0) }) { first, _ in first }
        guard newer.count == changed.count else { return nil }
        let areAssignmentsNew = try await snapshot.clustersRevision() > before.revision
        var records: [RunRecord] = []
        for start in stride(from: 0, to: known.count - 1, by: Self.groupSize) {
            try Task.checkCancellation()
            let group = Array(known[start..<min(known.count - 1, start + Self.groupSize)])
            do {
                records += try await writer.inOrder(group) { [self] run in
                    try await record(of: run, newer, areAssignmentsNew)
                }
            } catch is NotTold {
                return nil
            }
        }
        // The last run may go on.
        guard let last = known.last,
            let entries = try? await repository.entries(of: last.record, store).entries
        else { return nil }
        var cutter = RunCutter()
        var runs = (entries.map { newer[$0.id] ?? $0 } + added.entries).compactMap { cutter.add($0) }
        if let rest = cutter.rest() { runs.append(rest) }
        records += try await writer.write(runs, assignments)
        return (records, added.lastRow)
    }

    /// Boundaries are elsewhere now, or what is there cannot be read.
    private struct NotTold: Error {}

    private struct KnownRun: Sendable {
        var record: RunRecord
        var ids: [Entry.ID]
    }

    private func knownRuns(of parent: BackupSnapshot) async throws -> [KnownRun]? {
        var known: [KnownRun] = []
        for list in parent.lists {
            guard let runs = try? await repository.runs(of: list, store) else { return nil }
            for run in runs {
                guard let data = try? await store.read(run.ids, .ids),
                    let ids = try? EntryCodec.decodeIDs(data),
                    run.all.allSatisfy({ store.location(of: $0.0) != nil })
                else { return nil }
                known.append(KnownRun(record: run, ids: ids))
            }
        }
        return known
    }

    /// Entries that came after a row.
    private func entries(
        after row: UInt32, _ limit: Int, _ known: [Entry.ID]
    ) async throws -> (entries: [Entry], lastRow: UInt32)? {
        var (entries, last, next) = ([Entry](), row, UInt32?.some(row))
        while let row = next {
            let page = try await snapshot.entries(after: row, limit: 1000, matching: .all)
            entries += page.entries
            last = page.rows.last ?? last
            next = page.next
            guard entries.count <= limit else { return nil }
        }
        // One that was removed and came again has another place now.
        let old = Set(known)
        guard !entries.contains(where: { old.contains($0.id) }),
            entries.count + known.count == snapshot.stamp.entryCount
        else { return nil }
        return (entries, last)
    }

    private func record(
        of run: KnownRun, _ newer: [Entry.ID: Entry], _ areAssignmentsNew: Bool
    ) async throws -> RunRecord {
        guard run.ids.contains(where: { newer[$0] != nil }) else {
            var record = run.record
            await writer.countKnown(record.all.count)
            if areAssignmentsNew {
                record.assignments = try await writer.write(
                    run.ids.map { assignments[$0] }, relativeTo: record.assignments)
            }
            return record
        }
        guard let old = try? await repository.entries(of: run.record, store).entries else { throw NotTold() }
        let entries = old.map { newer[$0.id] ?? $0 }
        var cutter = RunCutter()
        for (place, entry) in entries.enumerated() {
            guard (cutter.add(entry) != nil) == (place == entries.count - 1) else { throw NotTold() }
        }
        return try await writer.write(entries, entries.map { assignments[$0.id] })
    }
}
