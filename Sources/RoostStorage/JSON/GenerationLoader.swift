import Foundation
import RoostFiles
import RoostModel
import RoostText

/// Brings the state in memory up to date with the files of a store: first loads the generation that `CURRENT`
/// names, and then applies the later commits with ``JournalReplayer``.
struct GenerationLoader {
    let folder: StoreFolder
    let access: StoreAccess

    /// The maximum number of attempts to open the current generation. Another process can remove a generation
    /// after `CURRENT` was read and before the files are opened; the next attempt then finds a newer
    /// generation. If several attempts in a row fail, files are missing.
    private static let maximumAttempts = 10

    func refresh(_ loaded: inout LoadedStore) throws {
        for attempt in 1... {
            do {
                try refreshOnce(&loaded)
                return
            } catch let error as FileError where error.isMissing && attempt < Self.maximumAttempts {
                loaded.current = nil
            } catch let error as FileError where error.isMissing {
                throw Self.missing(error.path)
            }
        }
    }

    private func refreshOnce(_ loaded: inout LoadedStore) throws {
        let (record, hasHistory) = try folder.currentRecord()
        guard let current = record else {
            guard !hasHistory else { throw Self.missing(folder.current.path) }
            return try loadForeignFiles(&loaded)
        }
        // Reads the mark before the journal. A commit between the two reads can then only make the journal
        // longer than the mark states, not shorter.
        let mark = CommitMark(in: folder)
        if current != loaded.current {
            let generation = try Generation.decoded(current, path: folder.current.path)
            (loaded.state, loaded.contents) = try generation.open(in: folder)
            loaded.generation = generation
            loaded.current = current
            loaded.journalLength = 0
        }
        guard let generation = loaded.generation else { return }
        loaded.committedLength = mark.flatMap { $0.generation == generation.number ? $0.length : nil }
        try JournalReplayer(folder: folder, access: access).replay(generation.number, into: &loaded)
    }

    /// Loads a folder to which Roost has not committed anything. The store gets its permanent id at the first
    /// commit. Until then, other programs may write the files.
    private func loadForeignFiles(_ loaded: inout LoadedStore) throws {
        let files = ForeignFolder.signatures(folder.url)
        if loaded.foreignFiles != files {
            loaded = LoadedStore(state: try ForeignFolder.read(folder.url), foreignFiles: files)
        }
    }

    static func missing(_ path: String) -> StorageError { StorageError.unreadable("\(path) is missing") }
}

/// Reads a folder that contains only an `entries.json` and a `clusters.json`, written by another program.
enum ForeignFolder {
    static func signatures(_ directory: URL) -> [FileSignature?] {
        [Generation.entriesFile, Generation.clustersFile].map {
            FileSignature(directory.appendingPathComponent($0))
        }
    }

    static func read(_ directory: URL) throws -> StoreState {
        let entries = try read(Generation.entriesFile, directory) { data, date in
            try data.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                var entries: [Entry] = []
                try reader.array { entries.append(try EntryText.read(&$0, defaultDate: date)) }
                try reader.expectEnd()
                return entries
            }
        }
        let clusters = try read(Generation.clustersFile, directory) { data, date in
            let decoder = JSONDecoder()
            decoder.userInfo[.defaultDate] = date
            return try decoder.decode([Cluster].self, from: data)
        }
        // A program that only appends may have saved an entry several times. The last version is the current
        // one.
        var seen = Set<UUID>()
        let latest = entries.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try StoreState(store: storeID(directory), entries: Array(latest), clusters: clusters)
    }

    /// Derives the id of the store from its files. All providers of the folder derive the same id until one
    /// of the files changes.
    private static func storeID(_ directory: URL) -> UUID {
        let signatures = signatures(directory)
        guard signatures.contains(where: { $0 != nil }) else { return UUID() }
        return EntryID.derived(source: directory.standardizedFileURL.path, key: "\(signatures)")
    }

    private static func read<Value>(
        _ name: String, _ directory: URL, _ parse: (Data, Date) throws -> [Value]
    ) throws -> [Value] {
        let url = directory.appendingPathComponent(name)
        guard let data = try StoreFolder.contents(of: url) else { return [] }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        do {
            return try parse(data, attributes?[.modificationDate] as? Date ?? Date())
        } catch {
            throw StorageError(
                .damaged,
                "cannot read \(url.path): it is not a JSON array of the expected objects (\(reason(error)))",
                underlying: error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? JSONError)?.description ?? "a field is missing or has an unexpected type"
    }
}

/// Applies the commits in a journal to the state in memory.
///
/// A writer holds the lock and reads the journal to its end. A reader must not return an incomplete commit,
/// because its writer may still undo it. Therefore a reader reads bytes after the last marked commit only if
/// no writer is active.
struct JournalReplayer {
    let folder: StoreFolder
    let access: StoreAccess

    /// The number of times, one millisecond apart, that a reader waits for an active writer to complete its
    /// commit. A writer completes its own commit, or marks the last commit of a terminated writer, within
    /// milliseconds.
    private static let maximumWaits = 100

    /// - Throws: `StorageError`: `.damaged`, `.locked`; `FileError` with `ENOENT` if the caller must load
    ///   the generation again.
    func replay(_ number: Int, into loaded: inout LoadedStore) throws {
        let url = folder.journal(number)
        let start = loaded.journalLength
        guard let file = try openJournal(url, loaded) else {
            guard start == 0 else { throw GenerationLoader.missing(url.path) }
            return try check(length: 0, of: url, loaded)
        }
        let (size, lock) = try readableSize(of: file, number, from: start, loaded.committedLength)
        defer { lock?.release() }
        guard size >= start else {
            try check(length: size, of: url, loaded)
            // The journal has become shorter, because a writer undid a failed commit that this process had
            // already read.
            loaded.current = nil
            throw FileError(operation: "continue reading", path: url.path, errno: ENOENT)
        }
        var length = start
        if size > start {
            let data = try file.read(at: start, count: size - start)
            let contents = data.withUnsafeBytes { Journal.read($0) }
            if let damage = contents.damage {
                throw StorageError.unreadable("\(url.path) is damaged at byte \(start + damage)")
            }
            var state = loaded.state
            for (revision, record) in contents.records where revision > state.stamp.revision {
                try Self.apply(record, revision, to: &state, path: url.path)
            }
            length += contents.length
            loaded.state = state
        }
        loaded.journalLength = length
        try check(length: length, of: url, loaded)
    }

    /// Opens the journal. Returns `nil` if the journal does not exist because nothing was committed after the
    /// generation was written.
    ///
    /// - Throws: `FileError` with `ENOENT` if the generation was removed after `CURRENT` was read.
    private func openJournal(_ url: URL, _ loaded: LoadedStore) throws -> FileDescriptor? {
        do {
            return try FileDescriptor(url.path, O_RDONLY)
        } catch let error as FileError where error.isMissing {
            if try StoreFolder.contents(of: folder.current) != loaded.current { throw error }
            return nil
        }
    }

    private func check(length: Int, of url: URL, _ loaded: LoadedStore) throws {
        guard let committed = loaded.committedLength, length < committed else { return }
        throw StorageError.unreadable(
            "\(url.path) is truncated; it ends \(committed - length) bytes before its last commit")
    }

    /// Returns the number of bytes of the journal that may be read.
    ///
    /// If a writer is active, bytes after the last marked commit belong to a commit that is being written and
    /// may be undone. If no writer is active, they belong to a completed commit whose mark is missing,
    /// because the process ended before it updated the mark or because the mark was lost in a power failure.
    /// Such a commit is valid, and it is made durable before its changes are returned.
    ///
    /// - Returns: The number of bytes, and, if no writer is active, a lock that keeps writers out while the
    ///   bytes are read.
    private func readableSize(
        of file: FileDescriptor, _ number: Int, from start: Int, _ committed: Int?
    ) throws -> (size: Int, lock: FileLock?) {
        guard case .reader(let lockURL) = access else { return (try file.size(), nil) }
        var committed = committed
        for attempt in 0..<Self.maximumWaits {
            let size = try file.size()
            if size <= max(committed ?? start, start) { return (size, nil) }
            do {
                if let lock = try FileLock.shared(lockURL) {
                    try file.synchronize()
                    try FileSystem.standard.synchronizeFolder(folder.url)
                    return (try file.size(), lock)
                }
            } catch let error as FileError
                where error.path == lockURL.path && [ENOENT, EACCES, EPERM, EROFS].contains(error.errno)
            {
                // Assumes that no writer is active if the lock file is missing or cannot be opened.
                return (size, nil)
            }
            if attempt + 1 < Self.maximumWaits { usleep(1000) }
            if let mark = CommitMark(in: folder), mark.generation == number { committed = mark.length }
        }
        guard let committed else {
            throw StorageError(
                .locked,
                "cannot read \(folder.path): another process is writing, and the mark of the last commit is "
                    + "missing", isRetryable: true, remedy: .retryLater)
        }
        return (max(committed, start), nil)
    }

    static func apply(
        _ record: Journal.Record, _ revision: Revision, to state: inout StoreState, path: String
    ) throws {
        if let batch = record.batch {
            try state.apply(batch, at: Date(milliseconds: record.date))
            state.forgetRemovals(
                before: Date(milliseconds: record.date).addingTimeInterval(-ChangeFeed.tombstoneLifetime))
        }
        if let epoch = record.epoch { state.renewEpoch(to: epoch) }
        guard state.stamp.revision == revision else {
            throw StorageError.unreadable(
                "\(path) contains a commit that does not follow from its generation")
        }
    }
}

extension StorageError {
    static func unreadable(_ damage: String) -> StorageError {
        StorageError(.damaged, "cannot read the store: \(damage)", remedy: .inspectStore)
    }
}
