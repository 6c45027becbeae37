import Foundation
import RoostModel
import Testing

@testable import RoostChunks

/// A repository with damaged objects can be listed, completed by the next backup, and cleaned up.
struct RepositoryDamageTests {
    enum Cut: CaseIterable, Sendable {
        case emptied, truncated, extended

        func applied(to data: Data) -> Data {
            switch self {
            case .emptied: Data()
            case .truncated: data.dropLast()
            case .extended: data + [0]
            }
        }
    }

    private func apply(_ cut: Cut, to path: String, in base: InMemoryRetrieval) async throws {
        let data = try #require(try await base.readChunk(at: path))
        try await base.writeChunk(cut.applied(to: data), at: path, metadata: nil)
    }

    @Test(arguments: [nil, "secret"], Cut.allCases)
    func `a backup writes the data of a pack with a wrong length again`(
        passphrase: String?, cut: Cut
    ) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base, passphrase: passphrase)
        let storage = try await BackupMaterial.store(300)
        let state = try await storage.snapshot()
        _ = try await repository.create(of: state, documents: BackupMaterial.documents)
        let paths = try await base.paths(in: RepositoryObject.packs)
        for path in paths { try await apply(cut, to: path, in: base) }
        // The sizes alone show the damage.
        let damaged = try await repository.verify()
        #expect(Set(damaged.findings.map(\.object)) == Set(paths), "\(damaged.findings)")
        #expect(damaged.findings.allSatisfy { $0.problem.contains(" bytes instead of ") })
        let report = try await repository.create(of: state, documents: BackupMaterial.documents)
        #expect(report.newSegments > 0)
        for snapshot in try await repository.snapshots() {
            #expect(try await BackupMaterial.check(snapshot, repository, state) == nil)
        }
        #expect(try await repository.verify(readingData: true).isSound)
        _ = try await repository.prune()
        let verified = try await repository.verify(readingData: true)
        #expect(verified.isSound && verified.strayPacks.isEmpty, "\(verified)")
        #expect(try await repository.snapshots().count == 2)
    }

    @Test func `a verification reports a snapshot of a newer format and checks the others`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let snapshot = try await repository.create(of: try await storage.snapshot()).snapshot
        let path = RepositoryObject.snapshot(snapshot.id)
        let text = String(decoding: try #require(try await base.readChunk(at: path)), as: UTF8.self)
        let newer = Data(text.replacing(/"format":\d+/, with: "\"format\":99").utf8)
        let name = repository.naming.name(of: newer)
        try await base.writeChunk(newer, at: RepositoryObject.snapshot(name), metadata: nil)
        let intact = try await repository.verify(readingData: true)
        #expect(intact.findings.map(\.snapshots) == [[name]] && intact.snapshotCount == 1)
        let message = intact.findings.first?.problem ?? ""
        #expect(message.contains("format 99 is newer than this version supports"), "\(message)")
        let pack = try #require(try await base.paths(in: RepositoryObject.packs).first)
        try await apply(.truncated, to: pack, in: base)
        let damaged = try await repository.verify()
        #expect(Set(damaged.findings.map(\.snapshots)) == [[snapshot.id], [name]])
    }

    @Test func `a prune that would hide damage of older snapshots removes nothing`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let old = try await repository.create(of: try await storage.snapshot())
        _ = try await storage.commit(
            WriteBatch(upserts: (0..<300).map { BackupMaterial.entry($0, text: "another text \($0)") }))
        let path = try #require(try await base.paths(in: RepositoryObject.packs).first)
        try await apply(.emptied, to: path, in: base)
        let state = try await storage.snapshot()
        let report = try await repository.create(of: state)
        #expect(try await BackupMaterial.check(report.snapshot, repository, state) == nil)
        #expect(try await repository.verify().findings.map(\.snapshots) == [[old.snapshot.id]])
        // A prune that keeps the incomplete snapshot would hide which data is missing.
        let before = try await base.paths(in: "").sorted()
        let error = await #expect(throws: BackupError.self) { try await repository.prune() }
        #expect(error?.code == .damaged && error?.message.contains(old.snapshot.id.prefix(12)) == true)
        #expect(try await base.paths(in: "").sorted() == before)
        try await repository.forget([old.snapshot.id])
        _ = try await repository.prune()
        #expect(try await repository.verify(readingData: true).isSound)
    }

    @Test func `the intact part of a truncated pack is restored`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(2000)
        let state = try await storage.snapshot()
        let snapshot = try await repository.create(of: state).snapshot
        // The last segment is the record of the clustering run.
        for path in try await base.paths(in: RepositoryObject.packs) {
            try await apply(.truncated, to: path, in: base)
        }
        let target = InMemoryStorageProvider()
        try await repository.restore(snapshot, into: target, onLoss: { _ in })
        let restored = try await target.snapshot()
        let expected = try await state.entries(after: nil, limit: 5000, matching: .all).entries
        #expect(try await restored.entries(after: nil, limit: 5000, matching: .all).entries == expected)
    }

    @Test(arguments: [nil, "secret"])
    func `a damaged snapshot does not hide the others`(passphrase: String?) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base, passphrase: passphrase)
        let storage = try await BackupMaterial.store(100)
        var made: [String] = []
        for number in 0..<3 {
            _ = try await storage.commit(WriteBatch(upserts: [BackupMaterial.entry(1000 + number)]))
            made.append(try await repository.create(of: try await storage.snapshot()).snapshot.id)
        }
        #expect(try await repository.snapshotList().unreadable.isEmpty)
        for cut in Cut.allCases {
            let copy = try await base.copy()
            try await apply(cut, to: RepositoryObject.snapshot(made[2]), in: copy)
            let damaged = try await BackupRepository.open(copy, passphrase: passphrase)
            let list = try await damaged.snapshotList()
            #expect(list.snapshots.map(\.id) == Array(made.prefix(2)))
            #expect(list.unreadable.map(\.id) == [made[2]])
            #expect(list.unreadable.allSatisfy { $0.error.code == .damaged })
            #expect(try list.latest().id == made[1])
            // Without the snapshot, the repository does not show which snapshot is the latest, and which data
            // a prune can remove.
            for work in [
                { _ = try await damaged.snapshot("latest") }, { _ = try await damaged.snapshots() },
                { _ = try await damaged.prune() },
                { _ = try await damaged.prune(keeping: BackupRetention(last: 1)) },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: BackupError.self) { try await work() }
                #expect(error?.code == .damaged && error?.remedy == .forgetSnapshot)
                #expect(error?.message.contains(made[2].prefix(12)) == true)
            }
            #expect(try await copy.paths(in: "").count == base.paths(in: "").count)
            let verified = try await damaged.verify()
            #expect(verified.findings.map(\.snapshots) == [[made[2]]] && verified.snapshotCount == 2)
            try await damaged.forget([made[2]])
            #expect(try await damaged.prune().kept.map(\.id) == Array(made.prefix(2)))
            #expect(try await damaged.verify(readingData: true).isSound)
        }
    }

    @Test func `an empty list of readable snapshots has no latest one`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        #expect { try BackupSnapshotList().latest() } throws: { ($0 as? BackupError)?.code == .notFound }
        let storage = try await BackupMaterial.store(20)
        let id = try await repository.create(of: try await storage.snapshot()).snapshot.id
        try await apply(.truncated, to: RepositoryObject.snapshot(id), in: base)
        let list = try await repository.snapshotList()
        #expect { try list.latest() } throws: { ($0 as? BackupError)?.code == .damaged }
    }

    @Test(arguments: Cut.allCases)
    func `a prune removes a damaged index after a backup has replaced it`(cut: Cut) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let storage = try await BackupMaterial.store(300)
        let state = try await storage.snapshot()
        _ = try await repository.create(of: state)
        let index = try #require(try await base.paths(in: RepositoryObject.indexes).first)
        try await apply(cut, to: index, in: base)
        // Until then, the index may be the only one that lists the data of the snapshot.
        await #expect(throws: BackupError.self) { try await repository.prune() }
        _ = try await repository.create(of: state)
        // If the backup wrote equal packs, its index has replaced the damaged one, so another one is added.
        let stray = RepositoryObject.index(String(repeating: "0", count: 64))
        try await base.writeChunk(Data("RBI1".utf8), at: stray, metadata: nil)
        #expect(try await !repository.verify().isSound)
        #expect(try await repository.prune().kept.count == 2)
        #expect(try await base.paths(in: RepositoryObject.indexes).count == 1)
        #expect(try await repository.verify(readingData: true).isSound)
        for snapshot in try await repository.snapshots() {
            #expect(try await BackupMaterial.check(snapshot, repository, state) == nil)
        }
    }

    @Test func `a prune removes the only index if it is damaged and no snapshot remains`() async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base)
        let snapshot = try await repository.create(of: try await BackupMaterial.store(20).snapshot()).snapshot
        let index = try #require(try await base.paths(in: RepositoryObject.indexes).first)
        try await apply(.truncated, to: index, in: base)
        try await repository.forget([snapshot.id])
        _ = try await repository.prune()
        #expect(try await repository.verify(readingData: true).isSound)
        #expect(try await base.paths(in: RepositoryObject.packs).isEmpty)
    }

    @Test(arguments: [true, false])
    func `a repository without its configuration is refused`(isMissing: Bool) async throws {
        let base = InMemoryRetrieval()
        let repository = try await BackupRepository.create(in: base, passphrase: isMissing ? "secret" : nil)
        _ = try await repository.create(of: try await BackupMaterial.store(20).snapshot())
        if isMissing {
            try await base.deleteChunk(at: RepositoryObject.configuration)
        } else {
            try await apply(.truncated, to: RepositoryObject.configuration, in: base)
        }
        let before = try await base.readChunk(at: RepositoryObject.configuration)
        for passphrase in [nil, "secret"] {
            let error = await #expect(throws: BackupError.self) {
                try await BackupRepository.open(base, passphrase: passphrase)
            }
            #expect(error?.code == .damaged && error?.message.contains("from a copy") == true)
        }
        #expect(try await base.readChunk(at: RepositoryObject.configuration) == before)
        if !isMissing {
            // The configuration of another repository without a passphrase fits.
            let other = InMemoryRetrieval()
            _ = try await BackupRepository.create(in: other)
            let configuration = try #require(
                try await other.readChunk(at: RepositoryObject.configuration))
            try await base.writeChunk(configuration, at: RepositoryObject.configuration, metadata: nil)
            let opened = try await BackupRepository.open(base)
            #expect(try await opened.snapshots().count == 1)
            #expect(try await opened.verify(readingData: true).isSound)
        }
        // A storage without a repository has none.
        let empty = await #expect(throws: BackupError.self) {
            try await BackupRepository.open(InMemoryRetrieval())
        }
        #expect(empty?.code == .notFound)
    }
}
