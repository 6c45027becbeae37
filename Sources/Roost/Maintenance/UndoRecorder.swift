public import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// Records the inverse of every commit, so that ``KnowledgeStore/undo(isDryRun:)`` can undo them.
///
/// The commits of one recorder form a group that is undone as a unit; those of an ``UndoGroup`` form a separate
/// group. The records are files in the folder `undo` (``UndoFolder``) and remain after the process ends.
public final class UndoRecorder: Sendable {
    /// Whether the commits of the current task are not recorded: they undo others.
    @TaskLocal static var isSuspended = false

    let directory: URL
    private let onFailure: (@Sendable (String) -> Void)?
    /// The group of the commits outside of requests, and the name of the operation.
    private let current: Mutex<(group: UndoGroup, command: String)>

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - directory: The folder of the records: that of the store, or another one for a store without a
    ///     folder.
    ///   - command: The human-readable name of the operation.
    ///   - onFailure: Called with a message when a change has been saved but cannot be recorded, for example
    ///     because the disk is full. At most one call per group.
    public init(
        directory: URL, command: String, onFailure: (@Sendable (_ message: String) -> Void)? = nil
    ) {
        (self.directory, self.onFailure) = (directory, onFailure)
        current = Mutex((UndoGroup(), command))
    }

    /// Begins a new group.
    ///
    /// - Parameter command: The human-readable name of the operation.
    public func beginGroup(_ command: String) { current.withLock { $0 = (UndoGroup(), command) } }

    /// Ends a group that is undone, so that the next commit begins a new one.
    func end(_ group: UndoFolder.Group) {
        current.withLock { current in
            if current.group.name == group.name { current.group = UndoGroup() }
        }
    }

    /// Records a commit that has succeeded. The file is written on a separate thread, even if the task has
    /// been canceled.
    ///
    /// A failure to record the commit is not an error, because the commit itself succeeded. Instead, the
    /// records of the group are removed, because an incomplete group must not be undone, and the failure is
    /// reported to the function that was passed to the initializer.
    func record(_ record: Result<UndoRecord, any Error>) async {
        // The thread of the work has no values of the task.
        let (group, command) = current.withLock { (UndoGroup.current ?? $0.group, $0.command) }
        let folder = UndoFolder(in: directory)
        do {
            try await BlockingWork.run { _ in
                try group.write(record, of: command, to: folder)
            }
        } catch {
            let reason = (error as? StorageError)?.message ?? "\(error)"
            onFailure?("the change was saved, but it cannot be undone: \(reason)")
        }
    }

    /// Returns the digests of the original files that an undo needs.
    ///
    /// The files are searched for document fingerprints without being decoded, so that fingerprints in damaged
    /// files are found too. A match that no undo needs only delays the removal of a document.
    static func digests(in directory: URL) -> [String] {
        let groups = (try? UndoFolder(in: directory).groups()) ?? []
        return groups.flatMap(\.files).flatMap { file in
            String(decoding: FileManager.default.contents(atPath: file.path) ?? Data(), as: UTF8.self)
                .components(separatedBy: "sha256:").dropFirst().map { String($0.prefix(64)) }
        }
    }
}

/// The commits of one request to a process that serves a store, which ``KnowledgeStore/undo(isDryRun:)``
/// undoes as a unit. They are the commits of the task in which ``run(_:)`` calls its function, and of the
/// tasks that this task starts.
package final class UndoGroup: Sendable {
    /// The group of the current task; `nil` outside of a request.
    @TaskLocal package static var current: UndoGroup?

    private struct State {
        /// The name of the group in the folder; `nil` before the first record.
        var name: String?
        var (count, size) = (0, 0)
        /// Whether recording has failed. If so, the group cannot be undone.
        var hasFailed = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls a function whose commits belong to one group: that of the current task, or else a new one.
    package static func run<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await $current.withValue(current ?? UndoGroup(), operation: body)
    }

    var name: String? { state.withLock(\.name) }

    fileprivate func write(
        _ record: Result<UndoRecord, any Error>, of command: String, to folder: UndoFolder
    ) throws {
        try state.withLock { state in
            guard !state.hasFailed else { return }
            do {
                var record = try record.get()
                record.command = command
                // Another process has undone the earlier commits.
                if let name = state.name, !folder.contains(name, state.count - 1) { state = State() }
                let name = try state.name ?? folder.beginGroup()
                state.name = name
                state.size += try folder.write(record, to: name, state.count)
                state.count += 1
                guard state.size <= UndoFolder.maximumSize else {
                    throw StorageError(
                        .full, "its record would exceed \(UndoFolder.maximumSize >> 20) MB")
                }
            } catch {
                state.hasFailed = true
                if let name = state.name { folder.remove(name) }
                throw error
            }
        }
    }
}

/// One recorded commit.
struct UndoRecord: Codable, Sendable {
    var command = ""
    /// The time of the commit, in milliseconds since 1970.
    var date = Date().milliseconds
    var store: UUID
    var epoch: UUID
    /// The batch that restores the state before the commit. An entry whose vectors the commit did not change
    /// has none.
    var inverse: WriteBatch
    /// The states of the objects after the commit (``WriteBatch/states``).
    var after: [String: String]

    var objects: Set<String> { inverse.objects.union(after.keys) }
}

/// The folder `undo`, which contains the last recorded groups of commits.
///
/// Each commit is one file, whose name consists of the number of its group, an id of the group, and the number of
/// the commit within the group. Each process writes only files of its own groups. A file begins with its
/// checksum, so that a damaged or incomplete record is never undone.
struct UndoFolder: Sendable {
    static let name = "undo"
    static let maximumGroups = 20
    /// The maximum size in bytes of the records of one group, and of all earlier groups together. Changes with
    /// larger records can only be restored from a backup.
    static let maximumSize = 1 << 30
    /// The number of hexadecimal digits of the checksum at the beginning of a file. A space follows them.
    private static let checksumLength = 8

    private let url: URL

    init(in directory: URL) {
        url = directory.appendingPathComponent(Self.name, isDirectory: true)
    }

    struct Group: Sendable {
        var name: String
        var files: [URL]
        var isComplete: Bool
    }

    func groups() throws -> [Group] {
        let names: [String]
        do {
            names = try FolderListing(url.path).names
        } catch let error as FileError where error.errno == ENOENT {
            return []
        } catch {
            throw RoostError(.noInput, "\(error)")
        }
        var numbers: [String: Set<Int>] = [:]
        for name in names {
            let parts = name.split(separator: ".")
            guard parts.count == 3, let number = Int(parts[2]) else { continue }
            numbers[parts[..<2].joined(separator: "."), default: []].insert(number)
        }
        return numbers.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }.map {
            name, numbers in
            Group(
                name: name, files: numbers.sorted().map { file(name, $0) },
                isComplete: numbers == Set(0..<numbers.count))
        }
    }

    private func file(_ group: String, _ number: Int) -> URL {
        url.appendingPathComponent("\(group).\(number)")
    }

    func damaged(_ name: String) -> RoostError {
        RoostError(
            .nothingToUndo,
            "cannot undo: the record \(url.appendingPathComponent(name).path) is damaged; nothing was changed"
        )
    }

    /// Makes space for a new group, and returns its name.
    func beginGroup() throws -> String {
        try FileSystem.standard.createFolder(url)
        let groups = (try? groups()) ?? []
        var size = 0
        for (index, group) in groups.reversed().enumerated() {
            size += group.files.reduce(0) { $0 + ((try? FileSystem.sizeOfRegularFile($1.path)) ?? 0) }
            if index >= Self.maximumGroups - 1 || size > Self.maximumSize { remove(group.name) }
        }
        let last = groups.last.flatMap { Int($0.name.prefix { $0 != "." }) } ?? 0
        return "\(last + 1).\(UUID().text)"
    }

    /// Writes a record and returns its size. The file need not survive a power failure: an incomplete one is
    /// never undone.
    func write(_ record: UndoRecord, to group: String, _ number: Int) throws -> Int {
        let json = try JSONTextEncoder().encode(record)
        let data = Data("\(Self.checksum(of: json)) ".utf8) + json
        try AtomicFile.write(data, to: file(group, number), files: .deferring)
        return data.count
    }

    func contains(_ group: String, _ number: Int) -> Bool {
        FileManager.default.fileExists(atPath: file(group, number).path)
    }

    func read(_ file: URL) throws -> UndoRecord {
        let data = try FileContents.readToEnd(file)
        let json = data.dropFirst(Self.checksumLength + 1)
        guard data.prefix(Self.checksumLength + 1) == Data("\(Self.checksum(of: json)) ".utf8),
            let record = try? JSONDecoder().decode(UndoRecord.self, from: json)
        else { throw damaged(file.lastPathComponent) }
        return record
    }

    static func checksum(of bytes: Data) -> String {
        Hexadecimal.text(bytes.withUnsafeBytes { CRC32C.checksum($0) }, count: checksumLength)
    }

    func remove(_ group: String) {
        let names = (try? FolderListing(url.path).names) ?? []
        for name in names where name.contains(group + ".") {
            unlink(url.appendingPathComponent(name).path)
        }
    }
}
