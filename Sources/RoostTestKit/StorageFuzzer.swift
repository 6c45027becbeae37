import RoostModel

/// Does random things to a store and to the in-memory reference, and compares what they answer after each.
/// What differs is shrunk to the shortest sequence that still does.
public struct StorageFuzzer: Sendable {
    public var seed: UInt64
    /// How many operations.
    public var length: Int

    public init(seed: UInt64, length: Int = 100) {
        self.seed = seed
        self.length = length
    }

    /// What went wrong, with the shortest sequence of operations that shows it.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let seed: UInt64
        public let operations: [FuzzOperation]
        public let message: String

        public var description: String {
            let steps = operations.enumerated().map { "  \($0.offset + 1). \($0.element)" }
            return "seed \(seed): \(message), after\n\(steps.joined(separator: "\n"))"
        }
    }

    /// Runs the operations on a fresh store.
    ///
    /// - Parameter makeFixture: makes a fixture with an empty store; called again for each try of shrinking.
    /// - Throws: ``Failure``; what `makeFixture` throws.
    public func run(_ makeFixture: () async throws -> any StorageFixture) async throws {
        let probe = try await makeFixture()
        let level = probe.level
        await probe.tearDown()
        var generator = FuzzGenerator(seed: seed, level: level)
        let operations = (0..<length).map { _ in generator.operation() }
        guard let message = try await attempt(operations, makeFixture) else { return }
        let (shortest, last) = try await shrink(operations, message, makeFixture)
        throw Failure(seed: seed, operations: shortest, message: last)
    }

    /// Leaves out ever smaller parts as long as something still goes wrong.
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

    /// - Returns: what went wrong, if something did.
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
            return "\(error) was thrown at step \(step)"
        }
    }
}

/// A store and the reference beside it.
private struct FuzzRun {
    let fixture: any StorageFixture
    var store: any StorageProvider
    let reference = InMemoryStorageProvider()
    var held: [(store: any StorageSnapshot, reference: any StorageSnapshot)] = []
    var cursors: (store: ChangeCursor, reference: ChangeCursor) = (.start, .start)

    init(_ fixture: any StorageFixture) async throws {
        self.fixture = fixture
        store = try await fixture.open()
    }

    /// What a call came to: two stores agree where these are equal.
    private enum Outcome: Equatable {
        case done
        case refused(StorageError.Code)
        case failed(String)
    }

    private func outcome(
        _ store: any StorageProvider, _ body: (any StorageProvider) async throws -> Void
    ) async -> Outcome {
        do {
            try await body(store)
            return .done
        } catch let error as StorageError {
            return .refused(error.code)
        } catch {
            return .failed("\(type(of: error))")
        }
    }

    /// - Returns: what differs, if something does.
    mutating func perform(_ operation: FuzzOperation) async throws -> String? {
        switch operation {
        case .holdSnapshot:
            held.append((try await store.snapshot(), try await reference.snapshot()))
            return nil
        case .reopen(let closing):
            let other = try await fixture.open()
            if closing { try await store.close() } else { try await fixture.crash(store) }
            // Snapshots of a handle that is gone are gone with it.
            held = []
            store = other
        case .followChanges(let limit): return try await followChanges(limit)
        default:
            let body = Self.body(of: operation)
            let (found, expected) = (await outcome(store, body), await outcome(reference, body))
            guard found == expected else {
                return "\(operation): \(found), where the reference was \(expected)"
            }
        }
        return try await compare()
    }

    private static func body(
        of operation: FuzzOperation
    ) -> (any StorageProvider) async throws -> Void {
        { store in
            switch operation {
            case .commit(let batch): _ = try await store.commit(batch)
            case .conditional(var batch, let entries, let clusters, let isStale):
                let snapshot = try await store.snapshot()
                let revisions = try await snapshot.revisions(of: entries)
                for id in entries {
                    let revision = revisions[id] ?? .zero
                    batch.expecting.entries[id] =
                        isStale ? Revision(rawValue: revision.rawValue + 1000) : revision
                }
                if clusters {
                    let revision = try await snapshot.clustersRevision()
                    batch.expecting.clusters =
                        isStale ? Revision(rawValue: revision.rawValue + 1000) : revision
                }
                _ = try await store.commit(batch)
            case .saveEntry(let entry): try await store.saveEntry(entry)
            case .updateCluster(let cluster): try await store.updateCluster(cluster)
            case .deleteEntry(let id): try await store.deleteEntry(id)
            case .renewEpoch: try await store.renewEpoch()
            case .compact: try await store.compact()
            case .holdSnapshot, .followChanges, .reopen: break
            }
        }
    }

    private func compare() async throws -> String? {
        if fixture.level == .simple {
            let (found, expected) = (try await store.fetchEntries(), try await reference.fetchEntries())
            guard found == expected else { return "other entries than the reference" }
            // Without members a cluster stands for none.
            let clusters = try await store.fetchClusters().filter { !$0.members.isEmpty }
            let wanted = try await reference.fetchClusters().filter { !$0.members.isEmpty }
            return Set(clusters.map(\.id)) == Set(wanted.map(\.id))
                ? nil : "other clusters than the reference"
        }
        let found = try await StorageContents(store, pageSize: 3)
        let expected = try await StorageContents(reference, pageSize: 5)
        let differences = found.differences(from: expected)
        return differences.isEmpty ? nil : "other \(differences.joined(separator: ", ")) than the reference"
    }

    private mutating func followChanges(_ limit: Int) async throws -> String? {
        let found = try await changes(store, after: &cursors.store, limit: limit)
        let expected = try await changes(reference, after: &cursors.reference, limit: limit)
        return found == expected ? nil : "other changes by pages of \(limit) than the reference"
    }

    /// - Returns: `nil` for a reset, after which the cursor stands at the start.
    private func changes(
        _ store: any StorageProvider, after cursor: inout ChangeCursor, limit: Int
    ) async throws -> [Change]? {
        var all: [Change] = []
        while true {
            guard
                case .changes(let page, let next, let isLast) = try await store.changes(
                    after: cursor, limit: limit)
            else {
                cursor = .start
                return nil
            }
            all += page
            cursor = next
            if isLast { return all }
        }
    }

    func compareSnapshots() async throws -> String? {
        for (found, expected) in held {
            let differences = try await StorageContents(found, pageSize: 4).differences(
                from: StorageContents(expected))
            if !differences.isEmpty {
                return "a snapshot that was kept has other \(differences.joined(separator: ", "))"
            }
        }
        return nil
    }
}
