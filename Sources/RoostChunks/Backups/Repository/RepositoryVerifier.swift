import Foundation
import RoostModel

/// Finds the damaged objects of a repository first, and then the snapshots, entries and documents that need
/// them.
struct RepositoryVerifier {
    private let repository: BackupRepository
    private let store: SegmentStore
    private var packs: [PackContents] = []
    private var snapshots: [String] = []
    /// Segments that cannot be read, with the damaged object and its fault.
    private var unreadable: [SegmentID: (object: String, problem: String)] = [:]
    private var indices: [String: Int] = [:]
    private(set) var result = BackupVerification()

    init(_ repository: BackupRepository) async throws {
        self.repository = repository
        store = SegmentStore(
            CachedRetrieval(wrapped: repository.retrieval), naming: repository.naming)
        // Snapshots are listed before the indexes are read. A backup writes its index before its snapshot, so
        // the indexes cover every listed snapshot, even if a backup finishes during the verification.
        snapshots = try await repository.names(in: RepositoryObject.snapshots)
        let indexes = try await repository.indexes()
        packs = indexes.packs
        for path in indexes.damaged { _ = findingIndex(path, "the index is corrupt") }
    }

    private mutating func findingIndex(_ object: String, _ problem: String) -> Int {
        if let index = indices[object] { return index }
        indices[object] = result.findings.count
        result.findings.append(.init(object: object, problem: problem))
        return result.findings.count - 1
    }

    /// Adds a finding for each pack that is missing or has a wrong length, unless all of its segments are
    /// also in other packs: the first backup after a loss writes the segments again.
    mutating func findIncompletePacks() async throws {
        let stored = try await StoredPacks(repository.retrieval)
        let listed = packs
        packs = listed.filter { stored.problem(of: $0) == nil }
        store.add(packs)
        for pack in listed {
            let lost = pack.segments.filter { store.location(of: $0.id) == nil }
            guard let problem = stored.problem(of: pack), !lost.isEmpty else { continue }
            markUnreadable(lost.map(\.id), pack.path, problem)
        }
        result.packCount = listed.count
        result.segmentCount = listed.reduce(0) { $0 + $1.segments.count }
        result.strayPacks = stored.paths.subtracting(listed.map(\.path)).sorted()
    }

    private mutating func markUnreadable(_ segments: [SegmentID], _ path: String, _ problem: String) {
        _ = findingIndex(path, problem)
        for id in segments { unreadable[id] = (path, problem) }
    }

    mutating func readPacks(_ progress: @Sendable (Int, Int) -> Void) async throws {
        result.hasReadData = true
        for (number, pack) in packs.enumerated() {
            try Task.checkCancellation()
            defer { progress(number + 1, packs.count) }
            let path = pack.path
            let segments = pack.segments.filter { store.pack(of: $0.id) == pack.name }
            do {
                guard let data = try await repository.retrieval.readChunk(at: path) else {
                    markUnreadable(segments.map(\.id), path, "the pack is missing")
                    continue
                }
                // If the digest of the pack is correct, all its segments are intact.
                if repository.naming.name(of: data) == pack.name.description { continue }
            } catch let error as ChunkStorageError where error.isDamage {
                markUnreadable(segments.map(\.id), path, "the pack cannot be decrypted")
                continue
            }
            _ = findingIndex(path, "the pack is corrupt")
            for (id, location) in segments {
                do {
                    _ = try await store.read(id, location.kind)
                } catch  where BackupRepository.isDamage(error) {
                    unreadable[id] = (path, "the pack is corrupt")
                }
            }
        }
    }

    mutating func checkSnapshots() async throws {
        for name in snapshots {
            try Task.checkCancellation()
            let path = RepositoryObject.snapshot(name)
            let snapshot: BackupSnapshot
            do {
                snapshot = try await repository.snapshot(named: name)
            } catch let error as BackupError where error.code == .notFound {
                // Another process removed the snapshot after it had been listed.
                continue
            } catch let error as BackupError where error.code == .newerFormat {
                result.findings[findingIndex(path, error.message)].snapshots = [name]
                continue
            } catch  where BackupRepository.isDamage(error) {
                let index = findingIndex(path, "the snapshot is corrupt")
                result.findings[index].snapshots = [name]
                continue
            }
            result.snapshotCount += 1
            try await check(snapshot)
        }
    }

    private func problem(_ id: SegmentID, _ kind: SegmentKind) -> (object: String, problem: String)? {
        if let found = unreadable[id] { return found }
        guard let location = store.location(of: id), location.kind == kind else {
            return ("segment \(id)", "no index lists it")
        }
        return nil
    }

    private mutating func check(_ snapshot: BackupSnapshot) async throws {
        var (faults, listed) = ([(object: String, problem: String, group: SegmentGroup)](), 0)
        let store = store
        func isUnreadable(_ list: SegmentID, _ error: any Error) -> Bool {
            guard BackupRepository.isDamage(error) else { return false }
            // Other faults of the list are known without reading it.
            if unreadable[list] == nil, let pack = store.pack(of: list) {
                let path = RepositoryObject.pack(pack.description)
                faults.append((path, "the pack is corrupt", SegmentGroup(segments: [])))
            }
            return true
        }
        try await repository.forEachGroup(of: snapshot, store, isUnreadable: isUnreadable) { group in
            listed += group.entryCount
            let found = group.segments.compactMap { problem($0.id, $0.kind) }
            for object in Set(found.map(\.object)) {
                guard let fault = found.first(where: { $0.object == object }) else { continue }
                faults.append((object, fault.problem, group))
            }
        }
        for fault in faults {
            let index = findingIndex(fault.object, fault.problem)
            if result.findings[index].snapshots.last != snapshot.id {
                result.findings[index].snapshots.append(snapshot.id)
            }
            result.findings[index].entryCount += fault.group.entryCount
            result.findings[index].documentCount += fault.group.documentCount
        }
        // Entries in unreadable lists cannot be assigned to a finding, so they are added to the count of the
        // snapshot's first finding.
        let missing = snapshot.stamp.entryCount - listed
        if missing > 0, let index = result.findings.firstIndex(where: { $0.snapshots.contains(snapshot.id) })
        {
            result.findings[index].entryCount += missing
        }
    }
}

extension BackupRepository {
    /// Verifies that every snapshot can be restored.
    ///
    /// Damage is not an error; it is reported in the result, and so are snapshots of a newer format.
    ///
    /// - Parameters:
    ///   - readingData: Whether to read all packs and verify their digests. Otherwise only snapshots, indexes
    ///     and lists are read, and the existence and size of the packs is checked.
    ///   - progress: Called repeatedly with the number of packs that have been read and the total number of
    ///     packs.
    /// - Returns: The faults, and the data that they affect.
    /// - Throws: ``BackupError`` with `.locked` if another process is pruning the repository;
    ///   `ChunkStorageError` if the storage cannot be read; `CancellationError`.
    @concurrent
    public func verify(
        readingData: Bool = false, progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> BackupVerification {
        try await RepositoryLock.with(exclusive: false, toleratesReadOnly: true, retrieval) { _ in
            var verifier = try await RepositoryVerifier(self)
            try await verifier.findIncompletePacks()
            if readingData { try await verifier.readPacks(progress) }
            try await verifier.checkSnapshots()
            return verifier.result
        }
    }
}
