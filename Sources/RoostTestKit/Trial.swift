import Foundation
import RoostModel
import RoostVectors

/// Checks one law with one store.
struct Trial: Sendable {
    let law: StorageLaw
    let fixture: any StorageFixture
    let store: any StorageProvider

    func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
        try law.require(condition, message())
    }

    func requireEqual<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) throws {
        try require(found == expected, Self.difference(subject, "\(found)", "\(expected)"))
    }

    /// Describes where two texts begin to differ, with some of the surrounding text.
    private static func difference(_ subject: String, _ found: String, _ expected: String) -> String {
        let same = zip(found, expected).prefix { $0 == $1 }.count
        func excerpt(_ text: String) -> Substring { text.dropFirst(max(0, same - 40)).prefix(200) }
        return "\(subject): found …\(excerpt(found)), expected …\(excerpt(expected))"
    }

    func requireSame(_ found: StorageContents, _ expected: StorageContents, _ subject: String) throws {
        let differences = found.differences(from: expected)
        try require(differences.isEmpty, "\(subject) differs in \(differences.joined(separator: ", "))")
    }

    func requireError(
        _ code: StorageError.Code, _ subject: String, _ body: () async throws -> Void
    ) async throws {
        do {
            try await body()
        } catch let error as StorageError where error.code == code {
            return
        } catch {
            throw LawViolation(law: law, message: "\(subject): threw \(error) instead of \(code.rawValue)")
        }
        throw LawViolation(law: law, message: "\(subject): did not throw \(code.rawValue)")
    }

    func entry(_ number: Int, _ content: String? = nil, dimension: Int = 4) -> Entry {
        var vector = [Float](repeating: 0, count: dimension)
        vector[number % dimension] = 1
        return Entry(
            content: content ?? "entry \(number)", embeddings: vector,
            createdAt: Date(milliseconds: 1_700_000_000_000 + Int64(number)))
    }

    func changes(after cursor: ChangeCursor, limit: Int) async throws -> ([Change], ChangeCursor) {
        guard let all = try await store.allChanges(after: cursor, limit: limit) else {
            throw LawViolation(law: law, message: "a cursor of the current epoch required a reset")
        }
        return all
    }
}

/// Checks of the laws about several handles of one store.
extension Trial {
    func reopenedStoreIsUnchanged() async throws {
        let entries = (0..<50).map { entry($0) }
        try await store.saveEntries(entries)
        for number in 0..<5 { try await store.saveEntry(entry(100 + number)) }
        try await store.deleteEntry(entries[7].id)
        try await store.updateCluster(Cluster(label: "c", members: [entries[1].id]))
        let before = try await store.snapshot()
        let fetched = try await store.fetchEntries()
        let clusters = try await store.fetchClusters()
        let (all, cursor) = try await changes(after: .start, limit: 100)
        let (new, kept) = (entry(200), entries[0].id)
        try await requireError(.conflict, "an expected absence of an entry that is stored") {
            _ = try await store.commit(
                WriteBatch(upserts: [new], removals: [kept], expecting: .init(entries: [kept: .zero])))
        }
        try await requireError(.dimensionMismatch, "a vector of another dimension") {
            _ = try await store.commit(WriteBatch(upserts: [new, entry(201, dimension: 5)]))
        }
        try await requireError(.invalidBatch, "an assignment to a missing cluster") {
            _ = try await store.commit(
                WriteBatch(
                    upserts: [new], assignments: [Assignment(entry: kept, target: .cluster(UUID()))]))
        }
        try await requireCancellation("a commit") { [store] in
            _ = try await store.commit(WriteBatch(upserts: [new]))
        }
        try await store.close()
        let reopened = try await fixture.open()
        try requireEqual(try await reopened.snapshot().stamp, before.stamp, "the stamp")
        try requireEqual(try await reopened.fetchEntries(), fetched, "the entries")
        try requireEqual(try await reopened.fetchClusters(), clusters, "the clusters")
        guard case .changes(let changes, _, _) = try await reopened.changes(after: .start, limit: 100) else {
            throw LawViolation(law: law, message: "reading the changes from the start required a reset")
        }
        try requireEqual(changes, all, "the changes")
        guard case .changes(let later, _, _) = try await reopened.changes(after: cursor, limit: 100) else {
            throw LawViolation(law: law, message: "a cursor from before the reopening required a reset")
        }
        try requireEqual(later.count, 0, "the number of changes since the cursor")
        try await reopened.close()
    }

    func handlesSeeEachOthersCommits() async throws {
        let other = try await fixture.open()
        let first = entry(1)
        try await store.saveEntry(first)
        try requireEqual(try await other.fetchEntries(), [first], "the entries that the other handle sees")
        let second = entry(2)
        try await other.saveEntry(second)
        try requireEqual(
            try await store.fetchEntries(), [first, second], "the entries that the first handle sees")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (writer, handle) in [store, other].enumerated() {
                let entries = (0..<25).map { entry(writer * 100 + $0) }
                group.addTask { for entry in entries { try await handle.saveEntry(entry) } }
            }
            try await group.waitForAll()
        }
        try requireEqual(
            try await store.fetchEntries().count, 52, "the number of entries that two handles saved")
        try requireEqual(
            try await store.fetchEntries(), try await other.fetchEntries(),
            "the entries that the two handles see")
        try await other.close()
    }

    func olderCopyRequiresReset() async throws {
        // The store acts as an older copy: it has not reached the revision of the reader's cursor.
        try await store.saveEntries((0..<3).map { entry($0) })
        let (_, cursor) = try await changes(after: .start, limit: 100)
        var ahead = cursor
        ahead.revision = Revision(rawValue: cursor.revision.rawValue + 5)
        try requireEqual(
            try await store.changes(after: ahead, limit: 10), .resetRequired,
            "the page after a cursor of a future revision")
        // When the store later reaches that revision, the new epoch that a restore begins shows the
        // difference.
        try await store.renewEpoch()
        for number in 10..<20 { try await store.saveEntry(entry(number)) }
        try requireEqual(
            try await store.changes(after: ahead, limit: 10), .resetRequired,
            "the page after a cursor of the earlier epoch")
    }
}
