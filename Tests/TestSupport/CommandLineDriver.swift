import Dispatch
public import Foundation
public import Testing

/// Runs the `roost` command as a separate process, in an empty home folder without installed models.
///
/// The trait `.temporaryFolders` removes the home folder when the test case ends.
public struct CommandLineDriver: Sendable {
    /// The result of a command.
    public struct Outcome: Sendable {
        /// The exit status.
        public var status: Int32
        /// The text on standard output.
        public var output: String
        /// The text on standard error.
        public var error: String
    }

    /// A command that is running.
    public struct Running {
        public let process: Process
        public let input: FileHandle
        public let output: FileHandle
        public let error: FileHandle

        /// Reads the output until the command ends.
        public func outcome() throws -> Outcome {
            // Both pipes are read at the same time, because the command waits while one of them is full.
            let ended = DispatchSemaphore(value: 0)
            nonisolated(unsafe) var err = Data()
            Thread.detachNewThread { [error] in
                err = (try? error.readToEnd()) ?? Data()
                ended.signal()
            }
            let out = try output.readToEnd() ?? Data()
            ended.wait()
            process.waitUntilExit()
            return Outcome(
                status: process.terminationStatus, output: String(decoding: out, as: UTF8.self),
                error: String(decoding: err, as: UTF8.self))
        }
    }

    /// The executable.
    public static let binary = TestTool.url("roost")

    /// The home folder and current folder of the commands. The first command creates it.
    public let home = TemporaryFolder.unusedURL()

    /// Creates a driver.
    ///
    /// - Precondition: The test or its suite has the trait `.temporaryFolders`.
    public init() {}

    /// Writes a file below the home folder.
    public func write(_ text: String, to path: String) throws {
        let url = home.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Runs a command until it ends.
    public func roost(_ arguments: String..., input: String = "") throws -> Outcome {
        try roost(arguments, input: input)
    }

    /// Runs a command until it ends.
    public func roost(_ arguments: [String], input: String = "") throws -> Outcome {
        let running = try start(arguments)
        try running.input.write(contentsOf: Data(input.utf8))
        try running.input.close()
        return try running.outcome()
    }

    /// Runs a command, and expects its exit status and a text among its messages.
    public func expect(
        _ status: Int32, _ message: String, _ arguments: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(status, message, arguments, sourceLocation: sourceLocation)
    }

    /// Runs a command, and expects its exit status and a text among its messages.
    public func expect(
        _ status: Int32, _ message: String, _ arguments: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try roost(arguments)
        let comment: Comment = "\(arguments): \(outcome)"
        #expect(outcome.status == status, comment, sourceLocation: sourceLocation)
        #expect(outcome.error.contains(message), comment, sourceLocation: sourceLocation)
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - environment: Variables in addition to `HOME` and `PATH`.
    ///   - launcher: The command and the first arguments of a program that runs the command; empty to run it
    ///     directly.
    public func start(
        _ arguments: [String], environment: [String: String] = [:], launcher: [String] = []
    ) throws -> Running {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = launcher.isEmpty ? Self.binary : URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = (launcher.isEmpty ? [] : launcher + [Self.binary.path]) + arguments
        process.currentDirectoryURL = home
        process.environment = ["HOME": home.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        let (output, error, input) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        process.standardInput = input
        try TestTool.start(process)
        return Running(
            process: process, input: input.fileHandleForWriting, output: output.fileHandleForReading,
            error: error.fileHandleForReading)
    }
}
