import Foundation
import RoostChunks
import RoostModel
import Testing

@testable import RoostBackups

/// Whatever happens in between, every snapshot that is listed is whole, and damage is told.
struct BackupFaultTests {
    /// Runs something with a fault after each of its changes in turn, on a copy of a repository each time.
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
        _ where_: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let verified = try await repository.verify(readingData: true)
        #expect(verified.isSound, "\(where_) \(verified.findings)", sourceLocation: sourceLocation)
        for snapshot in try await repository.snapshots() {
            let state = try #require(states[snapshot.stamp.revision.rawValue])
            #expect(
                try await BackupMaterial.check(snapshot, repository, state) == nil,
                sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [true, false])
    func `a backup that is killed or fails anywhere leaves what there was`(isKilled: Bool) async throws {
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
            // The next one goes on as if nothing had been, and a prune leaves nothing over.
            _ = try await repository.create(of: second, documents: BackupMaterial.documents)
            _ = try await repository.prune()
            try await requireSound(repository, states)
            #expect(try await repository.verify().strayPacks.isEmpty)
        }
        #expect(steps >= 4)
    }

    @Test(arguments: [true, false])
    func `a prune that is killed or fails anywhere loses nothing that is kept`(isKilled: Bool) async throws {
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
            // Whatever comes next keeps what there is: all, with a snapshot more.
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

    /// Somebody takes the locks away before an index is written, as if their owners had slept for an hour.
    struct Forgetful: ChunkStorageRetrieval {
        let base: InMemoryRetrieval

        func readChunk(at path: String) async throws -> Data? { try await base.readChunk(at: path) }
        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            if path.hasPrefix(RepositoryObject.indexes) { try await base.removeLocks() }
            try await base.writeChunk(data, at: path, metadata: metadata)
        }
        func chunkExists(at path: String) async -> Bool { await base.chunkExists(at: path) }
        func deleteChunk(at path: String) async throws { try await base.deleteChunk(at: path) }
        func paths(in folder: String) async throws -> [String] { try await base.paths(in: folder) }
    }

    @Test func `who was taken for dead writes no snapshot and removes nothing`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let state = try await storage.snapshot()
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(7, text: "changed")]))
        let slow = try await BackupRepository.open(Forgetful(base: base))
        for work in [
            {
                _ = try await slow.create(
                    of: try await storage.snapshot(), documents: BackupMaterial.documents)
            },
            { _ = try await slow.prune(keeping: BackupRetention(last: 1)) },
        ] as [@Sendable () async throws -> Void] {
            let before = Set(try await base.paths(in: RepositoryObject.snapshots))
            let error = await #expect(throws: BackupError.self) { try await work() }
            #expect(error?.code == .locked)
            #expect(Set(try await base.paths(in: RepositoryObject.snapshots)) == before)
            _ = try await repository.create(of: state, documents: BackupMaterial.documents)
            #expect(try await repository.verify(readingData: true).isSound)
        }
    }

    @Test func `what is relative to something that is gone is written anew`() async throws {
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

    @Test func `rules that keep nothing remove nothing, and files of others are left alone`() async throws {
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
        // A damaged snapshot can be named and forgotten, and is in nobody else's way.
        let bad = try #require(try await base.paths(in: "snapshots").first { $0.count > 60 })
        try await base.writeChunk(Data("x".utf8), at: bad, metadata: nil)
        await #expect(throws: BackupError.self) { try await repository.snapshots() }
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        try await repository.forget([try await repository.name(beginning: RepositoryObject.name(of: bad))])
        #expect(try await repository.snapshots().count == 2)
        #expect(try await repository.verify(readingData: true).isSound)
        // Snapshots of several stores have no latest.
        _ = try await repository.create(of: try await BackupMaterial.store(50).snapshot())
        await #expect(throws: BackupError.self) { try await repository.snapshot("latest") }
    }

    /// Nothing can be written.
    struct ReadOnly: ChunkStorageRetrieval {
        let base: InMemoryRetrieval

        func readChunk(at path: String) async throws -> Data? { try await base.readChunk(at: path) }
        func writeChunk(_ data: Data, at path: String, metadata: ChunkMetadata?) async throws {
            throw ChunkStorageError.storageUnavailable(reason: "read-only file system")
        }
        func chunkExists(at path: String) async -> Bool { await base.chunkExists(at: path) }
        func deleteChunk(at path: String) async throws {
            throw ChunkStorageError.storageUnavailable(reason: "read-only file system")
        }
        func paths(in folder: String) async throws -> [String] { try await base.paths(in: folder) }
    }

    @Test func `a repository that may only be read is verified and restored`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let state = try await BackupMaterial.store(200).snapshot()
        let report = try await repository.create(of: state, documents: BackupMaterial.documents)
        // The disk was taken away while somebody was at work.
        try await base.writeChunk(Data("{}".utf8), at: RepositoryObject.lock("dead"), metadata: nil)
        let fixed = try await BackupRepository.open(ReadOnly(base: base))
        #expect(try await fixed.verify(readingData: true).isSound)
        #expect(try await BackupMaterial.check(report.snapshot, fixed, state) == nil)
        #expect(try await fixed.prune(isDryRun: true).kept.count == 1)
        await #expect(throws: ChunkStorageError.self) {
            try await fixed.create(of: state, documents: BackupMaterial.documents)
        }
        await #expect(throws: ChunkStorageError.self) { try await fixed.prune() }
    }

    @Test func `a restore that stops leaves an error, not half a store that seems whole`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(3000)
        let report = try await repository.create(
            of: try await storage.snapshot(), documents: BackupMaterial.documents)
        let target = InMemoryStorageProvider()
        let task = Task { try await repository.restore(report.snapshot, into: target) { _, _ in } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // A second attempt refuses the half that is there, if any.
        if try await target.snapshot().stamp.entryCount > 0 {
            await #expect(throws: BackupError.self) {
                try await repository.restore(report.snapshot, into: target)
            }
        }
    }

    @Test(arguments: [nil, "secret"])
    func `every damaged object is found, and who needs it is named`(passphrase: String?) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base, passphrase: passphrase)
        let storage = try await BackupMaterial.store(400)
        let state = try await storage.snapshot()
        let first = try await repository.create(of: state, documents: BackupMaterial.documents)
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(7, text: "changed")]))
        _ = try await repository.create(of: try await storage.snapshot(), documents: BackupMaterial.documents)
        let ids = Set(try await state.entries(after: nil, limit: 1000, matching: .all).entries.map(\.id))
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
                // A snapshot that is gone altogether is one that was forgotten.
                #expect(!verified.isSound || (isSnapshot && round == 3), "\(path), \(round)")
                for finding in verified.findings where path.hasPrefix(RepositoryObject.packs) && round == 3 {
                    #expect(
                        !finding.snapshots.isEmpty && finding.entryCount + finding.documentCount > 0,
                        "\(finding)")
                    #expect(Set(finding.entries).isSubset(of: ids))
                }
                // Restored it is right, or an error.
                do {
                    let snapshot = try await damaged.snapshot(first.snapshot.id)
                    #expect(
                        try await BackupMaterial.check(snapshot, damaged, state) == nil, "\(path), \(round)")
                } catch is BackupError {
                } catch is ChunkStorageError {}
            }
        }
    }

    @Test func `one damaged byte touches the entries around it only, and a backup mends what is missing`()
        async throws
    {
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
        // Only a look at the data finds it.
        #expect(try await damaged.verify().isSound)
        let verified = try await damaged.verify(readingData: true)
        let finding = try #require(verified.findings.first)
        #expect(verified.findings.count == 1 && finding.object == path)
        #expect(finding.snapshots == [report.snapshot.id])
        #expect(!finding.entries.isEmpty && finding.entries.count <= 256 && !finding.clusters.isEmpty)
        // A pack that is gone is written anew by the next backup, and with it the old snapshots are whole.
        try await copy.deleteChunk(at: path)
        #expect(try await !damaged.verify().isSound)
        _ = try await damaged.create(of: state, documents: BackupMaterial.documents)
        for snapshot in try await damaged.snapshots() {
            #expect(try await BackupMaterial.check(snapshot, damaged, state) == nil)
        }
        await #expect(throws: BackupError.self) {
            let other = try await BackupRepository.open(try await base.copy())
            try await other.retrieval.deleteChunk(at: path)
            _ = try await other.prune()
        }
    }

    @Test func `random bytes are no index, no list, no run of entries`() throws {
        var generator = SystemRandomNumberGenerator()
        let entries = (0..<20).map { BackupMaterial.entry($0) }
        let ids = entries.map(\.id)
        let sound = [
            EntryCodec.encodeIDs(entries), try EntryCodec.encodeTexts(entries),
            EntryCodec.encodeVectors(entries),
            try PackIndexCodec.encode([]), RunListCodec.encode([]),
        ]
        for data in sound {
            for _ in 0..<400 {
                var bytes = data
                for _ in 0..<Int.random(in: 1...4) where !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255)
                }
                if Bool.random() { bytes = bytes.prefix(Int.random(in: 0...bytes.count)) }
                _ = try? EntryCodec.decodeIDs(bytes)
                var texts = (try? EntryCodec.decodeTexts(bytes, ids: ids)) ?? []
                try? EntryCodec.decodeVectors(bytes, into: &texts)
                var others = entries
                try? EntryCodec.decodeVectors(bytes, into: &others)
                _ = try? EntryCodec.decodeAssignments(bytes, ids: ids)
                _ = try? PackIndexCodec.decode(bytes)
                _ = try? RunListCodec.decode(bytes)
                _ = try? RecordCodec.decodeClusters(bytes)
                _ = try? RecordCodec.decodeSources(bytes)
            }
        }
    }
}
