import Foundation
import RoostFiles
import RoostModel
import Synchronization

final class LocalFiles: Sendable {
    let folder: StoreFolder
    let options: LocalStorageProvider.Options
    let files: FileSystem
    let writers = TaskQueue()
    private let loaded: Mutex<LoadedStore>

    init(directory: URL, options: LocalStorageProvider.Options) throws {
        files = options.files
        try files.createFolder(directory)
        folder = StoreFolder(directory)
        self.options = options
        var loaded = LoadedStore(state: StoreState())
        try GenerationLoader(folder: folder, access: .reader(lock: folder.lock(options))).refresh(&loaded)
        self.loaded = Mutex(loaded)
    }

    var lockURL: URL { folder.lock(options) }

    func currentState() async throws -> StoreState {
        try await BlockingWork.run { [self] _ in
            try Self.mappingErrors {
                try withLoaded { loaded in
                    try GenerationLoader(folder: folder, access: .reader(lock: lockURL)).refresh(&loaded)
                    return loaded.state
                }
            }
        }
    }

    func close() async throws {
        // Waiting in the queue lets writers that called earlier finish first. A canceled task waits, too.
        try await Task {
            try await writers.run {
                // A reader can hold the state for as long as it reads the files.
                try await BlockingWork.run { [self] _ in loaded.withLock { $0.isClosed = true } }
            }
        }.value
    }

    func withLoaded<Value: Sendable>(_ body: (inout LoadedStore) throws -> Value) throws -> Value {
        try loaded.withLock { loaded in
            guard !loaded.isClosed else { throw StorageError(.closed, "the store was closed") }
            return try body(&loaded)
        }
    }

    static func mappingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try StorageError.mappingFileErrors(body)
        } catch let error as DecodingError {
            throw StorageError(
                .damaged, "cannot read the store: a file does not contain the expected JSON",
                underlying: error, remedy: .inspectStore)
        }
    }
}

struct LoadedStore {
    var state: StoreState
    var contents: GenerationContents?
    /// The content of `CURRENT` when the state was read, or `nil` if the file did not exist.
    var current: Data?
    var generation: Generation?
    /// The number of bytes of the journal whose commits the state contains.
    var journalLength = 0
    /// The minimum length of the journal according to ``CommitMark``; `nil` if the mark is missing.
    var committedLength: Int?
    /// The files of another program that the state was read from; `nil` if Roost wrote the store.
    var foreignFiles: [FileSignature?]?
    var isClosed = false
    /// The minimum length of the journal at which folding is attempted again after a failure.
    var minimumFoldLength = 0
}

enum StoreAccess {
    /// The process holds the writers' lock, so no other process changes the files.
    case writer
    /// Other processes may write at the same time while they hold the lock on the file `lock`.
    case reader(lock: URL)
}

extension LocalFiles {
    /// Writes a state as a new generation and makes it the current one.
    ///
    /// The commit point is the rename of `CURRENT`. Until then, readers do not see the new generation.
    ///
    /// - Parameter keepsOlder: Whether to keep the latest older generations.
    func fold(
        _ state: StoreState, _ loaded: inout LoadedStore, keepsOlder: Bool = true,
        isCancelled: () -> Bool = { false }
    ) throws {
        // If `CURRENT` is missing, the folder may still contain generations of a store whose `CURRENT` was
        // lost. Without a history, the first generation can only be a remnant of a process that was ended before
        // its commit point; a second one would look like a history.
        let newest = folder.hasHistory ? folder.newestGeneration : 0
        let number = (loaded.generation?.number ?? newest) + 1
        try checkFreeSpace((loaded.generation?.size ?? 0) + loaded.journalLength)
        try AtomicFile.removeLeftovers(in: folder.url, files: files)
        if loaded.current == nil { try keepForeignFiles() }
        // Removes a journal that a terminated process may have left for a generation that never became
        // current.
        try files.unlink(folder.journal(number).path)
        do {
            let generation = try Generation.write(
                state, number: number, in: folder, from: loaded.contents, files: files,
                isCancelled: isCancelled)
            if generation.size > (loaded.generation?.size ?? 0) { try checkSize(generation.size) }
            try makeCurrent(generation, after: loaded.current)
        } catch {
            if try StoreFolder.contents(of: folder.current) == loaded.current {
                try? files.removeFolder(folder.generation(number))
            }
            throw error
        }
        // The new generation is now current. Errors in the following steps do not affect the store.
        CommitMark(generation: number, length: 0).write(to: folder, files)
        if !keepsOlder { try? removeGenerations(before: number) }
        loaded.current = nil
        try? GenerationLoader(folder: folder, access: .writer).refresh(&loaded)
        // Publishes copies of the files, so programs that write to them do not damage the store.
        for name in [Generation.entriesFile, Generation.clustersFile] {
            let source = folder.generation(number).appendingPathComponent(name)
            try? AtomicFile.copy(source, to: folder.file(name), files: files)
        }
        try? removeGenerations(before: number - Self.keptGenerations)
        loaded.minimumFoldLength = 0
    }

    /// - Throws: The error that prevented the rename of `CURRENT` from becoming durable. In that case, the
    ///   previous generation remains current.
    private func makeCurrent(_ generation: Generation, after current: Data?) throws {
        let url = folder.current
        let new = try generation.encoded()
        do {
            try AtomicFile.write(new, to: url, files: files)
        } catch {
            guard try StoreFolder.contents(of: url) == new else { throw error }
            // The file was renamed, but the rename may not survive a power failure, so the previous content
            // is restored.
            do {
                if let current { try AtomicFile.write(current, to: url) } else { try files.unlink(url.path) }
            } catch let second {
                throw StorageError(
                    .inputOutput,
                    "\(error); \(url.path) could not be restored either (\(second)), so the commit may or "
                        + "may not have been saved",
                    underlying: error)
            }
            throw error
        }
    }

    /// The number of bytes that must remain free after a fold, for the journal and for small files.
    private static let spareSpace = 1 << 20
    /// The number of older generations that are kept, with their journals, for a repair.
    private static let keptGenerations = 3

    private func checkFreeSpace(_ needed: Int) throws {
        guard let free = files.freeBytes(at: folder.url), free < needed + Self.spareSpace else { return }
        throw StorageError(
            .inputOutput,
            "cannot compact \(folder.path): it needs \((needed >> 20) + 1) MB of free space, and "
                + "\(free >> 20) MB are available",
            remedy: .freeSpace)
    }

    private func removeGenerations(before oldest: Int) throws {
        for number in folder.generationNumbers where number < oldest {
            let generation = folder.generation(number)
            // Removes the record first. A folder without a record does not count as a generation, but a
            // folder with a record and without the other files would count as a damaged one.
            try files.unlink(generation.appendingPathComponent(Generation.recordFile).path)
            try files.removeFolder(generation)
            try files.unlink(folder.journal(number).path)
        }
    }

    /// Keeps copies of files that another program wrote, before the first generation replaces them.
    private func keepForeignFiles() throws {
        for name in [Generation.entriesFile, Generation.clustersFile] {
            guard let data = try StoreFolder.contents(of: folder.file(name)) else { continue }
            var kept = folder.file("before-roost-\(name)")
            if let earlier = try StoreFolder.contents(of: kept) {
                if earlier == data { continue }
                kept = folder.file("before-roost-\(DateText.string(from: Date()).filter(\.isNumber))-\(name)")
            }
            try AtomicFile.write(data, to: kept, files: files)
        }
    }
}

extension LocalFiles {
    /// The minimum length in bytes of a journal that is folded into a new generation. The journal must also
    /// be longer than half the generation. Reading a journal of 16 MB takes a fraction of a second, whereas
    /// folding requires writing the whole store.
    private static let minimumFoldLength = 16 << 20

    /// Runs `body` on the latest state while holding the writers' lock, and makes the commit that it returns
    /// durable.
    ///
    /// The commit point is the synchronization of the new journal line. Until then, readers do not see the
    /// change.
    ///
    /// - Parameter body: Changes the state, and returns the record of the commit, or `nil` if it changed
    ///   nothing.
    func writing(
        _ body: @escaping @Sendable (inout StoreState, Date) throws -> Journal.Record?
    ) async throws -> Stamp {
        try await locked { [self] loaded, isCancelled in
            var state = loaded.state
            let date = Date().wholeMilliseconds
            guard let record = try body(&state, date) else { return state.stamp }
            state.forgetRemovals(before: date.addingTimeInterval(-ChangeFeed.tombstoneLifetime))
            if isCancelled() { throw CancellationError() }
            guard let generation = loaded.generation, record.batch?.newEpoch == nil else {
                // Two kinds of commits write a generation: the first commit of a store, and a commit that
                // begins a new epoch. A new epoch also removes the older generations, because their vectors
                // come from a different model and a repair must not mix them with the new ones.
                try fold(state, &loaded, keepsOlder: record.batch?.newEpoch == nil)
                return state.stamp
            }
            let line = try Journal.checkedLine(record, revision: state.stamp.revision)
            // A batch that only removes entries may exceed the limit, because the next fold makes the store
            // smaller.
            if record.batch?.isRemoving != true {
                try checkSize(generation.size + loaded.journalLength + line.count)
            }
            if record.batch?.isRemoving == true {
                try freeingSpace(for: generation) { try append(line, generation, &loaded) }
            } else {
                try append(line, generation, &loaded)
            }
            loaded.state = state
            if loaded.journalLength
                > max(
                    Self.minimumFoldLength, generation.size / 2, loaded.minimumFoldLength)
            {
                do {
                    try fold(state, &loaded)
                } catch {
                    // The commit has succeeded even though the fold has failed. A later commit tries to fold
                    // the journal again.
                    loaded.minimumFoldLength = loaded.journalLength + Self.minimumFoldLength
                }
            }
            return state.stamp
        }
    }

    func compact() async throws {
        try await locked { [self] loaded, isCancelled in
            try freeingSpace(for: loaded.generation) {
                try fold(loaded.state, &loaded, isCancelled: isCancelled)
            }
        }
    }

    /// Runs `body` and, if the disk is full, once more after the generations before the given one, which only a
    /// repair needs, were removed.
    private func freeingSpace(for current: Generation?, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch  where (StorageError.mapping(error) as? StorageError)?.remedy == .freeSpace {
            try removeGenerations(before: current?.number ?? 0)
            try body()
        }
    }

    private func locked<Value: Sendable>(
        _ body: @escaping @Sendable (inout LoadedStore, _ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await writers.run { [self] in
            try await BlockingWork.run { [self] isCancelled in
                try Self.mappingErrors {
                    let lock = try FileLock.acquire(
                        lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                    defer { lock.release() }
                    return try withLoaded { loaded in
                        try GenerationLoader(folder: folder, access: .writer).refresh(&loaded)
                        try finishLastCommit(&loaded)
                        return try body(&loaded, isCancelled)
                    }
                }
            }
        }
    }

    func checkSize(_ size: Int) throws {
        guard let limit = options.maximumSize, size > limit else { return }
        throw StorageError(
            .full, "cannot write \(folder.path): the store would exceed its limit of \(limit) bytes",
            remedy: .compactOrRaiseSizeLimit)
    }

    private func append(_ line: Data, _ generation: Generation, _ loaded: inout LoadedStore) throws {
        let url = folder.journal(generation.number)
        let isNew = loaded.journalLength == 0
        let file = try FileDescriptor(url.path, O_RDWR | O_CREAT, files: files)
        let length = loaded.journalLength
        try moveIncompleteLine(of: file, after: length)
        do {
            guard lseek(file.raw, off_t(length), SEEK_SET) >= 0 else {
                throw FileError(operation: "seek in", path: url.path, errno: errno)
            }
            try line.withUnsafeBytes { try file.write($0) }
            try file.synchronize()
            if isNew { try files.synchronizeFolder(folder.url) }
        } catch {
            // The caller receives an error, so the commit must be removed from the journal before a reader
            // finds it.
            guard ftruncate(file.raw, off_t(length)) == 0, fsync(file.raw) == 0 else {
                throw StorageError(
                    .inputOutput,
                    "\(error); the failed commit could not be rolled back, so it may or may not have been "
                        + "saved",
                    underlying: error)
            }
            throw error
        }
        loaded.journalLength += line.count
        loaded.committedLength = loaded.journalLength
        CommitMark(generation: generation.number, length: loaded.journalLength).write(to: folder, files)
    }

    /// Makes the last commit durable and marks it, if its writer ended before doing so.
    private func finishLastCommit(_ loaded: inout LoadedStore) throws {
        guard let generation = loaded.generation, loaded.journalLength > 0,
            loaded.committedLength != loaded.journalLength
        else { return }
        try FileDescriptor(folder.journal(generation.number).path, O_RDWR, files: files).synchronize()
        try files.synchronizeFolder(folder.url)
        loaded.committedLength = loaded.journalLength
        CommitMark(generation: generation.number, length: loaded.journalLength).write(to: folder, files)
    }

    /// Moves the bytes after the last commit to a file next to the journal, for inspection. They are an
    /// incomplete line written by a process that ended, and the commit was never acknowledged.
    private func moveIncompleteLine(of file: FileDescriptor, after length: Int) throws {
        let size = try file.size()
        guard size > length else { return }
        let line = try file.read(at: length, count: size - length)
        let kept = folder.file("unfinished-\(DateText.string(from: Date()).filter(\.isNumber)).jsonl")
        try AtomicFile.write(line, to: kept, files: files)
        try file.truncate(to: length)
    }
}
