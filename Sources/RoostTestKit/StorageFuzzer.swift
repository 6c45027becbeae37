import RoostModel

/// A randomized test that performs the same operations on a store and on the in-memory store, and compares
/// the answers of the two stores after each operation.
///
/// If they differ, the fuzzer reduces the sequence of operations to a shorter one that still produces a
/// difference.
public struct StorageFuzzer: Sendable {
    /// The seed from which the operations are generated.
    public var seed: UInt64
    /// The number of operations.
    public var length: Int

    /// Creates a fuzzer.
    public init(seed: UInt64, length: Int = 100) { (self.seed, self.length) = (seed, length) }

    /// A difference between the store and the in-memory store, with a short sequence of operations that
    /// produces it.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The seed of the fuzzer.
        public let seed: UInt64
        /// Descriptions of the operations that lead to the difference.
        public let operations: [String]
        /// A description of the difference.
        public let message: String

        public var description: String {
            let steps = operations.enumerated().map { "  \($0.offset + 1). \($0.element)" }
            return "seed \(seed): \(message), after\n\(steps.joined(separator: "\n"))"
        }
    }

    /// Runs the operations on a new store.
    ///
    /// - Parameter makeFixture: Returns a fixture with an empty store. It is called again for each attempt to
    ///   shorten the sequence of operations.
    /// - Throws: ``Failure``; an error thrown by `makeFixture`; `CancellationError`.
    public func run(_ makeFixture: () async throws -> any StorageFixture) async throws {
        let probe = try await makeFixture()
        let level = probe.level
        await probe.tearDown()
        var generator = FuzzGenerator(seed: seed, level: level)
        let operations = (0..<length).map { _ in generator.operation() }
        guard let message = try await attempt(operations, makeFixture) else { return }
        let (shortest, last) = try await shrink(operations, message, makeFixture)
        throw Failure(seed: seed, operations: shortest.map { "\($0)" }, message: last)
    }

    /// Removes smaller and smaller parts of the sequence of operations while a difference remains (delta
    /// debugging).
    private func shrink(
        _ operations: [FuzzOperation], _ message: String, _ makeFixture: () async throws -> any StorageFixture
    ) async throws -> ([FuzzOperation], String) {
        var (shortest, message) = (operations, message)
        var part = max(1, operations.count / 2)
        while true {
            var start = 0
            var hasShrunk = false
            while start < shortest.count {
                var shorter = shortest
                shorter.removeSubrange(start..<min(start + part, shortest.count))
                if let other = try await attempt(shorter, makeFixture) {
                    (shortest, message, hasShrunk) = (shorter, other, true)
                } else {
                    start += part
                }
            }
            if part == 1, !hasShrunk { return (shortest, message) }
            part = max(1, part / 2)
        }
    }

    /// Runs operations on a new store.
    private func attempt(
        _ operations: [FuzzOperation], _ makeFixture: () async throws -> any StorageFixture
    ) async throws -> String? {
        let fixture = try await makeFixture()
        var step = 0
        do {
            var run = try await FuzzRun(fixture)
            var message: String?
            for operation in operations where message == nil {
                step += 1
                message = try await run.perform(operation).map { "\($0) at step \(step)" }
            }
            if message == nil { message = try await run.compareSnapshots() }
            try await run.store.close()
            await fixture.tearDown()
            return message
        } catch {
            await fixture.tearDown()
            try Task.checkCancellation()
            return "step \(step) threw \(error)"
        }
    }
}

private struct FuzzRun {
    let fixture: any StorageFixture
    var store: any StorageProvider
    let reference = InMemoryStorageProvider()
    var keptSnapshots: [(store: any StorageSnapshot, reference: any StorageSnapshot)] = []
    var cursors: (store: ChangeCursor, reference: ChangeCursor) = (.start, .start)

    init(_ fixture: any StorageFixture) async throws {
        self.fixture = fixture
        store = try await fixture.open()
    }

    /// Returns the outcome of an operation: "done", or the code or type of its error.
    private func outcome(of operation: FuzzOperation, on store: any StorageProvider) async -> String {
        do {
            try await apply(operation, to: store)
            return "done"
        } catch {
            return (error as? StorageError)?.code.rawValue ?? "\(type(of: error))"
        }
    }

    /// Performs an operation on both stores.
    mutating func perform(_ operation: FuzzOperation) async throws -> String? {
        switch operation {
        case .keepSnapshot:
            keptSnapshots.append((try await store.snapshot(), try await reference.snapshot()))
            return nil
        case .reopen(let closing):
            let other = try await fixture.open()
            if closing { try await store.close() } else { try await fixture.crash(store) }
            // In some providers, a snapshot becomes invalid when its handle is closed or abandoned.
            keptSnapshots = []
            store = other
        case .followChanges(let limit): return try await followChanges(limit)
        default:
            let found = await outcome(of: operation, on: store)
            let expected = await outcome(of: operation, on: reference)
            guard found == expected else {
                return "\(operation): the store returned \(found), but the reference returned \(expected)"
            }
        }
        return try await compare()
    }

    private func apply(_ operation: FuzzOperation, to store: any StorageProvider) async throws {
        switch operation {
        case .commit(let batch): _ = try await store.commit(batch)
        case .conditional(var batch, let entries, let clusters, let isStale):
            func expected(_ revision: Revision) -> Revision {
                isStale ? Revision(rawValue: revision.rawValue + 1000) : revision
            }
            let snapshot = try await store.snapshot()
            let revisions = try await snapshot.revisions(of: entries)
            for id in entries { batch.expecting.entries[id] = expected(revisions[id] ?? .zero) }
            if clusters { batch.expecting.clusters = expected(try await snapshot.clustersRevision()) }
            _ = try await store.commit(batch)
        case .saveEntry(let entry): try await store.saveEntry(entry)
        case .updateCluster(let cluster): try await store.updateCluster(cluster)
        case .deleteEntry(let id): try await store.deleteEntry(id)
        case .renewEpoch: try await store.renewEpoch()
        case .compact: try await store.compact()
        case .keepSnapshot, .followChanges, .reopen: break
        }
    }

    private func compare() async throws -> String? {
        if fixture.level == .simple {
            let (found, expected) = (try await store.fetchEntries(), try await reference.fetchEntries())
            guard found == expected else { return "the entries differ from those of the reference" }
            // In a simple store, a cluster without members is equivalent to a removed cluster.
            let clusters = try await store.fetchClusters().filter { !$0.members.isEmpty }
            let expectedClusters = try await reference.fetchClusters().filter { !$0.members.isEmpty }
            return Set(clusters.map(\.id)) == Set(expectedClusters.map(\.id))
                ? nil : "the clusters differ from those of the reference"
        }
        let found = try await StorageContents(store, pageSize: 3)
        let expected = try await StorageContents(reference, pageSize: 5)
        let differences = found.differences(from: expected)
        let list = differences.joined(separator: ", ")
        return list.isEmpty ? nil : "the store and the reference differ in \(list)"
    }

    private mutating func followChanges(_ limit: Int) async throws -> String? {
        let found = try await store.allChanges(after: cursors.store, limit: limit)
        let expected = try await reference.allChanges(after: cursors.reference, limit: limit)
        cursors = (found?.next ?? .start, expected?.next ?? .start)
        return found?.changes == expected?.changes
            ? nil : "the changes in pages of \(limit) differ from those of the reference"
    }

    func compareSnapshots() async throws -> String? {
        for (found, expected) in keptSnapshots {
            let differences = try await StorageContents(found, pageSize: 4).differences(
                from: StorageContents(expected))
            if !differences.isEmpty {
                return "a kept snapshot differs in \(differences.joined(separator: ", "))"
            }
        }
        return nil
    }
}
