import CRoostKernels
import Foundation

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
    /// The folder for the output of the program.
    let folder: PrivateFolder
    /// The limits of the resources.
    let limits: DocumentLimits
    /// The folders in which the program finds other programs, separated by colons.
    var searchPath = "/usr/bin:/bin"
    /// Returns whether the caller was canceled. The program is then killed.
    let isCancelled: () -> Bool

    /// The result of a program that ended by itself.
    struct Result {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        var status: Int32
        /// The standard output.
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

    /// Runs a program and waits for its end.
    ///
    /// - Parameters:
    ///   - program: The absolute path of the program.
    ///   - arguments: The arguments, without the name of the program.
    ///   - deadline: The time at which the program is killed.
    ///   - maximumOutput: The maximum size of the standard output in bytes.
    /// - Throws: ``DocumentError`` if the program cannot be started or exceeds a limit; `CancellationError`.
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
        let process = try start(command, output: output, errors: errors)
        let status = try wait(
            for: process, program: (program as NSString).lastPathComponent, output: output,
            deadline: deadline, maximumOutput: maximumOutput)
        // An absent or unreadable file has the same meaning as no output.
        let data = (try? Data(contentsOf: URL(fileURLWithPath: output))) ?? Data()
        let text = (try? Data(contentsOf: URL(fileURLWithPath: errors)))?.prefix(2000) ?? Data()
        return Result(status: status, output: data, message: String(decoding: text, as: UTF8.self))
    }

    /// Returns the command that sets the limits and executes another command.
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
                let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
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

    /// Returns whether a file is larger than a number of bytes.
    private static func exceeds(_ file: String, _ maximum: Int) -> Bool {
        var information = stat()
        return stat(file, &information) == 0 && information.st_size > maximum
    }

    private static func outputFailure(_ program: String, _ maximum: Int) -> DocumentError {
        .limitExceeded("\(program) extracted more than \(maximum) bytes of text")
    }

    private func timeFailure(_ program: String) -> DocumentError {
        .programLimitExceeded("\(program) needed more than \(limits.maximumTime.components.seconds) seconds")
    }

    /// Starts a process in its own process group.
    private func start(_ command: [String], output: String, errors: String) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        let creation = O_WRONLY | O_CREAT | O_EXCL
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, creation, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, creation, 0o600)
        // Libraries may have opened files and sockets without `O_CLOEXEC`.
        _ = roost_close_inherited(&actions, 3)
        var flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGTERM, SIGINT, SIGXFSZ, SIGXCPU] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let environment = ["PATH=\(searchPath)", "LC_ALL=C.UTF-8", "HOME=\(folder.path)", "TZ=UTC"]
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for string in arguments + variables { free(string) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else {
            throw DocumentError.missingProgram(
                "\(command[0]) cannot be started: \(String(cString: strerror(code)))")
        }
        return process
    }
}

/// A temporary folder that only the current user can open (mode 0700). It is removed with its files when the
/// value is released.
final class PrivateFolder {
    /// The absolute path of the folder.
    let path: String

    /// Creates a folder with a random name.
    ///
    /// - Throws: ``DocumentError/missingProgram(_:)`` if the folder for temporary files is not writable.
    init() throws {
        var template = Array((NSTemporaryDirectory() + "/roost-document-XXXXXX").utf8CString)
        guard let created = mkdtemp(&template) else {
            throw DocumentError.missingProgram(
                "no temporary folder can be created in \(NSTemporaryDirectory()): "
                    + "\(String(cString: strerror(errno))); set TMPDIR to a writable folder")
        }
        path = String(cString: created)
    }

    deinit {
        // The folder contains only files that this type created; a failure leaves a file in the folder for
        // temporary files, which the system removes.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
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
