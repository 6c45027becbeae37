public import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// Records the inverse of every commit, so that ``KnowledgeStore/undo(isDryRun:)`` can undo them.
///
/// The commits of one recorder form a group that is undone as a unit; those of an ``UndoGroup`` form a group
/// of their own. The first commit of a new group replaces the record of the previous one. A group can be
/// undone until something else is committed to the store. If another group commits between two commits of a
/// group, the latter cannot be undone, because its record is no longer complete.
///
/// The record is the file `undo.jsonl` in a folder, usually that of the store. It has one line per commit, oldest first,
/// and remains after the process ends. Each line begins with its checksum, and each record has its number
/// within the group, so that a damaged or incomplete record is never undone.
public final class UndoRecorder: Sendable {
    /// One recorded commit, which is one line of the file.
    struct Record: Codable {
        /// The id of the group that the commit belongs to.
        var run: UUID
        var command: String
        /// The time of the commit, in milliseconds since 1970.
        var date: Int64
        var store: UUID
        var epoch: UUID
        var from: Revision
        var to: Revision
        /// The batch that restores the state before the commit.
        var inverse: WriteBatch
        var number: Int
    }

    /// Whether the commits of the current task are not recorded: they undo others.
    @TaskLocal static var isSuspended = false

    private static let fileName = "undo.jsonl"
    /// The maximum size of a record in bytes. An undo loads the whole record into memory. Changes with a
    /// larger record cannot be undone, only restored from a backup.
    private static let maximumSize = 256 << 20

    private struct State {
        var group = UUID()
        var isOfRequest = false
        var command: String
        var size = 0
        var count = 0
        /// Whether recording has failed. If so, the group cannot be undone.
        var hasFailed = false
        /// The identity of the file that this recorder created. It shows whether another process has replaced
        /// the file.
        var file: FileIdentity?
    }

    let directory: URL
    private let onFailure: (@Sendable (String) -> Void)?
    private let state: Mutex<State>

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - directory: The folder of the record: that of the store, or another one for a store without a
    ///     folder.
    ///   - command: The human-readable name of the operation.
    ///   - onFailure: Called with a message when a change has been saved but cannot be recorded, for example
    ///     because the disk is full. At most one call per group.
    public init(
        directory: URL, command: String, onFailure: (@Sendable (_ message: String) -> Void)? = nil
    ) {
        self.directory = directory
        self.onFailure = onFailure
        state = Mutex(State(command: command))
    }

    /// Begins a new group. After the next commit, an undo no longer affects the commits of earlier groups.
    ///
    /// - Parameter command: The human-readable name of the operation.
    public func beginGroup(_ command: String) {
        state.withLock { state in
            Self.begin(UUID(), isOfRequest: false, command, &state)
        }
    }

    /// Ends the group, so that the next commit begins a new one.
    ///
    /// - Returns: A function that continues the group, unless another commit was recorded in the meantime.
    func endGroup() -> @Sendable () -> Void {
        let (ended, new) = state.withLock { state in
            let ended = state
            Self.begin(UUID(), isOfRequest: false, state.command, &state)
            return (ended, state.group)
        }
        return { [self] in
            state.withLock { state in
                if state.group == new, state.count == 0, !state.hasFailed { state = ended }
            }
        }
    }

    private static func begin(_ group: UUID, isOfRequest: Bool, _ command: String, _ state: inout State) {
        state = State(group: group, isOfRequest: isOfRequest, command: command)
    }

    /// Continues with the group of a commit.
    ///
    /// - Throws: ``FileError`` if a commit of another group took place between two commits of the group.
    private func enter(_ group: UndoGroup?, _ state: inout State) throws {
        guard let group else {
            // A commit without a request does not belong to the request before it.
            if state.isOfRequest { Self.begin(UUID(), isOfRequest: false, state.command, &state) }
            return
        }
        let isFirst = group.begin()
        guard state.group != group.id else { return }
        Self.begin(group.id, isOfRequest: true, state.command, &state)
        guard isFirst else {
            throw FileError(
                operation: "continue", path: directory.path, errno: EINPROGRESS)
        }
    }

    static func url(_ directory: URL) -> URL { directory.appendingPathComponent(fileName) }

    // MARK: Recording

    /// Records a commit that has succeeded. The file is written on a separate thread, even if the task has
    /// been canceled.
    ///
    /// A failure to record the commit is not an error, because the commit itself succeeded. Instead, the
    /// group's record is removed, because an incomplete group must not be undone, and the failure is reported
    /// to the function that was passed to the initializer.
    func record(_ inverse: WriteBatch, from before: Stamp, to revision: Revision) async {
        // The thread of the work has no values of the task.
        let group = UndoGroup.current
        do {
            try await BlockingWork.run { [self] _ in
                try write(inverse, from: before, to: revision, group)
            }
        } catch {
            report(error)
        }
    }

    /// Removes the group's record, because a commit that has succeeded cannot be recorded.
    func fail(_ error: any Error) async {
        let group = UndoGroup.current
        do {
            try await BlockingWork.run { [self] _ in
                try state.withLock { state in
                    try? enter(group, &state)
                    guard !state.hasFailed else { return }
                    try stop(&state, error)
                }
            }
        } catch {
            report(error)
        }
    }

    private func write(
        _ inverse: WriteBatch, from before: Stamp, to revision: Revision, _ group: UndoGroup?
    ) throws {
        try state.withLock { state in
            do {
                try enter(group, &state)
            } catch {
                try stop(&state, error)
            }
            guard !state.hasFailed else { return }
            let record = Record(
                run: state.group, command: state.command, date: Date().milliseconds, store: before.store,
                epoch: before.epoch, from: before.revision, to: revision, inverse: inverse,
                number: state.count)
            state.count += 1
            do {
                try Self.append(record, to: Self.url(directory), &state)
            } catch {
                try stop(&state, error)
            }
        }
    }

    private func stop(_ state: inout State, _ error: any Error) throws -> Never {
        state.hasFailed = true
        // If another process or request has changed the store, the record is theirs. It can be undone if
        // their commits followed this one.
        guard ![ESTALE, EINPROGRESS].contains((error as? FileError)?.errno) else { throw error }
        unlink(Self.url(directory).path)
        throw error
    }

    private func report(_ failure: any Error) {
        onFailure?("the change was saved, but it cannot be undone: \(Self.reason(failure))")
    }

    private static func reason(_ failure: any Error) -> String {
        if let failure = failure as? StorageError { return failure.message }
        return switch (failure as? FileError)?.errno {
        case ESTALE: "another process changed the store at the same time"
        case EINPROGRESS: "another request changed the store at the same time"
        case EFBIG: "its record would exceed \(maximumSize >> 20) MB"
        default: "\(failure)"
        }
    }

    private static func append(_ record: Record, to url: URL, _ state: inout State) throws {
        let data = try line(of: record)
        if state.size == 0 {
            try AtomicFile.write(data, to: url)
            state.file = FileIdentity(url)
        } else {
            guard FileIdentity(url) == state.file else {
                // Two processes changed the store at the same time, so neither change can be undone.
                throw FileError(operation: "append to", path: url.path, errno: ESTALE)
            }
            let file = try FileDescriptor(url.path, O_WRONLY | O_APPEND)
            try data.withUnsafeBytes { try file.write($0) }
        }
        state.size += data.count
        guard state.size <= maximumSize else {
            throw FileError(operation: "write", path: url.path, errno: EFBIG)
        }
    }

    // MARK: The file

    /// The number of hexadecimal digits of the checksum at the beginning of a line. A space follows them.
    private static let checksumLength = 8

    private static func line(of record: Record) throws -> Data {
        let json = try JSONEncoder().encode(record)
        return Data("\(checksum(of: json)) ".utf8) + json + Data("\n".utf8)
    }

    private static func checksum(of bytes: Data) -> String {
        Hexadecimal.text(bytes.withUnsafeBytes { CRC32C.checksum($0) }, count: checksumLength)
    }

    private static func record(in line: Data) -> Record? {
        let json = line.dropFirst(checksumLength + 1)
        let prefix = Data("\(checksum(of: json)) ".utf8)
        guard line.prefix(checksumLength + 1) == prefix else { return nil }
        return try? JSONDecoder().decode(Record.self, from: json)
    }

    struct Contents: Sendable {
        /// The records, oldest first; empty if nothing was recorded.
        var records: [Record] = []
        var data = Data()
    }

    /// Returns the records of the last group.
    static func contents(in directory: URL) throws -> Contents {
        let url = url(directory)
        let data: Data
        do {
            data = try FileContents.readToEnd(url)
        } catch {
            guard FileIdentity(url) == nil else { throw error }
            return Contents()
        }
        let lines = data.split(separator: UInt8(ascii: "\n")).map(record)
        let records = lines.compactMap { $0 }
        // A file with records of several groups cannot be undone either, but `Undo` reports that error.
        let isOneGroup = Set(records.map(\.run)).count <= 1
        let areNumbered = records.enumerated().allSatisfy { $0 == $1.number }
        // Every line ends with a line feed, so that the loss of the end of the last line is detected too.
        guard records.count == lines.count, areNumbered || !isOneGroup,
            data.isEmpty || data.last == UInt8(ascii: "\n")
        else {
            throw RoostError(
                .nothingToUndo, "cannot undo: the record \(url.path) is damaged; nothing was changed")
        }
        return Contents(records: records, data: data)
    }

    /// Removes the records that were undone. A record that was written since then remains.
    static func remove(_ contents: Contents, in directory: URL) {
        AtomicFile.remove(url(directory)) {
            FileManager.default.contents(atPath: $0.path) == contents.data
        }
    }

    /// Returns the digests of the original files that an undo needs.
    ///
    /// The file is searched for document fingerprints without being decoded, so that fingerprints in damaged
    /// lines are found too. A match that no undo needs only delays the removal of a document.
    static func digests(in directory: URL) -> [String] {
        guard let data = FileManager.default.contents(atPath: url(directory).path) else { return [] }
        return String(decoding: data, as: UTF8.self).components(separatedBy: "sha256:").dropFirst().map {
            String($0.prefix(64))
        }
    }
}

/// The commits of one request to a process that serves a store, which ``KnowledgeStore/undo(isDryRun:)``
/// undoes as a unit. They are the commits of the task in which ``run(_:)`` calls its function, and of the
/// tasks that this task starts.
package final class UndoGroup: Sendable {
    /// The group of the current task; `nil` outside of a request.
    @TaskLocal package static var current: UndoGroup?

    let id = UUID()
    private let hasRecord = Mutex(false)

    package init() {}

    /// Calls a function whose commits belong to one group: that of the current task, or else a new one.
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await $current.withValue(current ?? UndoGroup(), operation: body)
    }

    /// Notes that a commit of the group is recorded, and returns whether it is the first one.
    func begin() -> Bool {
        hasRecord.withLock { hasRecord in
            defer { hasRecord = true }
            return !hasRecord
        }
    }
}
