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
                loaded.state = try BareFolder.read(directory)
                loaded.bareFiles = files
            }
            return
        }
        let mark = CommitMark.read(directory)
        if current != loaded.current {
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
                    Generation.journal(old.number, in: directory), from: 0, nil, side, &loaded,
                    format: OldGeneration.format)
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
        return names.contains { $0.hasPrefix("journal-") }
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
        let size = try file.size()
        guard case .reader(let lockURL) = side, let committed, size > max(committed, start) else {
            return (size, nil)
        }
        do {
            guard let lock = try FileLock.shared(lockURL) else { return (max(committed, start), nil) }
            try? file.synchronize()
            return (try file.size(), lock)
        } catch let error as FileError where error.path == lockURL.path {
            // A folder that cannot be written to has no writers.
            return (size, nil)
        }
    }

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

/// How far the last commit went: a small file that is overwritten after each commit, so that a journal that
/// lost its end to something else than a crash is noticed. It is not synchronised: it may lag behind, and
/// is ignored where it cannot be read.
struct CommitMark {
    var generation: Int
    /// The journal's length.
    var length: Int

    private static let size = 64

    static func url(_ directory: URL) -> URL { directory.appendingPathComponent("committed") }

    static func read(_ directory: URL) -> CommitMark? {
        guard let data = try? LocalFiles.contents(of: url(directory)), data.count == size else { return nil }
        let fields = String(decoding: data, as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let generation = Int(fields[0]), let length = Int(fields[1]),
            fields[2].prefix(8) == checksum(generation, length)
        else { return nil }
        return CommitMark(generation: generation, length: length)
    }

    /// Best effort: a commit has succeeded before its mark is written.
    func write(_ directory: URL, _ files: FileSystem) {
        let text = "\(generation) \(length) \(Self.checksum(generation, length))"
        let line = text + String(repeating: " ", count: max(0, Self.size - 1 - text.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(Self.url(directory).path, O_WRONLY | O_CREAT, files: files)
        else {
            return
        }
        try? Array(line.utf8).withUnsafeBytes { try file.write($0) }
    }

    private static func checksum(_ generation: Int, _ length: Int) -> String {
        let sum = Array("\(generation) \(length)".utf8).withUnsafeBytes { CRC32C.checksum($0) }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

/// A folder with nothing but an `entries.json` and a `clusters.json`, of another program.
enum BareFolder {
    /// Tells whether a file has been written to.
    struct Signature: Equatable {
        var identity: FileIdentity?
        var size: Int
        var modified: Date?
    }

    static func signatures(_ directory: URL) -> [Signature] {
        [Generation.entriesFile, Generation.clustersFile].map { name in
            let url = directory.appendingPathComponent(name)
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
            return Signature(
                identity: FileIdentity(url), size: attributes?[.size] as? Int ?? 0,
                modified: attributes?[.modificationDate] as? Date)
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
        // A program that appends may have saved an entry twice; the last one is what it meant.
        var seen = Set<UUID>()
        let latest = entries.reversed().filter { seen.insert($0.id).inserted }.reversed()
        return try StoreState(store: UUID(), entries: Array(latest), clusters: clusters)
    }

    private static func read<Value>(
        _ name: String, _ directory: URL, _ parse: (Data, Date) throws -> [Value]
    ) throws -> [Value] {
        let url = directory.appendingPathComponent(name)
        guard let data = try LocalFiles.contents(of: url) else { return [] }
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
        do {
            return try parse(data, attributes?[.modificationDate] as? Date ?? Date())
        } catch {
            throw StorageError(
                .damaged, "\(url.path) is not a JSON array of the expected objects (\(reason(error)))",
                underlying: error)
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? JSONError)?.description ?? "a field is missing or of another kind"
    }
}
