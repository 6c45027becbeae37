public import Foundation
import RoostFiles
public import RoostModel

/// Moves a store to another kind of storage, in a folder of its own: with all ids, dates, revisions and
/// stamps, so that what is exported before and after is the same to the byte.
public struct StoreMigration: Sendable {
    public let source: URL
    public let target: URL
    public let provider: StoreManifest.Provider
    /// Whether the source may be written to meanwhile: the copy is of one revision all the same, which need
    /// not be the last.
    public var allowsWriters = false

    public init(from source: URL, to target: URL, provider: StoreManifest.Provider) {
        self.source = source
        self.target = target
        self.provider = provider
    }

    /// What stands in the target's folder until it is a store.
    private struct Marker: Codable, Equatable {
        var provider: StoreManifest.Provider
        var stamp: Stamp
    }

    private var markerURL: URL { target.appendingPathComponent("migration.json") }

    /// Copies the store, compares every answer of the two, and only then makes the target a store.
    ///
    /// The source is only read. A call that did not come to its end is gone on with by the next one: with
    /// what was written, where the source has not changed since.
    /// - Parameter progress: told now and then how many entries have been written.
    /// - Returns: the stamp of both.
    /// - Throws: ``RoostError``: `.noStore`, `.storeExists`, `.configuration` where the target's folder has
    ///   files of others; ``StorageError``: `.conflict` where the source was written to meanwhile, `.damaged`
    ///   where an answer differs. The target is no store then.
    @discardableResult
    public func run(progress: @escaping @Sendable (Int) -> Void = { _ in }) async throws -> Stamp {
        var manifest = try await StoreManifest.settled(in: source)
        let origin = StoreConfiguration(directory: source, manifest: manifest)
        guard !StoreManifest.exists(in: target) else {
            throw RoostError(.storeExists, "there is a store in \(target.path) already")
        }
        manifest.provider = provider
        let copy = StoreConfiguration(directory: target, manifest: manifest)
        let transfer = try await origin.transfer()
        do {
            // A move to another model may have come in between.
            let epoch = transfer.state.stamp.epoch
            guard try StoreManifest.read(in: source).space(inEpoch: epoch) == manifest.space else {
                throw StorageError.conflict(
                    "the store was moved to another model while it was copied; give the same command again")
            }
            try await run(transfer, into: copy, progress)
            try await copyOriginals()
        } catch {
            await transfer.end()
            throw error
        }
        await transfer.end()
        try manifest.create(in: target)
        try? FileSystem.standard.unlink(markerURL.path)
        return transfer.state.stamp
    }

    private func run(
        _ transfer: StoreConfiguration.Transfer, into copy: StoreConfiguration,
        _ progress: @escaping @Sendable (Int) -> Void
    ) async throws {
        let state = transfer.state
        try prepare(for: Marker(provider: provider, stamp: state.stamp))
        if try !hasAll(state.stamp) { try await copy.fill(from: state, progress: progress) }
        let copied = try await copy.open()
        do {
            try await compare(state, transfer.storage, copied)
        } catch {
            try? await copied.close()
            throw error
        }
        try await copied.close()
        if allowsWriters { return }
        guard try await transfer.storage.snapshot().stamp == state.stamp else {
            throw StorageError.conflict(
                "the store was written to while it was copied; give the same command again")
        }
    }

    /// Documents that are kept, as they lie there.
    private func copyOriginals() async throws {
        let (from, into) = (OriginalStore(of: source), OriginalStore(of: target))
        guard from.exists else { return }
        let keeping = try? await from.use()
        defer { keeping?.release() }
        let digests = try await from.digests()
        guard !digests.isEmpty else { return }
        try await BlockingWork.run { isCancelled in
            do {
                for digest in digests {
                    if isCancelled() { throw CancellationError() }
                    let file = into.file(digest)
                    try FileSystem.deferring.createFolder(file.deletingLastPathComponent())
                    try AtomicFile.copy(from.file(digest), to: file, files: .deferring)
                }
                try FileSystem.synchronizeAll(around: into.folder)
            } catch let error as FileError {
                throw StorageError(.inputOutput, error.description, underlying: error)
            }
        }
    }

    /// Whether a JSON store was written in full before the last call died; SQLite is asked row by row.
    private func hasAll(_ stamp: Stamp) throws -> Bool {
        provider == .json
            && FileManager.default.fileExists(
                atPath: StoreConfiguration.storageURL(target).appendingPathComponent("CURRENT").path)
    }

    /// Makes the folder ready: empty, or with the beginning of the same copy.
    private func prepare(for marker: Marker) throws {
        let manager = FileManager.default
        do {
            try FileSystem.standard.createFolder(target)
            let names = try manager.contentsOfDirectory(atPath: target.path).filter {
                $0 != "lock" && !$0.hasPrefix(".migration.json.")
            }
            if let data = manager.contents(atPath: markerURL.path) {
                if (try? JSONDecoder().decode(Marker.self, from: data)) == marker { return }
                // The source has changed, or it is to be another kind: what was begun is of no use.
                let database = StoreConfiguration.databaseURL(target).lastPathComponent
                for name in names where name.hasPrefix(database) || name == "Storage" {
                    try manager.removeItem(at: target.appendingPathComponent(name))
                }
            } else if !names.isEmpty {
                throw RoostError(
                    .configuration, "\(target.path) has files in it; name a folder that is new or empty")
            }
            try AtomicFile.write(try JSONEncoder().encode(marker), to: markerURL)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        }
    }

    private func compare(
        _ state: StoreState, _ storage: any StorageProvider, _ copied: any StorageProvider
    ) async throws {
        let original = InMemorySnapshot(state: state)
        let snapshot = try await copied.snapshot()
        func require(_ isSame: Bool, _ what: String) throws {
            guard isSame else {
                throw StorageError(.damaged, "the copy has other \(what) than the store; it was not finished")
            }
        }
        try require(snapshot.stamp == original.stamp, "numbers")
        var row: UInt32?
        repeat {
            try Task.checkCancellation()
            let expected = try original.entries(after: row, limit: 500, matching: .all)
            let found = try await snapshot.entries(after: row, limit: 500, matching: .all)
            try require(expected.entries == found.entries && expected.rows == found.rows, "entries")
            let ids = expected.entries.map(\.id)
            try require(
                original.revisions(of: ids) == (try await snapshot.revisions(of: ids)), "revisions")
            row = expected.next
        } while row != nil
        try require(try await snapshot.clusters() == original.clusters(), "clusters")
        try require(try await snapshot.assignments(of: nil) == original.assignments(of: nil), "assignments")
        try require(try await snapshot.clusteringRun() == original.clusteringRun(), "runs")
        try require(try await snapshot.sources() == original.sources(), "sources")
        var cursors = (ChangeCursor.start, ChangeCursor.start)
        while true {
            let expected = try state.changes(after: cursors.0, limit: 1000)
            let found = try await copied.changes(after: cursors.1, limit: 1000)
            guard case .changes(let before, let first, let isLast) = expected,
                case .changes(let after, let second, _) = found, before == after
            else { return try require(false, "changes") }
            if isLast { return }
            cursors = (first, second)
        }
    }
}
