public import Foundation
import Synchronization

/// The executables of the package, which tests run as separate processes.
public enum TestTool {
    /// Returns the location of an executable that was built together with the tests.
    public static func url(_ name: String) -> URL {
        let paths = CommandLine.arguments + [Bundle.main.executablePath ?? "", Bundle.main.bundlePath]
        let folders = paths.flatMap { path -> [URL] in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            return [folder, folder.deletingLastPathComponent()]
        }
        let candidates = folders.map { $0.appendingPathComponent(name) }
        guard let tool = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else { preconditionFailure("\(name) must be in the folder of the test executable") }
        return tool
    }

    private static let starting = Mutex(())

    /// A process that ended in another way than expected.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Runs an executable of the package until it ends.
    ///
    /// - Parameters:
    ///   - environment: Variables in addition to those of this process.
    ///   - isKilled: Whether the process must end by SIGKILL. Otherwise, it must exit with the status 0; a
    ///     process that is killed by a signal, for example because it trapped, has failed, too.
    /// - Throws: ``Failure`` if the process ends in another way.
    public static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], isKilled: Bool = false
    ) async throws {
        let process = Process()
        process.executableURL = url(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let error = Pipe()
        process.standardError = error
        let ended = AsyncStream<Bool> { continuation in
            process.terminationHandler = { process in
                let (reason, status) = (process.terminationReason, process.terminationStatus)
                let isExpected =
                    isKilled
                    ? reason == .uncaughtSignal && status == SIGKILL : reason == .exit && status == 0
                continuation.yield(isExpected)
                continuation.finish()
            }
        }
        try start(process)
        for await isExpected in ended where !isExpected {
            let text = String(decoding: try error.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw Failure(
                description: "\(name) \(arguments) ended with \(process.terminationStatus) "
                    + "(\(process.terminationReason)): \(text.suffix(600))")
        }
    }

    /// Starts a process. Foundation's `Process` must not be started on several threads at once.
    public static func start(_ process: Process) throws {
        try starting.withLock { _ in try process.run() }
    }
}

/// Writes an executable script for `/bin/sh`. Another process writes the file: a child that another test starts at the
/// same time would inherit our open file until it runs its program, and until then nothing can execute the script.
public func writeScript(_ body: String, to file: URL) throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
        "-c", "printf '%s\\n' '#!/bin/sh' \"$1\" >\"$0\" && chmod 700 \"$0\"", file.path, body,
    ]
    try TestTool.start(shell)
    shell.waitUntilExit()
    guard shell.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
}
