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

/// Runs shell commands in which a folder is mounted read-only, as on a write-protected medium.
///
/// The mount exists only in a separate mount namespace, which requires Linux and the rights of the
/// administrator. The permissions of files would not be sufficient, because they do not apply to the
/// administrator, with whose rights tests often run in containers.
public enum ReadOnlyMount {
    /// Whether this system allows such mounts.
    public static let isAvailable: Bool = {
        let folder = FileManager.default.temporaryDirectory.path
        return (try? run("exit 0", readOnly: folder, in: folder).status) == 0
    }()

    /// The message for skipped tests.
    public static let requirement: String = "mounting a folder read-only requires Linux and root"

    /// Runs a shell script while a folder is mounted read-only.
    ///
    /// - Parameters:
    ///   - script: The script for `/bin/sh`. `$1` and the following parameters are `arguments`.
    ///   - folder: The path of the folder.
    ///   - home: The home folder and current folder of the script.
    public static func run(
        _ script: String, _ arguments: String..., readOnly folder: String, in home: String
    ) throws -> CommandLineDriver.Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" || exit 99\n"
        process.arguments = ["unshare", "--mount", "/bin/sh", "-c", mount + script, folder] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: home)
        process.environment = ["HOME": home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        process.standardInput = FileHandle.nullDevice
        try TestTool.start(process)
        return try CommandLineDriver.Running(
            process: process, input: .nullDevice, output: output.fileHandleForReading,
            error: error.fileHandleForReading
        ).outcome()
    }
}
