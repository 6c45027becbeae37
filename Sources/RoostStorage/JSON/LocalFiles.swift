import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The files of a ``LocalStorageProvider``, and the state that has been read from them.
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
        // Waiting in the queue lets writers that called earlier finish first.
        try await writers.run(isStoppable: false) {
            // A reader can hold the state for as long as it reads the files.
            try await BlockingWork.run { [self] _ in loaded.withLock { $0.isClosed = true } }
        }
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
    var foreignFiles: [ForeignFolder.Signature]?
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
    /// - Parameter keepsOlder: Whether to keep older generations, as many as
    ///   ``LocalStorageProvider/Options/keptGenerations`` allows.
    func fold(
        _ state: StoreState, _ loaded: inout LoadedStore, keepsOlder: Bool = true,
        isCancelled: () -> Bool = { false }
    ) throws {
        // If `CURRENT` is missing, the folder may still contain generations of a store whose `CURRENT` was
        // lost.
        let number = (loaded.generation?.number ?? folder.newestGeneration) + 1
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
        for name in [Generation.entriesFile, Generation.clustersFile] { try? publish(name, of: number) }
        try? removeGenerations(before: number - max(0, options.keptGenerations))
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

    private func publish(_ name: String, of number: Int) throws {
        let source = folder.generation(number).appendingPathComponent(name)
        try AtomicFile.copy(source, to: folder.file(name), files: files)
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
