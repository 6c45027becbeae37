public import Foundation
import RoostChunks
public import RoostModel

/// What a look at a repository found.
public struct BackupVerification: Sendable {
    /// Something that is not as it was written, and what it touches.
    public struct Finding: Sendable {
        /// The object of the repository.
        public var object: String
        public var problem: String
        /// The snapshots that cannot be restored in full for it, whole names.
        public var snapshots: [String] = []
        /// Entries of those whose id is known still.
        public var entries: [Entry.ID] = []
        /// How many entries of those are touched, known or not.
        public var entryCount = 0
        public var clusters: [Cluster.ID] = []
        /// How many source documents are touched.
        public var documentCount = 0
    }

    public var findings: [Finding] = []
    public var snapshotCount = 0
    public var packCount = 0
    public var segmentCount = 0
    /// Whether every segment was read and compared with its name, or only looked for.
    public var hasReadData = false
    /// Packs that no index names: of a backup that was killed, or is under way. A prune removes them.
    public var strayPacks: [String] = []

    public var isSound: Bool { findings.isEmpty }
}

extension BackupRepository {
    /// Looks whether every snapshot can be restored.
    ///
    /// - Parameters:
    ///   - readingData: whether all segments are read and compared with their names; else only what leads to
    ///     them is, and that their packs are there.
    ///   - progress: told now and then how many packs have been read, and how many there are.
    /// - Throws: ``BackupError`` with `.locked`; ``ChunkStorageError`` where something could not be asked.
    ///   Damage is no error: it is in the answer.
    @concurrent
    public func verify(
        readingData: Bool = false, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupVerification {
        try await RepositoryLock.with(exclusive: false, canDoWithout: true, retrieval) { _ in
            var search = try await DamageSearch(self)
            try await search.lookForPacks()
            if readingData { try await search.readPacks(progress) }
            try await search.walkSnapshots()
            return search.result
        }
    }
}

/// Goes through a repository and gathers what is damaged, and then who needs it.
private struct DamageSearch {
    private let repository: BackupRepository
    private let store: SegmentStore
    private var packs: [PackContents] = []
    private var snapshots: [String] = []
    /// Segments that cannot be had, with the object that is to blame and why.
    private var bad: [SegmentID: (object: String, problem: String)] = [:]
    /// Places in the findings, by object.
    private var places: [String: Int] = [:]
    private(set) var result = BackupVerification()

    /// The most ids that a finding names.
    private static let mostNamed = 10_000

    init(_ repository: BackupRepository) async throws {
        self.repository = repository
        store = SegmentStore(
            CachedRetrieval(wrapped: repository.retrieval, limit: 64 << 20), naming: repository.naming)
        // Before the indexes: a backup that ends meanwhile writes its index first.
        snapshots = try await repository.names(in: RepositoryObject.snapshots)
        for path in try await repository.names(in: RepositoryObject.indexes).map(RepositoryObject.index) {
            do {
                let found = try await repository.index(path)
                packs += found
                store.add(found)
            } catch let error as BackupError where error.code == .damaged {
                _ = finding(path, "the index is damaged")
            } catch let error as ChunkStorageError where error.isDamage {
                _ = finding(path, "the index is damaged")
            }
        }
        packs = PackContents.merged(packs)
    }

    /// The place of the finding about an object.
    private mutating func finding(_ object: String, _ problem: String) -> Int {
        if let place = places[object] { return place }
        places[object] = result.findings.count
        result.findings.append(.init(object: object, problem: problem))
        return result.findings.count - 1
    }

    mutating func lookForPacks() async throws {
        let present = Set(try await repository.retrieval.paths(in: RepositoryObject.packs))
        var known = Set<String>()
        for pack in packs {
            let path = RepositoryObject.pack(pack.name.description)
            guard known.insert(path).inserted else { continue }
            result.packCount += 1
            result.segmentCount += pack.segments.count { $0.id != .none }
            guard !present.contains(path) else { continue }
            blame(pack, path, "the pack is missing")
        }
        result.strayPacks = present.subtracting(known).sorted()
    }

    private mutating func blame(_ pack: PackContents, _ path: String, _ problem: String) {
        _ = finding(path, problem)
        for (id, _) in pack.segments where id != .none && store.pack(of: id) == pack.name {
            bad[id] = (path, problem)
        }
    }

    mutating func readPacks(_ progress: @Sendable (Int, Int) -> Void) async throws {
        result.hasReadData = true
        var seen = Set<SegmentID>()
        for (number, pack) in packs.enumerated() where seen.insert(pack.name).inserted {
            try Task.checkCancellation()
            let path = RepositoryObject.pack(pack.name.description)
            guard places[path] == nil else { continue }
            do {
                guard let data = try await repository.retrieval.readChunk(at: path) else {
                    blame(pack, path, "the pack is missing")
                    continue
                }
                // As it was written: then so are its segments.
                if repository.naming.name(of: data) == pack.name.description {
                    progress(number + 1, packs.count)
                    continue
                }
            } catch let error as ChunkStorageError where error.isDamage {
                blame(pack, path, "the pack cannot be decrypted")
                continue
            }
            _ = finding(path, "the pack is damaged")
            for (id, location) in pack.segments where store.pack(of: id) == pack.name {
                do {
                    _ = try await store.read(id, location.kind)
                } catch is BackupError {
                    bad[id] = (path, "the pack is damaged")
                }
            }
            progress(number + 1, packs.count)
        }
    }

    mutating func walkSnapshots() async throws {
        for name in snapshots {
            try Task.checkCancellation()
            let path = RepositoryObject.snapshot(name)
            let snapshot: BackupSnapshot
            do {
                snapshot = try await repository.snapshot(named: name)
            } catch {
                guard
                    (error as? BackupError)?.code == .damaged
                        || (error as? ChunkStorageError)?.isDamage == true
                else { throw error }
                let place = finding(path, "the snapshot is damaged")
                result.findings[place].snapshots = [name]
                continue
            }
            result.snapshotCount += 1
            try await walk(snapshot)
        }
    }

    /// What is wrong with a segment; `nil` where nothing is known to be.
    private func problem(_ id: SegmentID, _ kind: SegmentKind) -> (object: String, problem: String)? {
        if let found = bad[id] { return found }
        guard let location = store.location(of: id), location.kind == kind else {
            return ("segment \(id)", "no index names it")
        }
        guard let base = location.base else { return nil }
        if let found = bad[base] { return found }
        return store.location(of: base) == nil ? ("segment \(base)", "no index names it") : nil
    }

    private mutating func note(_ found: (object: String, problem: String), _ snapshot: BackupSnapshot) -> Int
    {
        let place = finding(found.object, found.problem)
        if result.findings[place].snapshots.last != snapshot.id {
            result.findings[place].snapshots.append(snapshot.id)
        }
        return place
    }

    private mutating func walk(_ snapshot: BackupSnapshot) async throws {
        let others =
            snapshot.sources.map { ($0, SegmentKind.sources) }
            + snapshot.clusters.map { ($0, .clusters) } + (snapshot.run.map { [($0, .run)] } ?? [])
        for (id, kind) in others {
            if let found = problem(id, kind) { _ = note(found, snapshot) }
        }
        try await walkDocuments(snapshot)
        var listed = 0
        for list in snapshot.lists {
            if let found = problem(list, .list) {
                _ = note(found, snapshot)
                continue
            }
            let runs: [RunRecord]
            do {
                runs = try RunListCodec.decode(try await store.read(list, .list))
            } catch {
                guard
                    error is BackupError || error is EntryCodec.Damaged
                        || (error as? ChunkStorageError)?.isDamage == true
                else { throw error }
                _ = note(damagedPack(of: list), snapshot)
                continue
            }
            for run in runs {
                listed += run.count
                try await walk(run, snapshot)
            }
        }
        // Entries of lists that cannot be read.
        let missing = snapshot.stamp.entryCount - listed
        if missing > 0, let place = result.findings.firstIndex(where: { $0.snapshots.contains(snapshot.id) })
        {
            result.findings[place].entryCount += missing
        }
    }

    private mutating func walkDocuments(_ snapshot: BackupSnapshot) async throws {
        for list in snapshot.originals {
            if let found = problem(list, .originals) {
                _ = note(found, snapshot)
                continue
            }
            let records: [OriginalRecord]
            do {
                records = try await repository.originals(of: list, store)
            } catch {
                guard error is BackupError || (error as? ChunkStorageError)?.isDamage == true else {
                    throw error
                }
                _ = note(damagedPack(of: list), snapshot)
                continue
            }
            for record in records {
                guard let found = record.pieces.compactMap({ problem($0, .original) }).first else {
                    continue
                }
                result.findings[note(found, snapshot)].documentCount += 1
            }
        }
    }

    private func damagedPack(of id: SegmentID) -> (object: String, problem: String) {
        (
            store.pack(of: id).map { RepositoryObject.pack($0.description) } ?? "segment \(id)",
            "the pack is damaged"
        )
    }

    private mutating func walk(_ run: RunRecord, _ snapshot: BackupSnapshot) async throws {
        var touched: [Int] = []
        for (id, kind) in run.all {
            if let found = problem(id, kind) { touched.append(note(found, snapshot)) }
        }
        guard !touched.isEmpty else { return }
        var ids: [Entry.ID] = []
        if let data = try? await store.read(run.ids, .ids) { ids = (try? EntryCodec.decodeIDs(data)) ?? [] }
        var clusters = Set<Cluster.ID>()
        if let places = run.assignments, let data = try? await store.read(places, .assignments) {
            let found = (try? EntryCodec.decodeAssignments(data, ids: ids)) ?? []
            clusters = Set(found.compactMap(\.cluster))
        }
        for place in Set(touched) {
            result.findings[place].entryCount += run.count
            let known = Set(result.findings[place].entries)
            if known.count < Self.mostNamed {
                result.findings[place].entries += ids.filter { !known.contains($0) }
            }
            let named = Set(result.findings[place].clusters)
            result.findings[place].clusters += clusters.subtracting(named).sorted {
                $0.uuidString < $1.uuidString
            }
        }
    }
}

extension ChunkStorageError {
    /// Whether what is stored is other than what was written, rather than out of reach.
    var isDamage: Bool {
        switch self {
        case .corrupt, .tooLarge: true
        default: false
        }
    }

    /// Whether it may be that only writing is impossible.
    var isRefusedWrite: Bool {
        switch self {
        case .storageUnavailable, .storageFull, .readOnly: true
        default: false
        }
    }
}
