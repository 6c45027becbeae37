import Foundation
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostChunks

/// Snapshots restore exactly what was backed up, and share unchanged data.
@Suite(.temporaryFolders)
struct BackupRepositoryTests {
    @Test(arguments: [0, 1, 15, 16, 1000, 3000])
    func `a restored snapshot equals the store that was backed up`(count: Int) async throws {
        for passphrase in [nil, "open sesame"] {
            let base = InMemoryRetrieval()
            _ = try await BackupRepository.create(in: base, passphrase: passphrase)
            let repository = try await BackupRepository.open(base, passphrase: passphrase)
            let storage = try await BackupMaterial.store(count)
            let state = try await storage.snapshot()
            let report = try await repository.create(of: state, tags: ["t"], attributes: ["a": "b"])
            #expect(report.newSegments <= report.segments)
            let listed = try #require(try await repository.snapshots().first)
            #expect((listed.id, listed.tags, listed.attributes) == (report.snapshot.id, ["t"], ["a": "b"]))
            #expect(listed.stamp == state.stamp)
            #expect(try await BackupMaterial.check(listed, repository, state) == nil)
            #expect(try await repository.verify(readingData: true).isSound)
            if passphrase != nil {
                for path in try await base.paths(in: "") {
                    let data = try #require(try await base.readChunk(at: path))
                    #expect(data.range(of: Data("entry".utf8)) == nil, "\(path)")
                }
            }
        }
    }

    @Test func `a backup writes only changed segments`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(4000)
        let first = try await repository.create(of: try await storage.snapshot())
        let same = try await repository.create(of: try await storage.snapshot())
        #expect(same.newSegments == 0 && same.writtenBytes < 3000)
        #expect(same.snapshot.id != first.snapshot.id)
        let verified = try await repository.verify(readingData: true)
        #expect("\(verified)" == "2 snapshots, faults: 0")
        // Changes one entry. The backup writes only the texts and possibly the vectors of the entry's run,
        // and the list of runs.
        _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(1234, text: "changed")]))
        let one = try await repository.create(of: try await storage.snapshot())
        #expect(one.newSegments <= 3 && one.writtenBytes < first.writtenBytes / 50)
        // Adds one entry at the end and removes one in the middle.
        _ = try await storage.commit(
            WriteBatch(upserts: [BackupMaterial.entry(99_999)], removals: [BackupMaterial.entry(2000).id]))
        let moved = try await repository.create(of: try await storage.snapshot())
        #expect(moved.newSegments <= 20 && moved.writtenBytes < first.writtenBytes / 20)
        #expect(
            try await BackupMaterial.check(moved.snapshot, repository, try await storage.snapshot()) == nil)
        // The first snapshot has not changed.
        let old = InMemoryStorageProvider()
        try await repository.restore(first.snapshot, into: old)
        let entries = try await old.fetchEntries()
        #expect(entries.count == 4000 && entries[1234] == BackupMaterial.entry(1234))
    }

    @Test func `concurrent prunes and backups lose no snapshot`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(1500)
        let state = try await storage.snapshot()
        _ = try await repository.create(of: state)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for _ in 0..<3 {
                        do {
                            if worker == 0 {
                                _ = try await repository.prune(keeping: BackupRetention(last: 1))
                            } else {
                                _ = try await repository.create(of: state)
                            }
                        } catch let error as BackupError where error.code == .locked {}
                    }
                }
            }
            try await group.waitForAll()
        }
        let verified = try await repository.verify(readingData: true)
        #expect(verified.isSound, "\(verified.findings)")
        for snapshot in try await repository.snapshots() {
            #expect(try await BackupMaterial.check(snapshot, repository, state) == nil)
        }
        #expect(try await base.paths(in: RepositoryObject.locks).isEmpty)
    }

    @Test func `a prune removes exactly the data that no snapshot uses`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(3000)
        let early = try await storage.snapshot()
        let first = try await repository.create(of: early, tags: ["keep"])
        var states: [any StorageSnapshot] = []
        for round in 0..<5 {
            let changed = (0..<1500).map { BackupMaterial.entry($0 * 2, text: "round \(round), \($0)") }
            _ = try await storage.commit(WriteBatch(upserts: changed))
            states.append(try await storage.snapshot())
            _ = try await repository.create(of: states[round])
        }
        let full = try await base.size()
        let dry = try await repository.prune(
            keeping: BackupRetention(last: 1, tags: ["keep"]), isDryRun: true)
        #expect(dry.forgotten.count == 4 && dry.kept.count == 2)
        #expect(try await base.size() == full)
        let done = try await repository.prune(keeping: BackupRetention(last: 1, tags: ["keep"]))
        #expect(done.forgotten.count == 4 && done.bytesAfter == dry.bytesAfter)
        #expect(try await base.size() < full && done.bytesAfter < done.bytesBefore)
        #expect(try await repository.verify(readingData: true).isSound)
        let kept = try await repository.snapshots()
        #expect(kept.map(\.id).contains(first.snapshot.id) && kept.count == 2)
        #expect(try await BackupMaterial.check(kept[0], repository, early) == nil)
        #expect(try await BackupMaterial.check(kept[1], repository, states[4]) == nil)
        // A second prune finds nothing to remove.
        let again = try await repository.prune()
        #expect(again.bytesAfter == again.bytesBefore)
        await #expect(throws: BackupError.self) { try await repository.prune(keeping: BackupRetention()) }
        // A later backup does not refer to removed segments.
        let later = try await repository.create(of: early)
        #expect(try await BackupMaterial.check(later.snapshot, repository, early) == nil)
        try await repository.forget(try await repository.snapshots().map(\.id))
        _ = try await repository.prune()
        #expect(try await base.paths(in: RepositoryObject.packs).isEmpty)
        let fresh = try await repository.create(of: early)
        #expect(try await BackupMaterial.check(fresh.snapshot, repository, early) == nil)
    }

    @Test func `wrong passphrases, snapshot names and formats are rejected`() async throws {
        let base = InMemoryRetrieval()
        await #expect(throws: BackupError.self) { try await BackupRepository.open(base) }
        let repository = try await BackupRepository.create(in: base, passphrase: "one")
        await #expect(throws: BackupError.self) { try await BackupRepository.create(in: base) }
        for wrong in [nil, "", "two"] {
            let error = await #expect(throws: BackupError.self) {
                try await BackupRepository.open(base, passphrase: wrong)
            }
            #expect(error?.code == .wrongPassphrase)
        }
        let storage = try await BackupMaterial.store(100)
        let report = try await repository.create(of: try await storage.snapshot())
        try await BackupRepository.changePassphrase(of: base, from: "one", to: "two")
        let changed = try await BackupRepository.open(base, passphrase: "two")
        #expect(try await changed.snapshot("latest").id == report.snapshot.id)
        #expect(try await changed.snapshot(String(report.snapshot.id.prefix(5))).id == report.snapshot.id)
        for invalid in ["", "zz", "../config"] {
            await #expect(throws: BackupError.self) { try await changed.snapshot(invalid) }
        }
        let error = await #expect(throws: BackupError.self) {
            try await repository.restore(report.snapshot, into: storage)
        }
        #expect(error?.code == .exists)
        let plain = InMemoryRetrieval()
        _ = try await BackupRepository.create(in: plain)
        await #expect(throws: BackupError.self) { try await BackupRepository.open(plain, passphrase: "x") }
        let data = try #require(try await plain.readChunk(at: "config"))
        let configuration = String(decoding: data, as: UTF8.self)
        for format in ["0", "-1"] {
            let changed = configuration.replacing(#""format":1"#, with: #""format":\#(format)"#)
            #expect(changed != configuration)
            try await plain.writeChunk(Data(changed.utf8), at: "config", metadata: nil)
            let error = await #expect(throws: BackupError.self) { try await BackupRepository.open(plain) }
            #expect(error?.code == .damaged)
        }
        try await plain.writeChunk(Data(#"{"format":2}"#.utf8), at: "config", metadata: nil)
        let newer = await #expect(throws: BackupError.self) { try await BackupRepository.open(plain) }
        #expect(newer?.code == .newerFormat)
        for invalid in ["", "{", "[]", #"{"format":1}"#, #"{"format":"x"}"#] {
            try await plain.writeChunk(Data(invalid.utf8), at: "config", metadata: nil)
            await #expect(throws: BackupError.self) { try await BackupRepository.open(plain) }
        }
    }

    @Test func `retention rules keep the newest snapshot of each day, week and month`() {
        let store = UUID()
        func snapshot(_ day: Int, _ hour: Int, tags: [String] = []) -> BackupSnapshot {
            let stamp = Stamp(store: store, epoch: UUID(), revision: .zero, entryCount: 0, clusterCount: 0)
            // 1 January 2024 was a Monday.
            let date = Date(timeIntervalSince1970: 1_704_067_200 + Double(day * 86_400 + hour * 3600))
            return BackupSnapshot(
                id: "\(day).\(hour)", created: date, tags: tags, stamp: stamp, attributes: [:],
                sourceCount: 0,
                lists: [], sources: [], clusters: [])
        }
        let all = (0..<60).flatMap { day in
            [snapshot(day, 1), snapshot(day, 23, tags: day == 3 ? ["x"] : [])]
        }
        func kept(_ retention: BackupRetention) -> [String] {
            retention.kept(of: all.shuffled()).sorted { Double($0)! > Double($1)! }
        }
        #expect(kept(BackupRetention(last: 3)) == ["59.23", "59.1", "58.23"])
        #expect(kept(BackupRetention(daily: 2)) == ["59.23", "58.23"])
        // Keeps the last day, and the Sundays of the two preceding weeks.
        #expect(kept(BackupRetention(weekly: 3)) == ["59.23", "55.23", "48.23"])
        #expect(kept(BackupRetention(monthly: 5)) == ["59.23", "30.23"])
        #expect(kept(BackupRetention(tags: ["x"])) == ["3.23"])
        #expect(kept(BackupRetention()) == [] && BackupRetention().isEmpty)
        // Snapshots of another store are counted separately.
        let stamp = Stamp(store: UUID(), epoch: UUID(), revision: .zero, entryCount: 0, clusterCount: 0)
        let other = BackupSnapshot(
            id: "other", created: Date(), tags: [], stamp: stamp, attributes: [:], sourceCount: 0, lists: [],
            sources: [], clusters: [])
        #expect(BackupRetention(last: 1).kept(of: all + [other]) == ["59.23", "other"])
    }

    @Test func `a prune removes temporary files of killed backups`() async throws {
        let folder = TemporaryFolder.unusedURL()
        let repository = try await BackupRepository.create(in: FileSystemRetrieval(baseURL: folder))
        let storage = try await BackupMaterial.store(50)
        _ = try await repository.create(of: try await storage.snapshot())
        let pack = try #require(try await repository.retrieval.paths(in: RepositoryObject.packs).first)
        let packFolder = folder.appendingPathComponent(pack).deletingLastPathComponent()
        let leftover = packFolder.appendingPathComponent(".\(RepositoryObject.name(of: pack)).123.456.tmp")
        let foreign = packFolder.appendingPathComponent("notes.tmp")
        for url in [leftover, foreign] { try Data([1]).write(to: url) }
        _ = try await repository.prune(isDryRun: true)
        #expect(FileManager.default.fileExists(atPath: leftover.path))
        _ = try await repository.prune()
        #expect(!FileManager.default.fileExists(atPath: leftover.path))
        #expect(try await repository.verify(readingData: true).isSound)
    }

    @Test func `a document of several parts is restored, and only appended data is written`() async throws {
        let organization = GitStyleOrganization()
        let (kept, base) = (InMemoryRetrieval(), InMemoryRetrieval())
        let documents = ComposedChunkStorage(organization: organization, retrieval: kept)
        let repository = try await BackupRepository.create(in: base)
        let storage = InMemoryStorageProvider()
        var generator = SeededGenerator(seed: 99)
        let words = (0..<(2 * OriginalRecord.maximumPartSize / 8 + 100)).map { _ in generator.next() }
        let long = words.withUnsafeBytes { Data($0) }
        func backUp(_ data: Data) async throws -> BackupReport {
            let name = ChunkIdentifier(hashing: data)
            try await documents.writeChunk(data, identifier: name, metadata: nil)
            _ = try await storage.commit(
                WriteBatch(sources: [Source(id: "file:///long", fingerprint: "sha256:\(name.id);id=x")]))
            return try await repository.create(of: try await storage.snapshot(), documents: documents)
        }
        #expect(try await backUp(long).writtenBytes > long.count)
        let grown = long + Data("one line more".utf8)
        let report = try await backUp(grown)
        #expect(report.snapshot.originalCount == 1 && report.snapshot.originalBytes == grown.count)
        #expect(report.writtenBytes < 10_000)
        let restored = ComposedChunkStorage(organization: organization, retrieval: InMemoryRetrieval())
        _ = try await repository.restore(
            report.snapshot, into: InMemoryStorageProvider(), documents: restored)
        #expect(try await restored.readChunk(ChunkIdentifier(hashing: grown)) == grown)
    }
}
