import Foundation
import Roost

/// What is piped or typed in.
enum StandardInput {
    /// All of it, up to the end of the stream.
    ///
    /// - Throws: `CancellationError` where Ctrl-C is pressed; ``RoostError`` where it is larger
    ///   than a file may be.
    static func readToEnd(limit: Int = RecordReader().maximumFileSize) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // A signal's handler runs on another thread, so that a read would not notice it.
            guard poll(&input, 1, 100) != 0 else { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw CommandError(
                    .inputOutput, "cannot read standard input: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= limit else {
                throw RoostError(.badInput, "standard input is larger than \(limit >> 20) MB")
            }
        }
    }
}

/// A file that was named on the command line.
enum InputFile {
    /// All of it; `-` is standard input.
    ///
    /// - Throws: ``RoostError`` with `.noInput` and what the system says, or `.badInput` for a folder.
    static func read(_ path: String) throws -> Data {
        guard path != "-" else { return try StandardInput.readToEnd() }
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure(path) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw RoostError(.badInput, "\(path) is a folder; name a file")
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw failure(path) }
        do {
            return try file.readToEnd() ?? Data()
        } catch {
            throw RoostError(.noInput, "\(path) cannot be read: an I/O error")
        }
    }

    private static func failure(_ path: String) -> RoostError {
        RoostError(.noInput, "\(path): \(String(cString: strerror(errno)))")
    }
}
