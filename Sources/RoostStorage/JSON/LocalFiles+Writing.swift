import Foundation
import RoostFiles
import RoostModel

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
            try append(line, generation, &loaded)
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
            try fold(loaded.state, &loaded, isCancelled: isCancelled)
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
