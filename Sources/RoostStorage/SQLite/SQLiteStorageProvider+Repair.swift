public import Foundation
import GRDB
import RoostFiles
public import RoostModel

extension SQLiteStorageProvider {
    /// Checks every page and every row of a database, even if the database cannot be opened as a store.
    ///
    /// The inspection only reads: other processes do not have to wait, and the write-ahead log does not
    /// change.
    ///
    /// - Parameters:
    ///   - databaseURL: The database file.
    ///   - options: Options for opening the database.
    /// - Returns: The findings, each with the effect of a repair. If the store is intact, none of them is
    ///   damage.
    /// - Throws: `StorageError`: `.locked`, `.newerFormat`, and `.inputOutput` if a file cannot be read for a
    ///   reason other than damage; `CancellationError`.
    public static func inspect(
        databaseURL: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        try await errors(databaseURL.path).runBlocking { isCancelled in
            try ReadOnlyDatabase.reading(databaseURL) { file in
                try DatabaseInspection(file, options, reportingAs: databaseURL.path).run(isCancelled)
            }
        }
    }

    /// Returns whether a repair was interrupted after its result was complete. The result is
    /// read; opening the database with write access completes the replacement.
    package static func isReplacementPending(_ databaseURL: URL) -> Bool {
        DatabaseReplacement(of: databaseURL).isPending
    }

    /// Rebuilds a damaged database from its intact rows, and begins a new epoch. An intact database is not
    /// changed.
    ///
    /// Nothing is deleted: the damaged files are first copied to a folder with the date in its name.
    ///
    /// - Atomicity: Readers see either the damaged store or the repaired one. If the process ends during the
    ///   repair, the next process that opens the store completes it.
    /// - Parameters:
    ///   - databaseURL: The database file.
    ///   - options: Options for opening the database.
    /// - Returns: The findings, and the actions that were taken.
    /// - Throws: `StorageError`: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` if nothing can be
    ///   read; `CancellationError`. If the method throws, the store is unchanged.
    public static func repair(
        databaseURL: URL, options: Options = Options()
    ) async throws -> [StorageFinding] {
        let errors = errors(databaseURL.path)
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        let lock = try await errors.runBlocking { isCancelled in
            let lock = try FileLock.acquire(
                lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
            try DatabaseReplacement(of: databaseURL).finish()
            try removeRemnants(of: databaseURL)
            return lock
        }
        defer { lock.release() }
        var findings = try await inspect(databaseURL: databaseURL, options: options)
        let damage = findings.filter { $0.severity == .damage }
        guard !damage.isEmpty else { return findings }
        let folder = databaseURL.deletingLastPathComponent()
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let aside = folder.appendingPathComponent("damaged-\(stamp)")
        let replacement = folder.appendingPathComponent("repaired-\(stamp).sqlite")
        do {
            try await errors.runBlocking { _ in try keep(databaseURL, in: aside) }
            if damage.allSatisfy({ $0.subject == DatabaseInspection.markSubject }) {
                try await errors.runBlocking { _ in try beginNewEpoch(databaseURL, options) }
                return findings + [
                    .note(
                        databaseURL.path,
                        "continues from the latest revision that is present, in a new epoch; \(aside.path) "
                            + "contains a copy")
                ]
            }
            findings += try await salvage(databaseURL, to: replacement, options)
        } catch {
            for suffix in ["", "-wal", "-shm", "-mark", ReserveFile.suffix, ".lock"] {
                unlink(replacement.path + suffix)
            }
            try? await BlockingWork.run { _ in removeUnneeded(aside, of: databaseURL) }
            throw errors.mapped(error)
        }
        try await errors.runBlocking { _ in
            try DatabaseReplacement(of: databaseURL).begin(with: replacement)
        }
        findings.append(
            .note(databaseURL.path, "was rebuilt; \(aside.path) contains the damaged files"))
        return findings
    }

    /// Copies the database files to a folder. If the file system supports it, the copies share disk blocks
    /// with the originals.
    private static func keep(_ url: URL, in aside: URL) throws {
        try FileSystem.standard.createFolder(aside)
        try DatabaseFile(url).copy(to: aside)
        try FileSystem.standard.synchronizeFolder(url.deletingLastPathComponent())
    }

    /// Removes the incomplete results of repairs that were interrupted. The caller must hold the writers'
    /// lock, and no replacement may be pending.
    private static func removeRemnants(of url: URL) throws {
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(DatabaseReplacement.repairedPrefix) {
            let parts = name.dropFirst(DatabaseReplacement.repairedPrefix.count).split(separator: ".")
            guard parts.count >= 2, parts[0].allSatisfy(\.isNumber), parts[1].hasPrefix("sqlite") else {
                continue
            }
            try FileSystem.standard.unlink(folder.appendingPathComponent(name).path)
        }
        // An interrupted repair also leaves a copy of the database, which has not changed since.
        for name in names where name.hasPrefix("damaged-") {
            let aside = folder.appendingPathComponent(name)
            let copy = aside.appendingPathComponent(url.lastPathComponent)
            if FileManager.default.fileExists(atPath: copy.path) { removeUnneeded(aside, of: url) }
        }
    }

    /// Removes the copies of files that a failed repair has not changed. If they were kept, every attempt
    /// would add a copy of the database.
    private static func removeUnneeded(_ aside: URL, of url: URL) {
        let manager = FileManager.default
        // Copies that cannot be listed are kept.
        guard let names = try? manager.contentsOfDirectory(atPath: aside.path) else { return }
        let folder = url.deletingLastPathComponent()
        let areSame = names.allSatisfy { name in
            manager.contentsEqual(
                atPath: folder.appendingPathComponent(name).path,
                andPath: aside.appendingPathComponent(name).path)
        }
        if areSame { try? FileSystem.standard.removeFolder(aside) }
    }

    private static func salvage(
        _ url: URL, to replacement: URL, _ options: Options
    ) async throws -> [StorageFinding] {
        var options = options
        // This process already holds the store's lock, so the new file needs a different one.
        options.lockURL = replacement.appendingPathExtension("lock")
        let target = try await SQLiteStorageProvider(databaseURL: replacement, options: options)
        let findings: [StorageFinding]
        do {
            findings = try await Salvage(url: url, options: options).run(into: target)
        } catch {
            try? await target.close()
            throw error
        }
        try await target.close()
        try await errors(replacement.path).runBlocking { _ in
            try FileDescriptor(replacement.path, O_RDONLY).synchronize()
            guard WriteAheadLog.size(ofDatabase: replacement.path) == 0 else {
                throw StorageError(
                    .inputOutput,
                    "cannot complete \(replacement.path): its write-ahead log could not be merged into it, "
                        + "probably because the disk is full", remedy: .freeSpace)
            }
        }
        return findings
    }

    /// Repairs a database that is older than its mark but otherwise intact.
    private static func beginNewEpoch(_ url: URL, _ options: Options) throws {
        let pool = try openPool(url, options)
        defer { try? pool.close() }
        let mark = try pool.write { database in
            var meta = try Meta(database)
            meta.epoch = UUID()
            meta.entryCount = try Meta.countEntries(database)
            meta.revision = max(meta.revision, RevisionMark(of: url.path)?.revision ?? .zero).next
            try meta.save(database)
            return RevisionMark(epoch: meta.epoch, revision: meta.revision)
        }
        mark.write(of: url.path)
    }
}

/// A marker file next to the database contains the name of the new file until the replacement is complete. If
/// the process ends before that, the next process that opens the database completes the replacement.
struct DatabaseReplacement {
    private let url: URL
    private let files = FileSystem.standard
    /// The first bytes of every SQLite database (https://sqlite.org/fileformat.html).
    private static let header = Data("SQLite format 3\0".utf8)

    init(of url: URL) { self.url = url }

    static let repairedPrefix = "repaired-"

    var isPending: Bool { FileManager.default.fileExists(atPath: marker.path) }

    private var marker: URL { URL(fileURLWithPath: url.path + "-replacing") }

    /// Replaces the database. Before the call, the caller must have copied the old files, and closed and
    /// synchronized the new database.
    ///
    /// - Atomicity: The replacement is committed when the marker file has been written.
    func begin(with replacement: URL) throws {
        try AtomicFile.write(Data(replacement.lastPathComponent.utf8), to: marker, files: files)
        try finish()
    }

    /// Returns the file with the current contents of the database: the new database while a replacement is
    /// pending, because the replacement is committed when the marker has been written.
    func current() throws -> URL {
        guard let replacement = try replacement(), try isDatabase(replacement) else { return url }
        return replacement
    }

    func finish() throws {
        guard let replacement = try replacement() else { return }
        let folder = url.deletingLastPathComponent()
        if try isDatabase(replacement) {
            // SQLite must not apply the log of the old database to the new one.
            for suffix in ["-wal", "-shm", "-mark"] { try files.unlink(url.path + suffix) }
            try files.synchronizeFolder(folder)
            try files.rename(replacement.path, to: url.path)
            try files.synchronizeFolder(folder)
        }
        for suffix in ["-wal", "-shm", "-mark", ReserveFile.suffix, ".lock"] {
            try files.unlink(replacement.path + suffix)
        }
        try files.unlink(marker.path)
        try files.synchronizeFolder(folder)
    }

    private func replacement() throws -> URL? {
        let name: String
        do {
            let file = try FileDescriptor(marker.path, O_RDONLY)
            name = String(decoding: try file.read(at: 0, count: 1024), as: UTF8.self)
        } catch let error as FileError where error.isMissing {
            return nil
        }
        guard name.hasPrefix(Self.repairedPrefix), name.hasSuffix(".sqlite"), !name.contains("/") else {
            throw StorageError(
                .damaged,
                "cannot complete the repair of \(url.path): \(marker.path) does not name a repaired "
                    + "database; move it away and try again")
        }
        return url.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Returns whether the new database still has its own name. The result is `false` if it has already been
    /// renamed.
    private func isDatabase(_ replacement: URL) throws -> Bool {
        let head: Data
        do {
            head = try FileDescriptor(replacement.path, O_RDONLY).read(at: 0, count: Self.header.count)
        } catch let error as FileError where error.isMissing {
            return false
        }
        guard head == Self.header else {
            throw StorageError(
                .damaged,
                "cannot complete the repair of \(url.path): \(replacement.path), which \(marker.path) names, "
                    + "is not a database; move both files away and try again")
        }
        return true
    }
}
