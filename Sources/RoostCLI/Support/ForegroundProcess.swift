import Foundation

/// Starts programs that read the keyboard, such as editors. Foundation's `Process` starts programs
/// in a separate process group, which cannot read from the terminal.
enum ForegroundProcess {
    /// Starts a program in this process group.
    ///
    /// - Parameters:
    ///   - arguments: The path of the program and its arguments.
    ///   - environment: All environment variables.
    /// - Returns: The id of the process; `nil` if it cannot be started.
    static func start(_ arguments: [String], _ environment: [String: String]) -> pid_t? {
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
        var signals = sigset_t()
        // The threads of libdispatch block signals, such as those for a new size of the terminal.
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in pointers + variables { free(text) } }
        var id: pid_t = 0
        return posix_spawn(&id, arguments[0], &actions, &attributes, &pointers, &variables) == 0 ? id : nil
    }

    /// Waits until a process ends, and returns its exit status; 128 and the signal if a signal ended it.
    static func status(of id: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}
