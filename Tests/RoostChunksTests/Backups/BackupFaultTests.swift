import Foundation
import RoostModel
import Testing

@testable import RoostChunks

/// Interrupted operations leave every listed snapshot complete, and damage is reported.
struct BackupFaultTests {
    /// Repeats an operation on copies of a repository, with a fault after the first change, then after the
    /// second, and so on.
    ///
    /// - Parameters:
    ///   - work: The operation.
    ///   - after: Checks the repository after each interrupted operation.
    /// - Returns: The number of changes that the complete operation makes.
    func atEachStep(
        _ fault: FaultyRetrieval.Fault, on base: InMemoryRetrieval,
        _ work: (BackupRepository) async throws -> Void,
        after: (BackupRepository, Bool) async throws -> Void
    ) async throws -> Int {
        for limit in 0... {
            let copy = try await base.copy()
            let faulty = FaultyRetrieval(copy, fault, after: limit)
            var isDone = true
            do {
                try await work(try await BackupRepository.open(faulty))
            } catch is FaultyRetrieval.Stopped {
                isDone = false
            } catch is ChunkStorageError {
                isDone = false
            }
            try await copy.removeLocks()
            try await after(try await BackupRepository.open(copy), isDone)
            if faulty.count <= limit { return limit }
        }
        return 0
    }

    func requireSound(
        _ repository: BackupRepository, _ states: [UInt64: any StorageSnapshot],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let verified = try await repository.verify(readingData: true)
        #expect(verified.isSound, "\(verified.findings)", sourceLocation: sourceLocation)
        for snapshot in try await repository.snapshots() {
            let state = try #require(states[snapshot.stamp.revision.rawValue])
            #expect(
                try await BackupMaterial.check(snapshot, repository, state) == nil,
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [true, false])
    func `a backup interrupted at any step leaves existing snapshots unchanged`(isKilled: Bool) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let first = try await storage.snapshot()
        _ = try await repository.create(of: first, documents: BackupMaterial.documents)
        _ = try await storage.commit(
            WriteBatch(upserts: (200..<450).map { BackupMaterial.entry($0, text: "second \($0)") }))
        let second = try await storage.snapshot()
        let states = [first.stamp.revision.rawValue: first, second.stamp.revision.rawValue: second]
        let steps = try await atEachStep(isKilled ? .killed : .fails, on: base) {
            _ = try await $0.create(of: second, documents: BackupMaterial.documents)
        } after: { repository, isDone in
            try await requireSound(repository, states)
            let count = try await repository.snapshots().count
            #expect(count == 2 || (!isDone && count == 1))
            // The next backup succeeds, and a prune removes everything that the interrupted one left behind.
            _ = try await repository.create(of: second, documents: BackupMaterial.documents)
            _ = try await repository.prune()
            try await requireSound(repository, states)
            #expect(try await repository.verify().strayPacks.isEmpty)
        }
        #expect(steps >= 4)
    }

    @Test(arguments: [true, false])
    func `a prune interrupted at any step loses no kept snapshot`(isKilled: Bool) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(400)
        var states: [UInt64: any StorageSnapshot] = [:]
        for round in 0..<4 {
            let changed = (0..<200).map { BackupMaterial.entry($0 * 2, text: "round \(round), \($0)") }
            _ = try await storage.commit(WriteBatch(upserts: changed))
            let state = try await storage.snapshot()
            states[state.stamp.revision.rawValue] = state
            _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        }
        let known = states
        let steps = try await atEachStep(isKilled ? .killed : .fails, on: base) {
            _ = try await $0.prune(keeping: BackupRetention(last: 2))
        } after: { repository, _ in
            try await requireSound(repository, known)
            #expect(try await repository.snapshots().count >= 2)
            // Another backup and prune keep all remaining snapshots intact.
            let before = try await repository.snapshots().count
            let newest = try #require(known.values.max { $0.stamp.revision < $1.stamp.revision })
            _ = try await repository.create(of: newest, documents: BackupMaterial.documents)
            _ = try await repository.prune()
            try await requireSound(repository, known)
            #expect(try await repository.snapshots().count == before + 1)
            _ = try await repository.prune(keeping: BackupRetention(last: 2))
            try await requireSound(repository, known)
            #expect(try await repository.snapshots().count == 2)
            #expect(try await repository.verify().strayPacks.isEmpty)
        }
        #expect(steps >= 8)
    }

    /// A retrieval that deletes all locks before an index is written, as other processes would after the
    /// owner of a lock had been suspended for an hour.
    struct LockDroppingRetrieval: ChunkRetrievalDecorator {
        let base: InMemoryRetrieval
        var wrapped: any ChunkStorageRetrieval { base }

        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            if path.hasPrefix(RepositoryObject.indexes) { try await base.removeLocks() }
            try await base.writeChunk(data, at: path, metadata: metadata)
        }
    }

    @Test func `an operation that lost its lock writes and removes nothing`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let state = try await storage.snapshot()
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(7, text: "changed")]))
        let suspended = try await BackupRepository.open(LockDroppingRetrieval(base: base))
        for work in [
            {
                _ = try await suspended.create(
                    of: try await storage.snapshot(), documents: BackupMaterial.documents)
            },
            { _ = try await suspended.prune(keeping: BackupRetention(last: 1)) },
        ] as [@Sendable () async throws -> Void] {
            let before = Set(try await base.paths(in: RepositoryObject.snapshots))
            let error = await #expect(throws: BackupError.self) { try await work() }
            #expect(error?.code == .locked)
            #expect(Set(try await base.paths(in: RepositoryObject.snapshots)) == before)
            _ = try await repository.create(of: state, documents: BackupMaterial.documents)
            #expect(try await repository.verify(readingData: true).isSound)
        }
    }

    @Test func `segments of a missing pack are written again`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        _ = try await repository.create(of: try await storage.snapshot(), documents: BackupMaterial.documents)
        let first = Set(try await base.paths(in: RepositoryObject.packs))
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(7, text: "changed")]))
        let state = try await storage.snapshot()
        let second = try await repository.create(of: state, documents: BackupMaterial.documents)
        #expect(second.newSegments < 6)
        for path in first { try await base.deleteChunk(at: path) }
        let third = try await repository.create(of: state, documents: BackupMaterial.documents)
        #expect(try await BackupMaterial.check(third.snapshot, repository, state) == nil)
        #expect(try await BackupMaterial.check(second.snapshot, repository, state) == nil)
    }

    @Test func `rules that keep no snapshot remove nothing, and foreign files are ignored`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let state = try await BackupMaterial.store(100).snapshot()
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        await #expect(throws: BackupError.self) {
            try await repository.prune(keeping: BackupRetention(tags: ["no such tag"]))
        }
        for path in ["snapshots/.DS_Store", "index/copy of x", "locks/odd"] {
            try await base.writeChunk(Data("x".utf8), at: path, metadata: nil)
        }
        #expect(try await repository.snapshots().count == 1)
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        // A corrupt snapshot can be removed by name and does not prevent further backups.
        let corrupt = try #require(try await base.paths(in: "snapshots").first { $0.count > 60 })
        try await base.writeChunk(Data("x".utf8), at: corrupt, metadata: nil)
        await #expect(throws: BackupError.self) { try await repository.snapshots() }
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        try await repository.forget([try await repository.name(beginning: RepositoryObject.name(of: corrupt))]
        )
        #expect(try await repository.snapshots().count == 2)
        #expect(try await repository.verify(readingData: true).isSound)
        // With snapshots of several stores, `latest` is ambiguous.
        _ = try await repository.create(of: try await BackupMaterial.store(50).snapshot())
        await #expect(throws: BackupError.self) { try await repository.snapshot("latest") }
    }

    struct ReadOnlyRetrieval: ChunkRetrievalDecorator {
        let wrapped: any ChunkStorageRetrieval

        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            throw ChunkStorageError.storageUnavailable(reason: "read-only file system")
        }
        func deleteChunk(at path: String) async throws {
            throw ChunkStorageError.storageUnavailable(reason: "read-only file system")
        }
    }

    @Test func `a read-only repository can be verified and restored`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let state = try await BackupMaterial.store(200).snapshot()
        let report = try await repository.create(of: state, documents: BackupMaterial.documents)
        // Writes a stale lock, as if its owner had lost the connection to the disk.
        try await base.writeChunk(Data("{}".utf8), at: RepositoryObject.lock("dead"), metadata: nil)
        let readOnly = try await BackupRepository.open(ReadOnlyRetrieval(wrapped: base))
        #expect(try await readOnly.verify(readingData: true).isSound)
        #expect(try await BackupMaterial.check(report.snapshot, readOnly, state) == nil)
        #expect(try await readOnly.prune(isDryRun: true).kept.count == 1)
        await #expect(throws: ChunkStorageError.self) {
            try await readOnly.create(of: state, documents: BackupMaterial.documents)
        }
        await #expect(throws: ChunkStorageError.self) { try await readOnly.prune() }
    }

    @Test func `a canceled restore throws, and a partly filled store is rejected`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(3000)
        let report = try await repository.create(
            of: try await storage.snapshot(), documents: BackupMaterial.documents)
        let target = InMemoryStorageProvider()
        let task = Task { try await repository.restore(report.snapshot, into: target) { _, _ in } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // If entries were committed before the cancellation, a second restore into the store is rejected.
        if try await target.snapshot().stamp.entryCount > 0 {
            await #expect(throws: BackupError.self) {
                try await repository.restore(report.snapshot, into: target)
            }
        }
    }

    @Test(arguments: [nil, "secret"])
    func `verification finds every damaged object and the data it affects`(passphrase: String?) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base, passphrase: passphrase)
        let storage = try await BackupMaterial.store(400)
        let state = try await storage.snapshot()
        let first = try await repository.create(of: state, documents: BackupMaterial.documents)
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(7, text: "changed")]))
        _ = try await repository.create(of: try await storage.snapshot(), documents: BackupMaterial.documents)
        var generator = SystemRandomNumberGenerator()
        for path in try await base.paths(in: "") where path != RepositoryObject.configuration {
            let sound = try #require(try await base.readChunk(at: path))
            for round in 0..<12 {
                let copy = try await base.copy()
                var data = sound
                switch round {
                case 0: data = Data()
                case 1: data = sound.prefix(sound.count / 2)
                case 2: data = sound + [0]
                default: data[Int.random(in: 0..<data.count, using: &generator)] ^= .random(in: 1...255)
                }
                if round == 3 {
                    try await copy.deleteChunk(at: path)
                } else {
                    try await copy.writeChunk(data, at: path, metadata: nil)
                }
                let damaged = try await BackupRepository.open(copy, passphrase: passphrase)
                let verified = try await damaged.verify(readingData: true)
                let isSnapshot = path.hasPrefix(RepositoryObject.snapshots)
                // A missing snapshot cannot be distinguished from one that was removed.
                #expect(!verified.isSound || (isSnapshot && round == 3), "\(path), \(round)")
                for finding in verified.findings where path.hasPrefix(RepositoryObject.packs) && round == 3 {
                    #expect(
                        !finding.snapshots.isEmpty && finding.entryCount + finding.documentCount > 0,
                        "\(finding)")
                }
                // A restore either returns the original data or throws.
                do {
                    let snapshot = try await damaged.snapshot(first.snapshot.id)
                    #expect(
                        try await BackupMaterial.check(snapshot, damaged, state) == nil, "\(path), \(round)")
                } catch is BackupError {
                } catch is ChunkStorageError {}
            }
        }
    }

    @Test func `a damaged byte affects one run, and a backup replaces a missing pack`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(2000)
        let state = try await storage.snapshot()
        let report = try await repository.create(of: state)
        let path = try #require(try await base.paths(in: RepositoryObject.packs).first)
        var data = try #require(try await base.readChunk(at: path))
        let store = try await repository.segments()
        let vectors = try #require(
            store.ids.compactMap { store.location(of: $0) }.first { $0.kind == .vectors })
        data[vectors.offset + vectors.storedSize / 2] ^= 1
        let copy = try await base.copy()
        try await copy.writeChunk(data, at: path, metadata: nil)
        let damaged = try await BackupRepository.open(copy)
        // Only a verification that reads the data finds the fault.
        #expect(try await damaged.verify().isSound)
        let verified = try await damaged.verify(readingData: true)
        let finding = try #require(verified.findings.first)
        #expect(verified.findings.count == 1 && finding.object == path)
        #expect(finding.snapshots == [report.snapshot.id])
        #expect((1...256).contains(finding.entryCount))
        // The next backup writes the missing segments again, which also completes the old snapshots.
        try await copy.deleteChunk(at: path)
        #expect(try await !damaged.verify().isSound)
        _ = try await damaged.create(of: state, documents: BackupMaterial.documents)
        for snapshot in try await damaged.snapshots() {
            #expect(try await BackupMaterial.check(snapshot, damaged, state) == nil)
        }
        #expect(try await damaged.verify(readingData: true).isSound)
        await #expect(throws: BackupError.self) {
            let other = try await BackupRepository.open(try await base.copy())
            try await other.retrieval.deleteChunk(at: path)
            _ = try await other.prune()
        }
    }
}
