import Foundation
import RoostModel
import Synchronization

/// A lock on a repository: shared for processes that read or add, exclusive for processes that delete.
///
/// A lock is an object in the repository. A process writes its own lock object first and then looks for
/// conflicting ones; if it finds one, it deletes its own. A lock is stale, and is deleted by others, if it
/// has not been renewed for half an hour or if its process ran on this machine and no longer exists.
final class RepositoryLock: Sendable {
    struct Contents: Codable {
        var isExclusive: Bool
        var host: String
        /// The boot id and the PID namespace. Only within them does a process id identify a process.
        var system: String
        var process: Int32
        /// The time of the last renewal, in seconds since 1970.
        var renewed: Int64
    }

    private static let system: String = {
        let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        guard let boot, let space else { return "" }
        return boot.trimmingCharacters(in: .whitespacesAndNewlines) + " " + space
    }()

    /// The paths of the locks that this process holds. Other locks with its process id are stale: they belong
    /// to operations that ended without being able to delete them.
    private static let activePaths = Mutex<Set<String>>([])

    /// The age in seconds at which a lock is stale. It must be several times as long as ``renewalInterval``,
    /// so that a slow network does not make a lock stale.
    private static let maximumAge: TimeInterval = 30 * 60
    private static let renewalInterval = Duration.seconds(300)
    /// The maximum number of attempts to acquire a lock. Two processes that start at the same moment both
    /// delete their locks, so one attempt is not enough.
    private static let maximumAttempts = 5

    private let retrieval: any ChunkStorageRetrieval
    /// The path of the lock object; `nil` if the operation runs without a lock.
    private let path: String?
    private let renewal = Mutex<Task<Void, Never>?>(nil)
    /// The time of the last renewal, by a clock that advances while the machine sleeps.
    private let renewed = Mutex(ContinuousClock.now)

    private init(_ retrieval: any ChunkStorageRetrieval, _ path: String? = nil) {
        (self.retrieval, self.path) = (retrieval, path)
    }

    /// Runs an operation while holding a lock.
    ///
    /// - Parameters:
    ///   - isExclusive: Whether no other process may hold a lock at the same time.
    ///   - toleratesReadOnly: Whether to run the operation without a lock if the storage cannot be written
    ///     to.
    static func with<Value>(
        exclusive isExclusive: Bool, toleratesReadOnly: Bool = false,
        _ retrieval: any ChunkStorageRetrieval, _ body: (RepositoryLock) async throws -> Value
    ) async throws -> Value {
        let lock: RepositoryLock
        do {
            lock = try await acquire(isExclusive, retrieval)
        } catch let error as ChunkStorageError where toleratesReadOnly && error.isRefusedWrite {
            // The storage is read-only or full, so this process cannot write a lock. It still respects
            // the locks of other processes.
            guard try await conflictingLock(isExclusive, nil, retrieval) == nil else { throw error }
            return try await body(RepositoryLock(retrieval))
        }
        return try await perform({ try await body(lock) }, cleanUp: { await lock.release() })
    }

    private static func acquire(
        _ isExclusive: Bool, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> RepositoryLock {
        let path = RepositoryObject.lock(UUID().uuidString.lowercased())
        _ = activePaths.withLock { $0.insert(path) }
        for attempt in 1... {
            do {
                try await write(isExclusive, path, retrieval)
                guard let other = try await conflictingLock(isExclusive, path, retrieval) else { break }
                try await retrieval.deleteChunk(at: path)
                guard attempt < maximumAttempts else {
                    throw BackupError(
                        .locked,
                        "cannot lock the backup repository: process \(other.process) on \(other.host) is "
                            + "using it; try again when it has finished; the lock of a process that was "
                            + "killed on another machine expires after half an hour",
                        isRetryable: true, remedy: .retryLater)
                }
                // The delay is random, so that two processes are unlikely to conflict again.
                try await Task.sleep(for: .milliseconds(50 * attempt + Int.random(in: 0...100)))
            } catch {
                await remove(path, retrieval)
                _ = activePaths.withLock { $0.remove(path) }
                throw error
            }
        }
        let lock = RepositoryLock(retrieval, path)
        let renewal = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: renewalInterval) } catch { return }
                // A lock that another process deleted as stale must not be written again: ``requireHeld()``
                // has to fail.
                guard (try? await retrieval.presence(at: path)) != false else { return }
                do {
                    try await write(isExclusive, path, retrieval)
                    lock.renewed.withLock { $0 = .now }
                } catch {}
            }
        }
        lock.renewal.withLock { $0 = renewal }
        return lock
    }

    private static func write(
        _ isExclusive: Bool, _ path: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws {
        let contents = Contents(
            isExclusive: isExclusive, host: ProcessInfo.processInfo.hostName, system: system,
            process: getpid(), renewed: Int64(Date().timeIntervalSince1970))
        try await retrieval.writeChunk(try JSONEncoder().encode(contents), at: path, metadata: nil)
    }

    /// Returns a conflicting lock of another process, or `nil`. Deletes stale locks.
    private static func conflictingLock(
        _ isExclusive: Bool, _ own: String?, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> Contents? {
        for path in try await retrieval.paths(in: RepositoryObject.locks) where path != own {
            let read: Data?
            do {
                read = try await retrieval.readChunk(at: path)
            } catch let error as ChunkStorageError where error.isDamage {
                read = Data()
            }
            guard let data = read else { continue }
            guard let contents = try? JSONDecoder().decode(Contents.self, from: data),
                !isStale(contents, path)
            else {
                // On a read-only storage a stale lock cannot be deleted, but it can be ignored.
                try? await retrieval.deleteChunk(at: path)
                continue
            }
            if isExclusive || contents.isExclusive { return contents }
        }
        return nil
    }

    private static func isStale(_ contents: Contents, _ path: String) -> Bool {
        if abs(Date().timeIntervalSince1970 - Double(contents.renewed)) > maximumAge { return true }
        guard !system.isEmpty, contents.system == system else { return false }
        if contents.process == getpid() { return !activePaths.withLock { $0.contains(path) } }
        return kill(contents.process, 0) != 0 && errno == ESRCH
    }

    /// Checks that this lock is still valid. Call it before every irreversible step: if the machine slept,
    /// other processes may have deleted the lock as stale and changed the repository.
    func requireHeld() async throws {
        let age = ContinuousClock.now - renewed.withLock { $0 }
        guard let path, try await retrieval.presence(at: path), age < .seconds(Self.maximumAge / 2) else {
            throw BackupError(
                .locked,
                "lost the lock on the backup repository: this process was suspended for too long; try again",
                isRetryable: true, remedy: .retryLater)
        }
    }

    /// Deletes a lock, even if the current task has been canceled. If the deletion fails, the lock becomes
    /// stale.
    private static func remove(_ path: String, _ retrieval: any ChunkStorageRetrieval) async {
        await Task { try? await retrieval.deleteChunk(at: path) }.value
    }

    private func release() async {
        let task = renewal.withLock { $0.take() }
        task?.cancel()
        // Otherwise, a renewal in progress could write the lock again after it has been deleted.
        await task?.value
        guard let path else { return }
        defer { _ = Self.activePaths.withLock { $0.remove(path) } }
        await Self.remove(path, retrieval)
    }
}
