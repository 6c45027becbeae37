import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The files of a `LocalStorageProvider` and what of them is in memory.
final class LocalFiles: Sendable {
    struct Loaded {
        var state: StoreState
        /// Where the state's archived entries are read from.
        var contents: GenerationContents?
        /// The bytes of `CURRENT` that the state was read by; `nil` while there is none.
        var current: Data?
        var generation: Generation?
        /// The number of the generation that stands, of whatever format; 0 while there is none.
        var number = 0
        /// How much of the journal the state has.
        var journalLength = 0
        /// How long the journal was after the last commit, as its mark says.
        var committed: Int?
        /// Which files of another program the state was read from.
        var bareFiles: [BareFolder.Signature]?
        var isClosed = false
        /// A fold that failed is not tried again before the journal is this long.
        var nextFold = 0

        /// Whether the store is of the format before, to which a process of an older version has written.
        fileprivate func isOldFormat(in directory: URL) -> Bool {
            guard current != nil, generation == nil else { return false }
            let journal = Generation.journal(number, in: directory).path
            let size = try? FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int
            return size ?? 0 != journalLength
        }
    }

    let directory: URL
    let options: LocalStorageProvider.Options
    let files: FileSystem
    let writers = WriterQueue()
    private let loaded: Mutex<Loaded>

    static let smallestJournalLimit = 16 << 20
    static let tombstoneLifetime: TimeInterval = 30 * 24 * 3600

    init(directory: URL, options: LocalStorageProvider.Options) throws {
        files = options.files
        try files.createFolder(directory)
        self.directory = directory
        self.options = options
        var loaded = Loaded(state: StoreState())
        try Self.refresh(&loaded, directory, .reader(lock: Self.lockURL(directory, options)))
        self.loaded = Mutex(loaded)
    }

    var lockURL: URL { Self.lockURL(directory, options) }

    private static func lockURL(_ directory: URL, _ options: LocalStorageProvider.Options) -> URL {
        options.lockURL ?? directory.appendingPathComponent("lock")
    }

    static func currentURL(_ directory: URL) -> URL { directory.appendingPathComponent("CURRENT") }

    // MARK: Reading

    func reading() async throws -> StoreState {
        try await BlockingWork.run { [self] _ in
            try Self.translating {
                try withLoaded { loaded in
                    try Self.refresh(&loaded, directory, .reader(lock: lockURL))
                    return loaded.state
                }
            }
        }
    }

    func close() { loaded.withLock { $0.isClosed = true } }

    func withLoaded<Value: Sendable>(_ body: (inout Loaded) throws -> Value) throws -> Value {
        try loaded.withLock { loaded in
            guard !loaded.isClosed else { throw StorageError(.closed, "the store was closed") }
            return try body(&loaded)
        }
    }

    static func contents(of url: URL) throws -> Data? {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY)
            return try file.read(at: 0, count: try file.size())
        } catch let error as FileError where error.isMissing {
            return nil
        }
    }

    /// Who reads the files.
    enum Side {
        /// Holds the writers' lock.
        case writer
        case reader(lock: URL)
    }

    /// Brings the state up to what is on disk.
    static func refresh(_ loaded: inout Loaded, _ directory: URL, _ side: Side) throws {
        // A generation may be folded away between the look at `CURRENT` and the opening of its files.
        for attempt in 1... {
            do {
                try refreshOnce(&loaded, directory, side)
                return
            } catch let error as FileError where error.isMissing && attempt < 10 {
                loaded.current = nil
            } catch let error as FileError where error.isMissing {
                throw StorageError(
                    .damaged, "\(error.path) is missing; `roost doctor` tells what can be recovered")
            }
        }
    }

    private static func refreshOnce(_ loaded: inout Loaded, _ directory: URL, _ side: Side) throws {
        let url = currentURL(directory)
        guard let current = try contents(of: url) else {
            guard !hasHistory(directory) else {
                throw StorageError(
                    .damaged, "\(url.path) is missing; `roost doctor` tells what can be recovered")
            }
            // What a bare folder has gets its identity at the first commit; until then others may write it.
            let files = BareFolder.signatures(directory)
            if loaded.bareFiles != files {
                loaded = Loaded(state: try BareFolder.read(directory), bareFiles: files)
            }
            return
        }
        let mark = CommitMark.read(directory)
        if current != loaded.current || loaded.isOldFormat(in: directory) {
            do {
                let generation = try Generation.decoded(current, path: url.path)
                (loaded.state, loaded.contents) = try generation.open(in: directory)
                loaded.generation = generation
                loaded.number = generation.number
            } catch is Generation.OldFormat {
                let old = try JSONDecoder().decode(OldGeneration.self, from: current)
                loaded.state = try old.open(in: directory)
                loaded.contents = nil
                loaded.generation = nil
                loaded.number = old.number
                try replay(
                    Generation.journal(old.number, in: directory), from: 0, nil, .writer, &loaded,
                    format: OldGeneration.format)
                loaded.current = current
                return
            }
            loaded.current = current
            loaded.journalLength = 0
        }
        guard let generation = loaded.generation else { return }
        loaded.committed = mark.flatMap { $0.generation == generation.number ? $0.length : nil }
        let journal = Generation.journal(generation.number, in: directory)
        try replay(journal, from: loaded.journalLength, loaded.committed, side, &loaded)
    }

    /// Whether the folder has had commits.
    static func hasHistory(_ directory: URL) -> Bool {
        if CommitMark.read(directory) != nil { return true }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        if names.contains(where: { $0.hasPrefix("journal-") }) { return true }
        // Generation 1 alone, without `CURRENT`, is of a process that died before its first commit point.
        return generationNumbers(directory).contains { $0 > 1 }
    }

    /// Applies what of a journal is not in the state yet.
    ///
    /// - Parameter committed: how long the journal was at least after the last commit.
    private static func replay(
        _ url: URL, from start: Int, _ committed: Int?, _ side: Side, _ loaded: inout Loaded,
        format: Int = Generation.currentFormat
    ) throws {
        func check(_ length: Int) throws {
            guard let committed, length < committed else { return }
            throw StorageError(
                .damaged,
                "\(url.path) ends \(committed - length) bytes before its last commit; `roost doctor` tells "
                    + "what can be recovered")
        }
        let file: FileDescriptor
        do {
            file = try FileDescriptor(url.path, O_RDONLY)
        } catch let error as FileError where error.isMissing {
            let directory = url.deletingLastPathComponent()
            // It may have been folded away since `CURRENT` was read.
            if try contents(of: currentURL(directory)) != loaded.current { throw error }
            guard start == 0 else {
                throw StorageError(
                    .damaged, "\(url.path) is missing; `roost doctor` tells what can be recovered")
            }
            return try check(0)
        }
        let quiet = try quietJournal(file, from: start, committed, side)
        defer { quiet.lock?.release() }
        let size = quiet.size
        guard size >= start else {
            try check(size)
            // A commit that failed was taken back after it had been read.
            loaded.current = nil
            throw FileError(operation: "read on in", path: url.path, errno: ENOENT)
        }
        var length = start
        if size > start {
            let data = try file.read(at: start, count: size - start)
            let contents = data.withUnsafeBytes { Journal.read($0, format: format) }
            if let damage = contents.damage {
                throw StorageError(
                    .damaged,
                    "\(url.path) is damaged at byte \(start + damage); `roost doctor` tells what can be "
                        + "recovered")
            }
            var state = loaded.state
            for (revision, record) in contents.records where revision > state.stamp.revision {
                try apply(record, revision, &state, url.path)
            }
            length += contents.length
            loaded.state = state
        }
        loaded.journalLength = length
        try check(length)
    }

    /// How far the journal may be read.
    ///
    /// What lies behind the last finished commit is a line that is being written and may be taken back. Where
    /// nobody is writing it is one of a process that died, or of a machine that forgot the mark when it did:
    /// that counts, and is made durable before anybody is told of it.
    private static func quietJournal(
        _ file: FileDescriptor, from start: Int, _ committed: Int?, _ side: Side
    ) throws -> (size: Int, lock: FileLock?) {
        guard case .reader(let lockURL) = side else { return (try file.size(), nil) }
        let directory = URL(fileURLWithPath: file.path).deletingLastPathComponent()
        let number = Generation.number(ofJournal: file.path)
        var committed = committed
        // A writer finishes its commit, or marks that of a dead one, in milliseconds.
        for attempt in 0..<Self.patience {
            let size = try file.size()
            if size <= max(committed ?? start, start) { return (size, nil) }
            do {
                if let lock = try FileLock.shared(lockURL) {
                    try file.synchronize()
                    try FileSystem.standard.synchronizeFolder(directory)
                    return (try file.size(), lock)
                }
            } catch let error as FileError
                where error.path == lockURL.path && [ENOENT, EACCES, EPERM, EROFS].contains(error.errno)
            {
                // Where the lock cannot be opened there are no writers.
                return (size, nil)
            }
            if attempt + 1 < Self.patience { usleep(1000) }
            if let mark = CommitMark.read(directory), mark.generation == number { committed = mark.length }
        }
        guard let committed else {
            throw StorageError(
                .locked,
                "\(directory.path) is being written to, and its mark of the last commit is lost; "
                    + "try again when that has finished", isRetryable: true)
        }
        return (max(committed, start), nil)
    }

    /// How many milliseconds a reader waits for a writer to finish what it has seen the beginning of.
    private static let patience = 100

    static func apply(
        _ record: Journal.Record, _ revision: Revision, _ state: inout StoreState, _ path: String
    ) throws {
        if let batch = record.batch {
            try state.apply(batch, at: Date(milliseconds: record.date))
            state.forgetRemovals(
                before: Date(milliseconds: record.date).addingTimeInterval(-tombstoneLifetime))
        }
        if let epoch = record.epoch { state.renewEpoch(to: epoch) }
        guard state.stamp.revision == revision else {
            throw StorageError(
                .damaged,
                "\(path) does not follow from the files that it belongs to; `roost doctor` tells what can be "
                    + "recovered")
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
        }
    }
}
