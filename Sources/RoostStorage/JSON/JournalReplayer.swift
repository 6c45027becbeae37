import Foundation
import RoostFiles
import RoostModel

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
                throw StorageError(
                    .damaged, "cannot read the store: \(url.path) is damaged at byte \(start + damage)",
                    remedy: .inspectStore)
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
        throw StorageError(
            .damaged,
            "cannot read the store: \(url.path) is truncated; it ends \(committed - length) bytes before its "
                + "last commit",
            remedy: .inspectStore)
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
                where error.path == lockURL.path && (error.errno == ENOENT || error.deniesWriting)
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
            throw StorageError(
                .damaged,
                "cannot read the store: \(path) contains a commit that does not follow from its "
                    + "generation",
                remedy: .inspectStore)
        }
    }
}
