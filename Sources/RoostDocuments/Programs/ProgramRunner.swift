import Foundation
import RoostFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a separate program with limits of time, memory and output.
///
/// The program is started directly, without a shell, in its own process group, with an empty standard input
/// and a minimal environment. It inherits no other files; without glibc 2.34 this depends on `O_CLOEXEC`,
/// which this package sets on all files that it opens. `prlimit` (util-linux) sets the limits of memory,
/// processor time and file size before it executes the program. On systems without `prlimit`, such as macOS,
/// only the limits of elapsed time and of output are enforced.
struct ProgramRunner {
    let folder: PrivateFolder
    let limits: DocumentLimits
    /// The folders in which the program finds other programs, separated by colons.
    var searchPath = "/usr/bin:/bin"
    /// The number of bytes of the standard error output that are kept.
    var maximumMessage = 2000
    /// Returns whether the caller was canceled. The program is then killed.
    let isCancelled: () -> Bool

    struct Result {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        var status: Int32
        var output: Data
        /// The first bytes of the standard error output.
        var message: String
    }

    /// The absolute folders of `PATH`, and the usual folders.
    static var searchPath: String {
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let usual = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/bin"]
        let folders = variable.components(separatedBy: ":").filter { $0.hasPrefix("/") }
        return (folders + usual).joined(separator: ":")
    }

    /// Returns the absolute path of a program, which can be given as such, or is in ``searchPath``.
    static func path(of program: String) -> String? {
        if program.hasPrefix("/") { return access(program, X_OK) == 0 ? program : nil }
        guard !program.contains("/") else { return nil }
        let folders = searchPath.components(separatedBy: ":")
        return folders.lazy.map { $0 + "/" + program }.first { access($0, X_OK) == 0 }
    }

    func run(
        _ program: String, _ arguments: [String], deadline: ContinuousClock.Instant, maximumOutput: Int
    ) throws -> Result {
        let name = UUID().uuidString
        let (output, errors) = (folder.path + "/\(name).out", folder.path + "/\(name).err")
        defer {
            unlink(output)
            unlink(errors)
        }
        let command = limited([program] + arguments, maximumOutput: maximumOutput)
        let environment = [
            "PATH": searchPath, "LC_ALL": "C.UTF-8", "HOME": folder.path, "TZ": "UTC",
        ]
        let process = try DocumentError.mappingFileErrors {
            try ChildProcess.start(command, environment: environment) { actions in
                let creation = O_WRONLY | O_CREAT | O_EXCL
                posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_addopen(actions, 1, output, creation, 0o600)
                posix_spawn_file_actions_addopen(actions, 2, errors, creation, 0o600)
            }
        }
        let status = try wait(
            for: process, program: (program as NSString).lastPathComponent, output: output,
            deadline: deadline, maximumOutput: maximumOutput)
        // An absent or unreadable file has the same meaning as no output.
        let data = (try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data()
        let text = try? FileHandle(forReadingFrom: URL(fileURLWithPath: errors))
            .read(upToCount: maximumMessage)
        return Result(status: status, output: data, message: String(decoding: text ?? Data(), as: UTF8.self))
    }

    private func limited(_ command: [String], maximumOutput: Int) -> [String] {
        guard let prlimit = Self.path(of: "prlimit") else { return command }
        let seconds = max(1, Int(limits.maximumTime.components.seconds))
        return [
            prlimit, "--as=\(limits.maximumProgramMemory)", "--cpu=\(seconds)", "--core=0",
            "--fsize=\(maximumOutput + 1)", "--nofile=64", "--",
        ] + command
    }

    /// Waits until a process ends, and kills its group if it exceeds a limit or the caller is canceled.
    private func wait(
        for process: pid_t, program: String, output: String, deadline: ContinuousClock.Instant,
        maximumOutput: Int
    ) throws -> Int32 {
        var pause: UInt32 = 500
        while true {
            var status: Int32 = 0
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || (ended < 0 && errno != EINTR) {
                // Descendants of the process that still run would keep the files open.
                kill(-process, SIGKILL)
                let code = ChildProcess.exitStatus(status)
                if code == 128 + SIGXFSZ { throw Self.outputFailure(program, maximumOutput) }
                if code == 128 + SIGXCPU { throw timeFailure(program) }
                // A program can ignore the signal, and a short one can end between two checks. A cut output
                // must not take the place of a whole text.
                if Self.exceeds(output, maximumOutput) { throw Self.outputFailure(program, maximumOutput) }
                return code
            }
            var failure: (any Error)?
            if isCancelled() { failure = CancellationError() }
            if ContinuousClock.now >= deadline {
                failure = timeFailure(program)
            }
            if Self.exceeds(output, maximumOutput) { failure = Self.outputFailure(program, maximumOutput) }
            if let failure {
                kill(-process, SIGKILL)
                kill(process, SIGKILL)
                waitpid(process, &status, 0)
                throw failure
            }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
    }

    private static func exceeds(_ file: String, _ maximum: Int) -> Bool {
        var information = stat()
        return stat(file, &information) == 0 && information.st_size > maximum
    }

    private static func outputFailure(_ program: String, _ maximum: Int) -> DocumentError {
        .limitExceeded("\(program) wrote more than \(maximum) bytes of text")
    }

    private func timeFailure(_ program: String) -> DocumentError {
        .programLimitExceeded("\(program) needed more than \(limits.maximumTime.components.seconds) seconds")
    }
}

/// A temporary folder that only the current user can open (mode 0700). It is removed with its files when the
/// value is released; if the process is killed before, the next one that creates such a folder removes it.
final class PrivateFolder {
    private let folder: LockedTemporaryFolder
    var path: String { folder.url.path }

    init() throws {
        folder = try DocumentError.mappingFileErrors(advice: "; set TMPDIR to a writable folder") {
            try LockedTemporaryFolder(prefix: "roost-document-")
        }
    }

    deinit { folder.remove() }

    func write(_ data: Data, to name: String) throws -> String {
        let file = path + "/" + name
        do {
            try data.write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        } catch {
            throw DocumentError.missingProgram(
                "the temporary file \(file) cannot be written: \(error.localizedDescription); "
                    + "free some space or set TMPDIR to another folder")
        }
        return file
    }
}

extension DocumentError {
    /// Calls a closure, and throws a fault of a program in place of one of a file.
    static func mappingFileErrors<Value>(advice: String = "", _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as FileError {
            throw DocumentError.missingProgram("\(error)\(advice)")
        }
    }
}
