import Foundation
import RoostFiles
import RoostModel
import Synchronization

struct FolderWatcher {
    private let store: KnowledgeStore
    private let directory: URL
    private let options: WatchOptions
    private var observer: any FolderObserver
    private var trees: [SyncTree] = []
    /// Whether something may have changed since the last sync.
    private var isDue = true
    /// The missing files whose entries are not removed yet, and the times at which they were missed.
    private var missing: [Source.ID: ContinuousClock.Instant] = [:]
    private var identities: [FileIdentity?] = []
    /// The last messages about folders and errors, which are not repeated.
    private var notices: Set<String> = []
    /// The time of the last change that was synced; `nil` after the work for idle times.
    private var lastChange: ContinuousClock.Instant?

    /// The time without changes after which changes are synced. Programs save a file in several steps.
    private static let quietTime = Duration.milliseconds(100)
    /// The maximum time for which changes are collected.
    private static let maximumDelay = Duration.seconds(2)
    /// The time between two checks of the list of folders and of the folders themselves.
    private static let checkTime = Duration.seconds(1)
    /// The time after which a sync that failed is tried again.
    private static let retryTime = Duration.seconds(5)
    /// The time without changes after which the work for idle times is done.
    private static let idleTime = Duration.seconds(10)

    init(store: KnowledgeStore, options: WatchOptions) throws {
        (self.store, self.options, directory) = (store, options, try store.folders.directory())
        #if os(Linux)
            observer = options.observer ?? InotifyObserver()
        #else
            observer = options.observer ?? PollingObserver(interval: options.pollingInterval)
        #endif
    }

    mutating func run() async throws {
        try loadList()
        guard !trees.isEmpty else {
            throw RoostError(.noInput, "cannot watch folders: the store remembers none")
        }
        defer { save() }
        try await sync()
        let files = trees.reduce(0) { $0 + $1.state.files.count }
        options.onEvent(.watching(folders: trees.count, files: files))
        while true {
            try await waitForChanges()
            try await sync()
        }
    }

    // MARK: Waiting

    private mutating func waitForChanges() async throws {
        while true {
            if try await observer.waitForChange(timeout: Self.checkTime) {
                isDue = true
                let end = ContinuousClock.now + Self.maximumDelay
                while ContinuousClock.now < end,
                    try await observer.waitForChange(timeout: Self.quietTime)
                {}
            }
            try checkFolders()
            // The entries of missing files have been kept long enough.
            let limit = ContinuousClock.now - options.removalDelay
            if missing.values.contains(where: { $0 <= limit }) { isDue = true }
            if isDue { return }
            if let last = lastChange, ContinuousClock.now > last + Self.idleTime {
                lastChange = nil
                save()
                await options.onIdle()
            }
        }
    }

    /// Reads the list again if it has changed, and searches folders that have been created or mounted.
    private mutating func checkFolders() throws {
        if try store.folders.all() != trees.map(\.folder) { try loadList() }
        let found = trees.map { FileIdentity($0.folder.url) }
        if found != identities { (identities, isDue) = (found, true) }
    }

    private mutating func loadList() throws {
        let known = Dictionary(trees.map { ($0.folder, $0) }) { first, _ in first }
        let folders = try store.folders.all()
        try options.check(folders)
        trees = folders.map { folder in
            known[folder] ?? SyncTree(folder: folder, state: SyncState(of: folder, in: directory))
        }
        isDue = true
        identities = trees.map { FileIdentity($0.folder.url) }
    }

    // MARK: Syncing

    /// Syncs all folders. An error that may pass is reported, and the sync is tried again later.
    private mutating func sync() async throws {
        do {
            try await syncFolders()
            isDue = false
        } catch let error as StorageError where [.damaged, .newerFormat].contains(error.code) {
            throw error
        } catch let error where !(error is CancellationError || error is RoostError) {
            notify("cannot sync: \(error); trying again")
            try await Task.sleep(for: Self.retryTime)
        }
    }

    private mutating func syncFolders() async throws {
        let due = missing.filter { $0.value <= ContinuousClock.now - options.removalDelay }
        let risks = Mutex<[String]>([])
        var syncOptions = SyncOptions()
        syncOptions.willRemove = options.willRemove
        syncOptions.willEnter = { [observer] in observer.observe($0) }
        syncOptions.keepsMissing = { due[$0] == nil }
        syncOptions.decide = { risk in
            risks.withLock { $0.append(risk.description) }
            return .keep
        }
        store.undoRecorder?.beginGroup("watch")
        let (report, kept) = try await FolderSync(store: store, options: syncOptions).run(&trees)
        let now = ContinuousClock.now
        // Files that were due and have been kept are in a folder with a risk. Only a change in their folder
        // or another command can resolve it.
        missing = Dictionary(
            kept.filter { due[$0] == nil }.map { ($0, missing[$0] ?? now) }
        ) { first, _ in first }
        for message in risks.withLock(\.self) {
            notify("\(message); their entries are kept until `sync` is confirmed")
        }
        if report.hasChanges {
            lastChange = now
            options.onEvent(.synced(report))
        }
        if let failure = observer.failure {
            options.onEvent(
                .notice("\(failure); searching all folders every \(options.pollingInterval) instead"))
            observer = PollingObserver(interval: options.pollingInterval)
        }
    }

    private mutating func notify(_ message: String) {
        if notices.insert(message).inserted { options.onEvent(.notice(message)) }
    }

    private mutating func save() {
        // The states must not create the folder of a store that was moved away.
        guard StoreManifest.exists(in: directory) else { return }
        for index in trees.indices {
            // Without the state, the next sync reads all files, which is no reason to fail.
            try? trees[index].state.save(of: trees[index].folder, in: directory)
        }
    }
}

/// The parameters of watching folders.
public struct WatchOptions: Sendable {
    /// Receives reports.
    public var onEvent: @Sendable (WatchEvent) -> Void = { _ in }
    /// Called with the number of entries before entries are removed, for example to create a backup.
    public var willRemove: @Sendable (Int) async throws -> Void = { _ in }
    /// Called with the remembered folders whenever their list has been read. An error ends the watch.
    public var check: @Sendable ([SyncedFolder]) throws -> Void = { _ in }
    /// Called when nothing has changed for some seconds after a sync, for example to update the index.
    public var onIdle: @Sendable () async -> Void = {}
    /// The time between two searches of all folders, if the system cannot report changes.
    public var pollingInterval = Duration.seconds(5)
    /// The time for which the entries of a missing file are kept: editors and file managers remove a file
    /// and create it again.
    public var removalDelay = Duration.seconds(2)
    /// The observer of the folders; `nil` for the best one that the system supports.
    var observer: (any FolderObserver)?

    /// Creates options with default values.
    public init() {}
}

/// A report of a store that watches its folders.
public enum WatchEvent: Sendable {
    /// The folders have been synced for the first time, and are now observed.
    case watching(folders: Int, files: Int)
    /// Changes have been synced.
    case synced(IngestReport)
    /// A condition that the user should know, as a sentence.
    case notice(String)
}
