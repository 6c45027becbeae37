import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// Keeps a store up to date with its remembered folders until the task is canceled.
struct FolderWatcher {
    private let store: KnowledgeStore
    private let directory: URL
    private let options: WatchOptions
    private var observer: any FolderObserver
    private var trees: [SyncTree] = []
    /// The missing files whose entries are not removed yet, and the times at which they were missed.
    private var missing: [Source.ID: ContinuousClock.Instant] = [:]
    /// The status of the list of folders when it was read.
    private var listStatus: FileStatus?
    /// The identities of the folders when they were searched.
    private var identities: [SyncedFolder.ID: FileIdentity] = [:]
    /// The last messages about folders and errors, which are not repeated.
    private var notices: Set<String> = []
    private var lastSave = ContinuousClock.now
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
    /// The time between two writes of the states. They only save work for the next process.
    private static let saveTime = Duration.seconds(30)
    /// The time without changes after which the work for idle times is done.
    private static let idleTime = Duration.seconds(10)

    init(store: KnowledgeStore, options: WatchOptions) throws {
        (self.store, self.options, directory) = (store, options, try store.syncDirectory())
        observer = options.observer ?? PollingObserver(interval: options.pollingInterval)
        #if os(Linux)
            guard options.observer == nil else { return }
            do {
                observer = try InotifyObserver()
            } catch {
                options.onEvent(.notice("\(error.message); searching \(Self.pollingText(options)) instead"))
            }
        #endif
    }

    /// Watches the folders.
    ///
    /// - Throws: `CancellationError`; ``RoostError`` with `.noInput` if the store remembers no folders;
    ///   errors of the store that do not pass.
    mutating func run() async throws {
        try loadList()
        guard !trees.isEmpty else {
            throw RoostError(.noInput, "cannot watch folders: the store remembers none")
        }
        var isFirst = true
        do {
            while true {
                try await sync()
                if isFirst {
                    let files = trees.reduce(0) { $0 + $1.state.files.count }
                    options.onEvent(.watching(folders: trees.count, files: files))
                    isFirst = false
                }
                try await waitForChanges()
            }
        } catch {
            save()
            throw error
        }
    }

    // MARK: Waiting

    private mutating func waitForChanges() async throws {
        while true {
            var changes = try await observer.changes(timeout: Self.checkTime)
            if !changes.isEmpty {
                let end = ContinuousClock.now + Self.maximumDelay
                while !changes.isIncomplete, ContinuousClock.now < end {
                    let more = try await observer.changes(timeout: Self.quietTime)
                    if more.isEmpty { break }
                    changes.formUnion(more)
                }
            }
            add(changes)
            try checkFolders()
            addDueRemovals()
            if trees.contains(where: { !$0.scope.isEmpty }) { return }
            if ContinuousClock.now > lastSave + Self.saveTime { save() }
            if let last = lastChange, ContinuousClock.now > last + Self.idleTime {
                lastChange = nil
                await options.onIdle()
            }
        }
    }

    private mutating func add(_ changes: FolderChanges) {
        for index in trees.indices {
            if changes.isIncomplete { trees[index].scope = .everything }
            for path in changes.paths {
                if let relative = trees[index].folder.relativePath(of: path.text) {
                    trees[index].scope.insert(relative)
                }
            }
        }
    }

    /// Adds the missing files whose entries have been kept long enough.
    private mutating func addDueRemovals() {
        let limit = ContinuousClock.now - options.removalDelay
        guard missing.values.contains(where: { $0 <= limit }) else { return }
        addMissing()
    }

    /// Adds the missing files, so that a sync finds them if they have been moved.
    private mutating func addMissing() {
        guard !missing.isEmpty else { return }
        for index in trees.indices {
            for (path, file) in trees[index].state.files where missing[file.source] != nil {
                trees[index].scope.insert(path.text)
            }
        }
    }

    /// Reads the list again if it has changed, and searches folders that have been created or mounted.
    private mutating func checkFolders() throws {
        if Self.status(of: SyncedFolders.url(in: directory)) != listStatus { try loadList() }
        for index in trees.indices {
            let folder = trees[index].folder
            let identity = FileIdentity(folder.url)
            guard identity != identities[folder.id] else { continue }
            identities[folder.id] = identity
            trees[index].scope = .everything
        }
    }

    private static func status(of url: URL) -> FileStatus? {
        var status = stat()
        return stat(url.path, &status) == 0 ? FileStatus(status) : nil
    }

    private mutating func loadList() throws {
        listStatus = Self.status(of: SyncedFolders.url(in: directory))
        let known = Dictionary(trees.map { ($0.folder, $0) }) { first, _ in first }
        let folders = try store.syncedFolders()
        try options.check(folders)
        trees = folders.map { folder in
            known[folder] ?? SyncTree(folder: folder, state: SyncState(of: folder, in: directory))
        }
        for tree in trees { identities[tree.folder.id] = FileIdentity(tree.folder.url) }
    }

    // MARK: Syncing

    /// Syncs the scopes of all folders. An error that may pass is reported, and the sync is tried again
    /// later.
    private mutating func sync() async throws {
        addMissing()
        let scopes = trees.map(\.scope)
        do {
            try await syncScopes()
        } catch let error as StorageError where [.damaged, .newerFormat].contains(error.code) {
            throw error
        } catch let error where !(error is CancellationError || error is RoostError) {
            notify("cannot sync: \(error); trying again")
            for index in trees.indices { trees[index].scope.formUnion(scopes[index]) }
            try await Task.sleep(for: Self.retryTime)
        }
    }

    private mutating func syncScopes() async throws {
        let due = missing.filter { $0.value <= ContinuousClock.now - options.removalDelay }
        // A file that no state contains cannot be searched again later, so its entries are removed at once.
        let tracked =
            trees.contains(where: \.scope.isEntire)
            ? Set(trees.flatMap { $0.state.files.values.map(\.source) }) : nil
        let risks = Mutex<[String]>([])
        var syncOptions = SyncOptions()
        syncOptions.willRemove = options.willRemove
        syncOptions.willEnter = { [observer] in observer.observe($0) }
        syncOptions.keepsMissing = { due[$0] == nil && (tracked?.contains($0) ?? true) }
        syncOptions.decide = { risk in
            risks.withLock { $0.append(risk.description) }
            return .keep
        }
        store.undoRecorder?.beginGroup("watch")
        var active = trees.filter { !$0.scope.isEmpty }
        let report = try await FolderSync(store: store, options: syncOptions).run(&active)
        for tree in active {
            guard let index = trees.firstIndex(where: { $0.folder.id == tree.folder.id }) else { continue }
            trees[index] = tree
            trees[index].scope = FolderScope()
        }
        let now = ContinuousClock.now
        // Files that were due and have been kept are in a folder with a risk. Only a change in their folder
        // or another command can resolve it.
        missing = Dictionary(
            report.keptSources.filter { due[$0] == nil }.map { ($0, missing[$0] ?? now) }
        ) { first, _ in first }
        for message in risks.withLock(\.self) {
            notify("\(message); their entries are kept until `sync` is confirmed")
        }
        if report.hasChanges {
            lastChange = now
            options.onEvent(.synced(report))
        }
        usePollingIfNecessary()
        if ContinuousClock.now > lastSave + Self.saveTime { save() }
    }

    /// Searches all folders regularly if the system cannot observe all of them.
    private mutating func usePollingIfNecessary() {
        guard let failure = observer.failure else { return }
        options.onEvent(.notice("\(failure); searching \(Self.pollingText(options)) instead"))
        observer = PollingObserver(interval: options.pollingInterval)
    }

    private static func pollingText(_ options: WatchOptions) -> String {
        "all folders every \(options.pollingInterval)"
    }

    private mutating func notify(_ message: String) {
        if notices.insert(message).inserted { options.onEvent(.notice(message)) }
    }

    private mutating func save() {
        lastSave = .now
        // The states must not create the folder of a store that was moved away.
        guard StoreManifest.exists(in: directory) else { return }
        for index in trees.indices {
            // Without the state, the next sync reads all files, which is no reason to fail.
            try? trees[index].state.save(of: trees[index].folder, in: directory)
        }
    }
}
