import CRoostKernels
package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    package import Musl
#endif

/// Programs that run in a separate process, and are started directly, without a shell. They get the usual handling of
/// signals.
package enum ChildProcess {
    #if canImport(Darwin)
        package typealias FileActions = posix_spawn_file_actions_t?
    #else
        package typealias FileActions = posix_spawn_file_actions_t
    #endif

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The absolute path of the program, and its arguments.
    ///   - environment: The variables of its environment.
    ///   - files: Adds the actions that open the files 0, 1 and 2 of a program in a process group of its own, which
    ///     inherits no other files. `nil` for a program that reads the keyboard, such as an editor: it inherits the files
    ///     and stays in this process group, because others cannot read from the terminal.
    /// - Throws: ``FileError``.
    package static func start(
        _ command: [String], environment: [String: String],
        files: ((UnsafeMutablePointer<FileActions>) -> Void)? = nil
    ) throws -> pid_t {
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
        // The threads of libdispatch block signals, such as those for a new size of the terminal.
        var flags = POSIX_SPAWN_SETSIGMASK
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        if let files {
            files(&actions)
            // Libraries may have opened files and sockets without `O_CLOEXEC`.
            _ = roost_close_inherited(&actions, 3)
            for signal in [SIGPIPE, SIGTERM, SIGINT, SIGXFSZ, SIGXCPU] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
            #if canImport(Darwin)
                flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
            #endif
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in arguments + variables { free(string) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw FileError(operation: "start", path: command[0], errno: code) }
        return process
    }

    /// Waits until a process ends.
    ///
    /// - Returns: Its exit status; 128 and the number of the signal if a signal ended it.
    package static func wait(for process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return exitStatus(status)
    }

    /// Returns the exit status that a status of `waitpid` contains.
    package static func exitStatus(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
