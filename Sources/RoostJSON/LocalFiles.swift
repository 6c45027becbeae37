import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The files of a `LocalStorageProvider` and what of them is in memory.
final class LocalFiles: Sendable {
    private struct Loaded {
        var state: StoreState
        /// `nil` while the folder has none of ours.
        var generation: Generation?
        /// How much of the journal the state has.
        var journalLength: Int
        var isClosed = false
    }

    private let directory: URL
    private let lockURL: URL
    private let lockTimeout: TimeInterval
    private let loaded: Mutex<Loaded>

    /// A snapshot of fewer bytes is rewritten at every commit, so that its files are what is stored; beyond
    /// it the journal grows to half the snapshot, or this.
    private static let alwaysFolded = 256 << 10
    private static let smallestJournalLimit = 16 << 20
    private static let keptGenerations = 3
    private static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600

    init(directory: URL, lockURL: URL?, lockTimeout: TimeInterval) throws {
        try AtomicFile.createFolder(directory)
        self.directory = directory
        self.lockURL = lockURL ?? directory.appendingPathComponent("lock")
        self.lockTimeout = lockTimeout
        var loaded = Loaded(state: StoreState(), generation: nil, journalLength: 0)
        // What a bare folder has gets its identity at the first commit.
        if try Self.current(directory) == nil { loaded.state = try Self.readBareFolder(directory) }
        try Self.refresh(&loaded, directory)
        self.loaded = Mutex(loaded)
    }

    private var currentURL: URL { directory.appendingPathComponent("CURRENT") }

    // MARK: Reading

    func reading() async throws -> StoreState {
        try await BlockingWork.run { [self] _ in
            try Self.translating {
                try loaded.withLock { loaded in
                    guard !loaded.isClosed else { throw StorageError(.closed, "the store was closed") }
                    try Self.refresh(&loaded, directory)
                    return loaded.state
                }
            }
        }
    }

    func close() { loaded.withLock { $0.isClosed = true } }

    private static func current(_ directory: URL) throws -> Generation? {
        let url = directory.appendingPathComponent("CURRENT")
        let data: Data
        do {
            let file = try FileDescriptor(url.path, O_RDONLY)
            data = try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return nil
        }
        struct Format: Decodable { var format: Int }
        guard let format = try? JSONDecoder().decode(Format.self, from: data) else {
            throw StorageError(
                .damaged, "\(url.path) cannot be read; the files in \(directory.path)/generations are whole")
        }
        guard format.format <= Generation.currentFormat else {
            throw StorageError(
                .newerFormat,
                "\(directory.path) was written by a newer version of Roost; update Roost to open it")
        }
        return try JSONDecoder().decode(Generation.self, from: data)
    }

    /// Brings the state up to what is on disk.
    private static func refresh(_ loaded: inout Loaded, _ directory: URL) throws {
        guard let generation = try current(directory) else { return }
        if loaded.generation != generation {
            loaded.state = try generation.read(in: directory)
            loaded.generation = generation
            loaded.journalLength = 0
        }
        let url = directory.appendingPathComponent(Generation.journal(generation.number))
        let file: FileDescriptor
        do {
            file = try FileDescriptor(url.path, O_RDONLY)
        } catch let error as FileError where error.isMissing {
            return
        }
        let size = try file.size()
        guard size > loaded.journalLength else { return }
        let tail = try file.read(at: loaded.journalLength, count: size - loaded.journalLength)
        let (records, length) = try Journal.read(tail, path: url.path)
        for (revision, record) in records where revision > loaded.state.stamp.revision {
            try replay(record, revision, &loaded.state, url.path)
        }
        loaded.journalLength += length
    }

    private static func replay(
        _ record: Journal.Record, _ revision: Revision, _ state: inout StoreState, _ path: String
    ) throws {
        if let batch = record.batch {
            try state.apply(batch, at: Date(milliseconds: record.date))
            state.forgetRemovals(
                before: Date(milliseconds: record.date).addingTimeInterval(-tombstoneLifetime))
        }
        if let epoch = record.epoch { state.renewEpoch(to: epoch) }
        guard state.stamp.revision == revision else {
            throw StorageError(.damaged, "\(path) does not follow from the files that it belongs to")
        }
    }

    private static func readBareFolder(_ directory: URL) throws -> StoreState {
        func read<Value: Decodable>(_ name: String) throws -> [Value] {
            let url = directory.appendingPathComponent(name)
            guard FileManager.default.fileExists(atPath: url.path) else { return [] }
            let decoder = JSONDecoder()
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            decoder.userInfo[.defaultDate] = attributes[.modificationDate] as? Date
            do {
                return try decoder.decode([Value].self, from: Data(contentsOf: url))
            } catch {
                throw StorageError(
                    .damaged, "\(url.path) is not a JSON array of the expected objects", underlying: error)
            }
        }
        let entries: [Entry] = try read(Generation.entriesFile)
        var seen = Set<UUID>()
        let clusters: [Cluster] = try read(Generation.clustersFile)
        // A program that appends may have saved an entry twice; the last one is what it meant.
        let latest = entries.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try StoreState(store: UUID(), entries: Array(latest), clusters: clusters)
    }

    // MARK: Writing

    /// Runs `body` on the newest state under the writers' lock and makes what it recorded durable.
    ///
    /// - Parameter body: returns what is to be written, `nil` for nothing.
    func writing(
        _ body: @escaping @Sendable (inout StoreState, Date) throws -> Journal.Record?
    ) async throws -> Stamp {
        try await BlockingWork.run { [self] isCancelled in
            try Self.translating {
                let lock = try FileLock.acquire(lockURL, timeout: lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                return try loaded.withLock { loaded in
                    guard !loaded.isClosed else { throw StorageError(.closed, "the store was closed") }
                    try Self.refresh(&loaded, directory)
                    var state = loaded.state
                    let date = Date().wholeMilliseconds
                    guard let record = try body(&state, date) else { return state.stamp }
                    state.forgetRemovals(before: date.addingTimeInterval(-Self.tombstoneLifetime))
                    if isCancelled() { throw CancellationError() }
                    let line = try Journal.line(record, revision: state.stamp.revision)
                    let size = loaded.generation?.size ?? 0
                    let limit = size < Self.alwaysFolded ? 0 : max(Self.smallestJournalLimit, size / 2)
                    if loaded.generation == nil || loaded.journalLength + line.count > limit {
                        try fold(state, &loaded)
                    } else {
                        try append(line, &loaded)
                        loaded.state = state
                    }
                    return state.stamp
                }
            }
        }
    }

    func compact() async throws {
        try await BlockingWork.run { [self] isCancelled in
            try Self.translating {
                let lock = try FileLock.acquire(lockURL, timeout: lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                try loaded.withLock { loaded in
                    try Self.refresh(&loaded, directory)
                    try fold(loaded.state, &loaded)
                }
            }
        }
    }

    private func append(_ line: Data, _ loaded: inout Loaded) throws {
        guard let generation = loaded.generation else {
            preconditionFailure("a journal belongs to a generation")
        }
        let url = directory.appendingPathComponent(Generation.journal(generation.number))
        let isNew = loaded.journalLength == 0
        let file = try FileDescriptor(url.path, O_WRONLY | O_CREAT)
        do {
            // What lies behind is the unfinished line of a process that died: nobody was told that it was
            // written.
            try file.truncate(to: loaded.journalLength)
            guard lseek(file.raw, off_t(loaded.journalLength), SEEK_SET) >= 0 else {
                throw FileError(operation: "seek in", path: url.path, errno: errno)
            }
            try line.withUnsafeBytes { try file.write($0) }
            try file.synchronize()
            if isNew { try AtomicFile.synchronizeFolder(directory) }
        } catch {
            try? file.truncate(to: loaded.journalLength)
            throw error
        }
        loaded.journalLength += line.count
    }

    /// Writes a new generation and makes it the current one. `CURRENT` is the commit point: before its
    /// rename nothing has changed for anybody.
    private func fold(_ state: StoreState, _ loaded: inout Loaded) throws {
        let number = (loaded.generation?.number ?? 0) + 1
        if loaded.generation == nil { try keepForeignFiles() }
        let folder = directory.appendingPathComponent(Generation.folder(number))
        // A generation that a dying process did not finish.
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: directory.appendingPathComponent(Generation.journal(number)))
        let generation = try Generation.write(state, number: number, in: directory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try AtomicFile.write(try encoder.encode(generation), to: currentURL)
        loaded.state = state
        loaded.generation = generation
        loaded.journalLength = 0
        // The names that people and other tools know. They are for reading; what counts is in `generations`.
        for name in [Generation.entriesFile, Generation.clustersFile] { try publish(name, of: number) }
        for old in stride(from: number - Self.keptGenerations - 1, to: 0, by: -1) {
            let folder = directory.appendingPathComponent(Generation.folder(old))
            guard FileManager.default.fileExists(atPath: folder.path) else { break }
            try? FileManager.default.removeItem(at: folder)
            try? FileManager.default.removeItem(at: directory.appendingPathComponent(Generation.journal(old)))
        }
    }

    private func publish(_ name: String, of number: Int) throws {
        let source = directory.appendingPathComponent(Generation.folder(number)).appendingPathComponent(name)
            .path
        let target = directory.appendingPathComponent(name).path
        let temporary = directory.appendingPathComponent(".\(name).\(getpid()).link").path
        unlink(temporary)
        guard link(source, temporary) == 0, rename(temporary, target) == 0 else {
            throw FileError(operation: "publish", path: target, errno: errno)
        }
    }

    /// Files of another program are kept beside ours.
    private func keepForeignFiles() throws {
        for name in [Generation.entriesFile, Generation.clustersFile] {
            let url = directory.appendingPathComponent(name)
            let kept = directory.appendingPathComponent("before-roost-\(name)")
            let manager = FileManager.default
            if manager.fileExists(atPath: url.path), !manager.fileExists(atPath: kept.path) {
                try manager.copyItem(at: url, to: kept)
            }
        }
    }

    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as LockTimeout {
            throw StorageError(
                .locked, "\(error); try again when it has finished", underlying: error, isRetryable: true)
        } catch let error as FileError {
            throw StorageError(.inputOutput, error.description, underlying: error)
        } catch let error as DecodingError {
            throw StorageError(
                .damaged, "a file of the store is not the JSON that was expected", underlying: error)
        } catch let error as CocoaError {
            throw StorageError(.inputOutput, error.localizedDescription, underlying: error)
        }
    }
}
