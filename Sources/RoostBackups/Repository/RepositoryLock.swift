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
        var process: Int32
        var renewed: Int64
    }

    private static let patience: TimeInterval = 30 * 60
    private static let interval = Duration.seconds(300)

    private let retrieval: any ChunkStorageRetrieval
    private let path: String
    private let renewal: Mutex<Task<Void, Never>?>

    private init(_ retrieval: any ChunkStorageRetrieval, _ path: String, _ renewal: Task<Void, Never>) {
        (self.retrieval, self.path) = (retrieval, path)
        self.renewal = Mutex(renewal)
    }

    /// Runs something while a lock is held.
    ///
    /// - Throws: ``BackupError`` with `.locked`; what the retrieval or `body` throws.
    static func with<Value>(
        exclusive isExclusive: Bool, _ retrieval: any ChunkStorageRetrieval, _ body: () async throws -> Value
    ) async throws -> Value {
        let lock = try await acquire(isExclusive, retrieval)
        do {
            let value = try await body()
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
        for attempt in 1... {
            try await write(isExclusive, path, retrieval)
            do {
                guard let other = try await obstacle(isExclusive, path, retrieval) else { break }
                try await retrieval.deleteChunk(at: path)
                guard attempt < 5 else {
                    throw BackupError(
                        .locked,
                        "process \(other.process) on \(other.host) is at work in the backup repository; "
                            + "try again "
                            + "when it has ended",
                        isRetryable: true)
                }
                // Two who look at the same time both give way.
                try await Task.sleep(for: .milliseconds(50 * attempt + Int.random(in: 0...100)))
            } catch {
                try? await retrieval.deleteChunk(at: path)
                throw error
            }
        }
        let renewal = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: interval) } catch { return }
                try? await write(isExclusive, path, retrieval)
            }
        }
        return RepositoryLock(retrieval, path, renewal)
    }

    private static func write(
        _ isExclusive: Bool, _ path: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws {
        let contents = Contents(
            isExclusive: isExclusive, host: ProcessInfo.processInfo.hostName, process: getpid(),
            renewed: Int64(Date().timeIntervalSince1970))
        try await retrieval.writeChunk(try JSONEncoder().encode(contents), at: path, metadata: nil)
    }

    /// Another's lock that does not go with ours. Those of the dead are removed.
    private static func obstacle(
        _ isExclusive: Bool, _ own: String, _ retrieval: any ChunkStorageRetrieval
    ) async throws -> Contents? {
        for path in try await retrieval.paths(in: RepositoryObject.locks) where path != own {
            guard let data = try await retrieval.readChunk(at: path) else { continue }
            guard let contents = try? JSONDecoder().decode(Contents.self, from: data), !isDead(contents)
            else {
                try await retrieval.deleteChunk(at: path)
                continue
            }
            if isExclusive || contents.isExclusive { return contents }
        }
        return nil
    }

    private static func isDead(_ contents: Contents) -> Bool {
        if abs(Date().timeIntervalSince1970 - Double(contents.renewed)) > patience { return true }
        guard contents.host == ProcessInfo.processInfo.hostName, contents.process != getpid() else {
            return false
        }
        return kill(contents.process, 0) != 0 && errno == ESRCH
    }

    private func release() async {
        renewal.withLock { task in
            task?.cancel()
            task = nil
        }
        // One that stays is taken for that of a dead process before long.
        try? await retrieval.deleteChunk(at: path)
    }
}
