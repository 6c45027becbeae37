import Foundation
import RoostFiles
import RoostModel

extension LocalFiles {
    /// Runs `body` on the newest state under the writers' lock and makes what it recorded durable.
    ///
    /// The commit point is the synchronised line of the journal; before it nothing has changed for anybody.
    /// - Parameter body: returns what is to be written, `nil` for nothing.
    func writing(
        _ body: @escaping @Sendable (inout StoreState, Date) throws -> Journal.Record?
    ) async throws -> Stamp {
        try await locked { [self] loaded, isCancelled in
            var state = loaded.state
            let date = Date().wholeMilliseconds
            guard let record = try body(&state, date) else { return state.stamp }
            state.forgetRemovals(before: date.addingTimeInterval(-Self.tombstoneLifetime))
            if isCancelled() { throw CancellationError() }
            guard let generation = loaded.generation, record.batch?.newEpoch == nil else {
                // The first commit, the first to a store of an older format, and one that begins a new
                // history write whole files. Those of before have vectors of another model then, and a repair
                // must not bring them back under the new one's name.
                try fold(state, &loaded, keepsOlder: record.batch?.newEpoch == nil)
                return state.stamp
            }
            let line = try Journal.checkedLine(record, revision: state.stamp.revision)
            // What only removes makes room in the end.
            if record.batch?.isRemoving != true {
                try checkSize(generation.size + loaded.journalLength + line.count)
            }
            try append(line, generation, &loaded)
            loaded.state = state
            if loaded.journalLength > max(Self.smallestJournalLimit, generation.size / 2, loaded.nextFold) {
                do {
                    try fold(state, &loaded)
                } catch {
                    // The commit has succeeded whatever comes of this; a later one tries again.
                    loaded.nextFold = loaded.journalLength + Self.smallestJournalLimit
                }
            }
            return state.stamp
        }
    }

    /// Folds the journal into a new generation.
    func compact() async throws {
        try await locked { [self] loaded, _ in try fold(loaded.state, &loaded) }
    }

    private func locked<Value: Sendable>(
        _ body: @escaping @Sendable (inout Loaded, _ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await writers.run { [self] in try await lockedAlone(body) }
    }

    private func lockedAlone<Value: Sendable>(
        _ body: @escaping @Sendable (inout Loaded, _ isCancelled: () -> Bool) throws -> Value
    ) async throws -> Value {
        try await BlockingWork.run { [self] isCancelled in
            try Self.translating {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                defer { lock.release() }
                return try withLoaded { loaded in
                    try Self.refresh(&loaded, directory, .writer)
                    try finishLastCommit(&loaded)
                    return try body(&loaded, isCancelled)
                }
            }
        }
    }

    private func checkSize(_ size: Int) throws {
        guard let limit = options.maximumSize, size > limit else { return }
        throw StorageError(
            .full,
            "the store would grow beyond its limit of \(limit) bytes; remove entries and run "
                + "`roost compact`, or raise it with `roost compact --max-size SIZE`")
    }

    private func append(_ line: Data, _ generation: Generation, _ loaded: inout Loaded) throws {
        let url = Generation.journal(generation.number, in: directory)
        let isNew = loaded.journalLength == 0
        let file = try FileDescriptor(url.path, O_RDWR | O_CREAT, files: files)
        let length = loaded.journalLength
        try setAsideTail(of: file, after: length)
        do {
            guard lseek(file.raw, off_t(length), SEEK_SET) >= 0 else {
                throw FileError(operation: "seek in", path: url.path, errno: errno)
            }
            try line.withUnsafeBytes { try file.write($0) }
            try file.synchronize()
            if isNew { try files.synchronizeFolder(directory) }
        } catch {
            // Nobody was told that it is there, and a reader must not find it.
            guard ftruncate(file.raw, off_t(length)) == 0, fsync(file.raw) == 0 else {
                throw StorageError(
                    .inputOutput,
                    "\(error); nor could what was written be taken back, so that it may or may not be found",
                    underlying: error)
            }
            throw error
        }
        loaded.journalLength += line.count
        loaded.committed = loaded.journalLength
        CommitMark(generation: generation.number, length: loaded.journalLength).write(directory, files)
    }

    /// A line that was written by a process that died before it marked it is a commit from here on.
    private func finishLastCommit(_ loaded: inout Loaded) throws {
        guard let generation = loaded.generation, loaded.journalLength > 0,
            loaded.committed != loaded.journalLength
        else { return }
        try FileDescriptor(
            Generation.journal(generation.number, in: directory).path, O_RDWR, files: files
        ).synchronize()
        try files.synchronizeFolder(directory)
        loaded.committed = loaded.journalLength
        CommitMark(generation: generation.number, length: loaded.journalLength).write(directory, files)
    }

    /// What lies behind the last commit is the unfinished line of a process that died. Nobody was told that
    /// it was written; it is kept beside the journal for people.
    private func setAsideTail(of file: FileDescriptor, after length: Int) throws {
        let size = try file.size()
        guard size > length else { return }
        let tail = try file.read(at: length, count: size - length)
        let kept = directory.appendingPathComponent("unfinished-\(SetAside.timestamp()).jsonl")
        try AtomicFile.write(tail, to: kept, files: files)
        try file.truncate(to: length)
    }

    /// Writes a new generation and makes it the current one. The rename of `CURRENT` is where it becomes so:
    /// before it nothing has changed for anybody.
    private func fold(_ state: StoreState, _ loaded: inout Loaded, keepsOlder: Bool = true) throws {
        // Without `CURRENT` there may yet be files of a store that lost it.
        let number = (loaded.current == nil ? Self.newestGeneration(directory) : loaded.number) + 1
        try checkFreeSpace((loaded.generation?.size ?? 0) + loaded.journalLength)
        try AtomicFile.removeLeftovers(in: directory, files: files)
        if loaded.current == nil {
            try keepForeignFiles()
        } else if loaded.generation == nil {
            try keepOldFormat()
        }
        // Left by a process that died before its generation became the current one.
        try files.unlink(Generation.journal(number, in: directory).path)
        do {
            let generation = try Generation.write(
                state, number: number, in: directory, from: loaded.contents, files: files)
            if generation.size > (loaded.generation?.size ?? 0) { try checkSize(generation.size) }
            try makeCurrent(generation, after: loaded.current)
        } catch {
            if try Self.contents(of: Self.currentURL(directory)) == loaded.current {
                try? files.removeFolder(Generation.folder(number, in: directory))
            }
            throw error
        }
        // The store is the new generation from here on, whatever comes of the rest.
        CommitMark(generation: number, length: 0).write(directory, files)
        if !keepsOlder { try? removeGenerations(before: number) }
        loaded.current = nil
        try? Self.refresh(&loaded, directory, .writer)
        // The names that people and other tools know: copies, so that whoever writes to them harms nothing.
        for name in [Generation.entriesFile, Generation.clustersFile] { try? publish(name, of: number) }
        try? removeGenerations(before: number - max(0, options.keptGenerations))
        loaded.nextFold = 0
    }

    /// - Throws: what kept the new name from being made durable; the generation before stands again then.
    private func makeCurrent(_ generation: Generation, after current: Data?) throws {
        let url = Self.currentURL(directory)
        let new = try generation.encoded()
        do {
            try AtomicFile.write(new, to: url, files: files)
        } catch {
            guard try Self.contents(of: url) == new else { throw error }
            // It has the name, but the name may not last.
            do {
                if let current { try AtomicFile.write(current, to: url) } else { try files.unlink(url.path) }
            } catch let second {
                throw StorageError(
                    .inputOutput,
                    "\(error); nor could \(url.path) be put back (\(second)), so that the commit may or may "
                        + "not be found",
                    underlying: error)
            }
            throw error
        }
    }

    /// The highest number that has a folder, the current one's or an unfinished one's.
    static func newestGeneration(_ directory: URL) -> Int {
        generationNumbers(directory).last ?? 0
    }

    /// The numbers of all generations that have a folder, ascending.
    static func generationNumbers(_ directory: URL) -> [Int] {
        let folder = directory.appendingPathComponent("generations").path
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).compactMap { Int($0) }
            .sorted()
    }

    private func checkFreeSpace(_ needed: Int) throws {
        guard let free = files.freeBytes(at: directory), free < needed + (1 << 20) else { return }
        throw StorageError(
            .inputOutput,
            "\(directory.path) has \(free >> 20) MB of free space left; writing its files anew takes "
                + "\((needed >> 20) + 1) MB")
    }

    private func removeGenerations(before oldest: Int) throws {
        for number in Self.generationNumbers(directory) where number < oldest {
            let folder = Generation.folder(number, in: directory)
            // Its record first: what lacks other files beside one is damaged, what has none is no generation.
            try files.unlink(folder.appendingPathComponent(Generation.recordFile).path)
            try files.removeFolder(folder)
            try files.unlink(Generation.journal(number, in: directory).path)
        }
    }

    private func publish(_ name: String, of number: Int) throws {
        let source = Generation.folder(number, in: directory).appendingPathComponent(name)
        try AtomicFile.copy(source, to: directory.appendingPathComponent(name), files: files)
    }

    /// Files of another program are kept beside ours.
    private func keepForeignFiles() throws {
        for name in [Generation.entriesFile, Generation.clustersFile] {
            guard let data = try Self.contents(of: directory.appendingPathComponent(name)) else { continue }
            var kept = directory.appendingPathComponent("before-roost-\(name)")
            if let earlier = try Self.contents(of: kept) {
                if earlier == data { continue }
                kept = directory.appendingPathComponent("before-roost-\(SetAside.timestamp())-\(name)")
            }
            try AtomicFile.write(data, to: kept, files: files)
        }
    }

    /// A store of an older format is kept whole before the new one is written beside it.
    private func keepOldFormat() throws {
        guard let current = try Self.contents(of: Self.currentURL(directory)),
            let old = try? JSONDecoder().decode(OldGeneration.self, from: current)
        else { return }
        let kept = directory.appendingPathComponent("before-format-\(Generation.currentFormat)")
        let folder = Generation.folder(old.number, in: kept)
        try files.createFolder(folder)
        try AtomicFile.write(current, to: Self.currentURL(kept), files: files)
        if let journal = try Self.contents(of: Generation.journal(old.number, in: directory)) {
            try AtomicFile.write(journal, to: Generation.journal(old.number, in: kept), files: files)
        }
        let source = Generation.folder(old.number, in: directory)
        for name in ["entries.json", "clusters.json", "sidecar.json"] {
            let target = folder.appendingPathComponent(name).path
            try files.unlink(target)
            try files.link(source.appendingPathComponent(name).path, at: target)
        }
        try files.synchronizeFolder(folder)
    }
}

/// Names of what is kept for people when it stops being part of the store.
enum SetAside {
    /// `20261121-055434-123`, in UTC.
    static func timestamp(_ date: Date = Date()) -> String {
        DateText.string(from: date).filter(\.isNumber).enumerated().map { index, digit in
            index == 8 || index == 14 ? "-\(digit)" : "\(digit)"
        }.joined()
    }
}
