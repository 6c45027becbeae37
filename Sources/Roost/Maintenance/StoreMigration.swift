public import Foundation
import RoostFiles
public import RoostModel

/// Copies a store into a new folder with another storage backend.
///
/// All ids, dates, revisions and stamps are preserved, so exports of both stores are byte-identical.
public struct StoreMigration: Sendable {
    /// The folder of the store to copy.
    public let source: URL
    /// The folder of the new store.
    public let target: URL
    /// The storage backend of the new store.
    public let provider: StoreManifest.Provider
    /// Whether other processes may write to the source while it is copied. The copy always contains one
    /// consistent revision, but if others write, it may not be the latest one.
    public var allowsWriters = false

    /// The file that identifies a folder with an unfinished copy.
    static let markerName = "migration.json"
    /// The number of entries that are compared at once.
    private static let comparisonPageSize = 500
    /// The number of changes that are compared at once.
    private static let changePageSize = 1000

    /// Creates a migration.
    public init(from source: URL, to target: URL, provider: StoreManifest.Provider) {
        self.source = source
        self.target = target
        self.provider = provider
    }

    /// The contents of the marker file, which identify the source of an unfinished copy.
    private struct Marker: Codable, Equatable {
        var provider: StoreManifest.Provider
        var stamp: Stamp
    }

    private var markerURL: URL { target.appendingPathComponent(Self.markerName) }

    /// Copies the store, checks that the copy and the original give the same answers, and then makes the
    /// target a store.
    ///
    /// The source is only read. If the source has not changed, a call after an interrupted one resumes the
    /// copy.
    ///
    /// - Parameter progress: Receives the number of entries written so far, and the number of all entries.
    /// - Returns: The stamp of both stores.
    /// - Throws: ``RoostError`` with `.noStore`, `.storeExists`, or `.configuration` if the target folder
    ///   contains other files or is inside the folder of a store; `StorageError` with `.conflict` if the
    ///   source was changed during the copy, or with `.damaged` if an answer differs. If an error is thrown,
    ///   the target is not a store.
    @concurrent @discardableResult
    public func run(
        progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> Stamp {
        var manifest = try await StoreManifest.settled(in: source)
        let origin = StoreConfiguration(directory: source, manifest: manifest)
        guard !StoreManifest.exists(in: target) else { throw RoostError.storeExists(in: target) }
        try StoreManifest.requireOutsideOfStores(target)
        manifest.provider = provider
        let copy = StoreConfiguration(directory: target, manifest: manifest)
        let transfer = try await StorageTransfer.begin(origin)
        do {
            // The store may have been migrated to another model after its manifest was read.
            let epoch = transfer.state.stamp.epoch
            guard try StoreManifest.read(in: source).space(inEpoch: epoch) == manifest.space else {
                throw StorageError.conflict(
                    "the store was migrated to another model while it was copied; start the copy again")
            }
            try await run(transfer, into: copy, progress)
            try await copyOriginals()
            // The copy keeps the revisions, so the list of models applies to it, too.
            try EmbeddingLog(directory: source).copy(to: target)
            try SyncedFolders.copy(from: source, to: target)
        } catch {
            await transfer.end()
            throw error
        }
        await transfer.end()
        manifest.store = transfer.state.stamp.store
        try manifest.create(in: target)
        try? FileSystem.standard.unlink(markerURL.path)
        return transfer.state.stamp
    }

    private func run(
        _ transfer: StorageTransfer, into copy: StoreConfiguration,
        _ progress: @escaping @Sendable (Int, Int) -> Void
    ) async throws {
        let state = transfer.state
        try prepareTarget(for: Marker(provider: provider, stamp: state.stamp))
        let count = state.stamp.entryCount
        if !isComplete { try await copy.fill(from: state) { progress($0, count) } }
        try await copy.withStorage { copied in
            try await compare(state, with: copied)
        }
        if allowsWriters { return }
        guard try await transfer.storage.snapshot().stamp == state.stamp else {
            throw StorageError.conflict("the store was changed while it was copied; start the copy again")
        }
    }

    private func copyOriginals() async throws {
        let originals = OriginalStore(of: source)
        guard originals.exists else { return }
        _ = try await originals.copyAll(to: OriginalStore(of: target))
    }

    /// Whether an interrupted call has written a complete JSON store. Always `false` for SQLite, which
    /// resumes an incomplete copy itself.
    private var isComplete: Bool {
        provider == .json
            && FileManager.default.fileExists(
                atPath: StoreConfiguration.storageURL(target).appendingPathComponent("CURRENT").path)
    }

    /// Prepares the target folder, so that it is empty or contains the beginning of the same copy.
    private func prepareTarget(for marker: Marker) throws {
        let manager = FileManager.default
        do {
            try FileSystem.standard.createFolder(target)
            let names = try manager.contentsOfDirectory(atPath: target.path).filter {
                $0 != "lock" && !$0.hasPrefix(".\(Self.markerName).")
            }
            if let data = manager.contents(atPath: markerURL.path) {
                if (try? JSONDecoder().decode(Marker.self, from: data)) == marker { return }
                // The source has changed, or the provider is a different one, so discard the unfinished copy.
                let database = StoreConfiguration.databaseURL(target).lastPathComponent
                let storage = StoreConfiguration.storageURL(target).lastPathComponent
                for name in names where name.hasPrefix(database) || name == storage {
                    try manager.removeItem(at: target.appendingPathComponent(name))
                }
            } else if !names.isEmpty {
                throw RoostError(
                    .configuration,
                    "cannot create a store in \(target.path): the folder contains files; name a new or empty "
                        + "folder")
            }
            try AtomicFile.write(try JSONEncoder().encode(marker), to: markerURL)
        } catch {
            throw StorageError.mapping(error)
        }
    }

    // MARK: Comparison

    private func compare(_ state: StoreState, with copied: any StorageProvider) async throws {
        let original = InMemorySnapshot(state: state)
        let snapshot = try await copied.snapshot()
        try Self.require(snapshot.stamp == original.stamp, "the stamp")
        var originalPages = original.entryPages(pageSize: Self.comparisonPageSize).makeAsyncIterator()
        for try await found in snapshot.entryPages(pageSize: Self.comparisonPageSize) {
            let expected = try await originalPages.next()
            try Self.require(
                expected?.entries == found.entries && expected?.rows == found.rows, "entries")
            let ids = found.entries.map(\.id)
            try Self.require(
                original.revisions(of: ids) == (try await snapshot.revisions(of: ids)), "revisions")
        }
        try Self.require(try await originalPages.next() == nil, "entries")
        try Self.require(try await snapshot.clusters() == original.clusters(), "clusters")
        try Self.require(
            try await snapshot.assignments(of: nil) == original.assignments(of: nil), "assignments")
        try Self.require(
            try await snapshot.clusteringRun() == original.clusteringRun(), "the clustering run")
        try Self.require(try await snapshot.sources() == original.sources(), "sources")
        try await compareChanges(state, with: copied)
    }

    private func compareChanges(_ state: StoreState, with copied: any StorageProvider) async throws {
        var cursors = (original: ChangeCursor.start, copy: ChangeCursor.start)
        while true {
            let expected = try state.changes(after: cursors.original, limit: Self.changePageSize)
            let found = try await copied.changes(after: cursors.copy, limit: Self.changePageSize)
            guard case .changes(let originalChanges, let nextOriginal, let isLast) = expected,
                case .changes(let copiedChanges, let nextCopy, _) = found, originalChanges == copiedChanges
            else { return try Self.require(false, "the change feed") }
            if isLast { return }
            cursors = (nextOriginal, nextCopy)
        }
    }

    private static func require(_ isEqual: Bool, _ subject: String) throws {
        guard isEqual else {
            throw StorageError(
                .damaged, "cannot complete the copy: \(subject) of the copy and of the store differ")
        }
    }
}
