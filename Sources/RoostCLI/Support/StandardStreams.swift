import Foundation

enum StandardStreams {
    /// Opens the streams that the parent process closed. Otherwise, the next file or queue of events that is
    /// opened would have the number of a stream, and would receive the output.
    ///
    /// Standard input cannot be read and standard output not be written, so that commands report an error;
    /// messages are lost.
    static func openMissing() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        for (stream, mode) in modes where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is that of the stream.
            _ = open("/dev/null", mode)
        }
    }
}
