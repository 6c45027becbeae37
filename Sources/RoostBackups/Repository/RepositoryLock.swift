import Foundation
import RoostChunks
import Synchronization

/// Keeps those who remove things from a repository apart from those who add or read.
///
/// A lock is an object. Who wants one writes it and then looks at the others; where one is in the way, his
/// own goes. A lock that was not renewed for half an hour is that of a process that died, as is one of a
/// process of this machine that is no more.
final class RepositoryLock: Sendable {
    private struct Contents: Codable {
        var isExclusive: Bool
        var host: String
        /// Where process numbers mean the same: the running system and its space of processes.
        var system: String
        var process: Int32
        var renewed: Int64
    }

    /// Empty where it cannot be told.
    private static let system: String = {
        let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        guard let boot, let space else { return "" }
        return boot.trimmingCharacters(in: .whitespacesAndNewlines) + " " + space
    }()

    /// The locks that this process holds: others under its number are of work that ended and could not take
    /// them away.
    private static let held = Mutex<Set<String>>([])

    private static let patience: TimeInterval = 30 * 60
    private static let interval = Duration.seconds(300)

    private let retrieval: any ChunkStorageRetrieval
    private let path: String
    private let renewal: Mutex<Task<Void, Never>?>
    /// By a clock that goes on while the machine sleeps.
    private let renewed: Renewals

    private final class Renewals: Sendable {
        let last = Mutex(ContinuousClock.now)
    }

    private init(
        _ retrieval: any ChunkStorageRetrieval, _ path: String, _ renewal: Task<Void, Never>,
        _ renewed: Renewals
    ) {
        self.renewed = renewed
        (self.retrieval, self.path) = (retrieval, path)
        self.renewal = Mutex(renewal)
    }

    /// Runs something while a lock is held.
    ///
    /// - Parameter canDoWithout: whether it is run without one where none can be written.
    /// - Throws: ``BackupError`` with `.locked`; what the retrieval or `body` throws.
    static func with<Value>(
        exclusive isExclusive: Bool, canDoWithout: Bool = false, _ retrieval: any ChunkStorageRetrieval,
        _ body: (RepositoryLock) async throws -> Value
    ) async throws -> Value {
        let lock: RepositoryLock
        do {
            lock = try await acquire(isExclusive, retrieval)
        } catch let error as ChunkStorageError where canDoWithout && error.isRefusedWrite {
            // A disk that may only be read, or is full: nobody else writes there either, or is seen.
            guard try await obstacle(isExclusive, "", retrieval) == nil else { throw error }
            return try await body(RepositoryLock(retrieval, "", Task {}, Renewals()))
        }
        do {
            let value = try await body(lock)
            await lock.release()
            return value
        } catch {
            await lock.release()
            throw error
        }
    }

    private static func acquire(
        _ isExclusive: Bool, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> RepositoryLock {
        let path = RepositoryObject.lock(UUID().uuidString.lowercased())
        _ = held.withLock { $0.insert(path) }
        for attempt in 1... {
            do {
                try await write(isExclusive, path, retrieval)
                guard let other = try await obstacle(isExclusive, path, retrieval) else { break }
                try await retrieval.deleteChunk(at: path)
                guard attempt < 5 else {
                    throw BackupError(
                        .locked,
                        "process \(other.process) on \(other.host) is at work in the backup "
                            + "repository; try again when it has ended",
                        isRetryable: true)
                }
                // Two who look at the same time both give way.
                try await Task.sleep(for: .milliseconds(50 * attempt + Int.random(in: 0...100)))
            } catch {
                await remove(path, retrieval)
                _ = held.withLock { $0.remove(path) }
                throw error
            }
        }
        let renewed = Renewals()
        let renewal = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: interval) } catch { return }
                // One that was taken away is not put back: see ``requireHeld()``.
                guard (try? await retrieval.presence(at: path)) != false else { return }
                do {
                    try await write(isExclusive, path, retrieval)
                    renewed.last.withLock { $0 = .now }
                } catch {}
            }
        }
        return RepositoryLock(retrieval, path, renewal, renewed)
    }

    private static func write(
        _ isExclusive: Bool, _ path: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws {
        let contents = Contents(
            isExclusive: isExclusive, host: ProcessInfo.processInfo.hostName, system: system,
            process: getpid(), renewed: Int64(Date().timeIntervalSince1970))
        try await retrieval.writeChunk(try JSONEncoder().encode(contents), at: path, metadata: nil)
    }

    /// Another's lock that does not go with ours. Those of the dead are removed.
    private static func obstacle(
        _ isExclusive: Bool, _ own: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> Contents? {
        for path in try await retrieval.paths(in: RepositoryObject.locks) where path != own {
            let read: Data?
            do {
                read = try await retrieval.readChunk(at: path)
            } catch let error as ChunkStorageError where error.isDamage {
                read = Data()
            }
            guard let data = read else { continue }
            guard let contents = try? JSONDecoder().decode(Contents.self, from: data), !isDead(contents, path)
            else {
                // On a disk that may only be read it stays, and is nobody's all the same.
                try? await retrieval.deleteChunk(at: path)
                continue
            }
            if isExclusive || contents.isExclusive { return contents }
        }
        return nil
    }

    private static func isDead(_ contents: Contents, _ path: String) -> Bool {
        if abs(Date().timeIntervalSince1970 - Double(contents.renewed)) > patience { return true }
        guard !system.isEmpty, contents.system == system else { return false }
        if contents.process == getpid() { return !held.withLock { $0.contains(path) } }
        return kill(contents.process, 0) != 0 && errno == ESRCH
    }

    /// To be asked before what cannot be taken back: a machine that slept may have been taken for dead, and
    /// others have gone on without it.
    ///
    /// - Throws: ``BackupError`` with `.locked`.
    func requireHeld() async throws {
        let age = ContinuousClock.now - renewed.last.withLock { $0 }
        guard try await retrieval.presence(at: path), age < .seconds(Self.patience / 2) else {
            throw BackupError(
                .locked, "the work on the backup was interrupted for so long that others went on; try again",
                isRetryable: true)
        }
    }

    /// Takes a lock away, also where the work was cancelled. One that stays is taken for that of a dead
    /// process before long.
    private static func remove(_ path: String, _ retrieval: any ChunkStorageRetrieval) async {
        await Task { try? await retrieval.deleteChunk(at: path) }.value
    }

    private func release() async {
        let task = renewal.withLock { task in
            defer { task = nil }
            return task
        }
        task?.cancel()
        // Else a renewal that is under way would put it back.
        await task?.value
        guard !path.isEmpty else { return }
        defer { _ = Self.held.withLock { $0.remove(path) } }
        await Self.remove(path, retrieval)
    }
}
