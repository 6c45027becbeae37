import Dispatch
public import Foundation
import Synchronization

/// Finds out whether reads of a file block threads of Swift's cooperative pool.
public enum BlockedReads {
    /// The number of concurrent reads, which exceeds the number of threads of the pool.
    private static let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 2
    /// The time in seconds after which the reads continue if the pool is blocked. Other tests can occupy the
    /// pool for many seconds.
    private static let patience = 60.0

    /// Replaces a file by a pipe that nobody writes to, so that reading it blocks, and reads it concurrently.
    ///
    /// - Parameter read: Reads the file, which appears to be empty in the end.
    /// - Returns: Whether other tasks could run during the reads.
    public static func run(
        of file: URL, _ read: @escaping @Sendable () async -> Void
    ) async throws -> Bool {
        try? FileManager.default.removeItem(at: file)
        guard mkfifo(file.path, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let isReleased = Atomic(false)
        let isDone = Atomic(false)
        let release = DispatchSemaphore(value: 0)
        return await withTaskGroup(of: Void.self) { group in
            let thread = Thread {
                if release.wait(timeout: .now() + patience) == .timedOut {
                    isReleased.store(true, ordering: .releasing)
                }
                // Each time, all reads that have begun continue.
                while !isDone.load(ordering: .acquiring) {
                    let descriptor = open(file.path, O_WRONLY | O_NONBLOCK)
                    if descriptor >= 0 { close(descriptor) }
                    usleep(1_000)
                }
            }
            thread.start()
            for _ in 0..<count { group.addTask { await read() } }
            try? await Task.sleep(for: .milliseconds(200))
            let wasFree = !isReleased.load(ordering: .acquiring)
            release.signal()
            await group.waitForAll()
            isDone.store(true, ordering: .releasing)
            return wasFree
        }
    }
}
