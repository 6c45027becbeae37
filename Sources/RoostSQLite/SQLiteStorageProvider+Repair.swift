public import Foundation
import GRDB
import RoostFiles
public import RoostModel

extension SQLiteStorageProvider {
    /// Checks every page and every row of a database, whether it can be opened as a store or not. Reads
    /// only: the log stays as it is, and nobody waits.
    ///
    /// - Returns: what was found, with what a repair would do; no damage where the store is whole.
    /// - Throws: ``StorageError``: `.inputOutput` also where the files cannot be read for a reason that is
    ///   not in them, `.locked`, `.newerFormat`; `CancellationError`.
    public static func inspect(databaseURL: URL, options: Options = Options()) async throws
        -> [StorageFinding]
    {
        try await BlockingWork.run { isCancelled in
            try translating(databaseURL.path) {
                try Inspection(databaseURL, options).run(isCancelled)
            }
        }
    }

    /// Puts a damaged database together from the rows that are as they were written, under a new epoch. The
    /// damaged files are kept in a folder with the date in its name; nothing is deleted. A database that is
    /// whole stays as it is.
    ///
    /// - Atomicity: the store is the damaged one or the mended one; a process that dies in between is made up
    ///   for by the next that opens the store.
    /// - Returns: what was found and done.
    /// - Throws: ``StorageError``: `.locked`, `.inputOutput`, `.newerFormat`; `.damaged` where nothing can be
    ///   read of it, or where it is of an older format and too damaged to be brought to the present one. The
    ///   store is as it was then.
    public static func repair(databaseURL: URL, options: Options = Options()) async throws -> [StorageFinding]
    {
        let lockURL = options.lockURL ?? databaseURL.appendingPathExtension("lock")
        let lock = try await BlockingWork.run { isCancelled in
            try translating(databaseURL.path) {
                let lock = try FileLock.acquire(
                    lockURL, timeout: options.lockTimeout, isCancelled: isCancelled)
                try Replacement(of: databaseURL).finish()
                return lock
            }
        }
        defer { lock.release() }
        var findings = try await inspect(databaseURL: databaseURL, options: options)
        let damage = findings.filter { $0.severity == .damage }
        guard !damage.isEmpty else { return findings }
        let folder = databaseURL.deletingLastPathComponent()
        let stamp = DateText.string(from: Date()).filter(\.isNumber)
        let aside = folder.appendingPathComponent("damaged-\(stamp)")
        try await BlockingWork.run { _ in
            try translating(databaseURL.path) { try keep(databaseURL, in: aside) }
        }
        if damage.allSatisfy({ $0.subject == Inspection.markSubject }) {
            try await BlockingWork.run { _ in
                try translating(databaseURL.path) { try beginNewHistory(databaseURL, options) }
            }
            findings.append(
                .note(
                    databaseURL.path, "goes on from what is there, in a new epoch; a copy is in \(aside.path)"
                ))
            return findings
        }
        let made = folder.appendingPathComponent("repaired-\(stamp).sqlite")
        do {
            findings += try await salvage(databaseURL, to: made, options)
        } catch {
            for suffix in ["", "-wal", "-shm", "-mark", ".lock"] { unlink(made.path + suffix) }
            throw translated(error, databaseURL.path)
        }
        try await BlockingWork.run { _ in
            try translating(databaseURL.path) { try Replacement(of: databaseURL).begin(with: made) }
        }
        findings.append(
            .note(databaseURL.path, "was put together again; what was damaged is in \(aside.path)"))
        return findings
    }

    /// Copies the files, sharing their blocks where the file system can.
    private static func keep(_ url: URL, in aside: URL) throws {
        try FileSystem.standard.createFolder(aside)
        for suffix in ["", "-wal", "-mark"] {
            let file = URL(fileURLWithPath: url.path + suffix)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try AtomicFile.copy(file, to: aside.appendingPathComponent(file.lastPathComponent))
        }
        try FileSystem.standard.synchronizeFolder(url.deletingLastPathComponent())
    }

    private static func salvage(
        _ url: URL, to made: URL, _ options: Options
    ) async throws -> [StorageFinding] {
        var options = options
        // The store's own lock is held; nobody else knows the new file.
        options.lockURL = made.appendingPathExtension("lock")
        let target = try await SQLiteStorageProvider(databaseURL: made, options: options)
        let findings: [StorageFinding]
        do {
            findings = try await Salvage(url, options).run(into: target)
        } catch {
            try? await target.close()
            throw error
        }
        try await target.close()
        try FileDescriptor(made.path, O_RDONLY).synchronize()
        let log = try? FileManager.default.attributesOfItem(atPath: made.path + "-wal")[.size] as? Int
        guard log ?? 0 == 0 else {
            throw StorageError(.inputOutput, "\(made.path) could not be finished")
        }
        return findings
    }

    /// The database is older than its mark and otherwise whole.
    private static func beginNewHistory(_ url: URL, _ options: Options) throws {
        let pool = try openPool(url, options)
        defer { try? pool.close() }
        let mark = try pool.write { database in
            var meta = try Meta(database)
            meta.epoch = UUID()
            meta.entryCount = nil
            meta.revision = max(meta.revision, RevisionMark(of: url.path)?.revision ?? .zero).next
            try meta.save(database)
            return RevisionMark(epoch: meta.epoch, revision: meta.revision)
        }
        mark.write(of: url.path)
    }

    /// Whether an error says that what is on disk is not as it was written, and not that it could not be
    /// read now.
    static func isDamage(_ error: any Error) -> Bool {
        switch error {
        case let error as DatabaseError:
            [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_FORMAT].contains(
                error.resultCode)
        case let error as StorageError: error.code == .damaged
        case is RowDecodingError: true
        default: false
        }
    }
}
