import Foundation
import Roost

enum InputFile {
    /// Reads a file, or a pipe to which a program writes; `-` is standard input.
    static func read(_ path: String) throws -> Data {
        path == "-" ? try StandardInput.readToEnd() : try contents(of: path, "cannot read \(path)")
    }

    /// The maximum size of a secret in bytes. The limit prevents the command from reading a large file that was named
    /// by mistake.
    private static let maximumSecretSize = 64 << 10

    /// Reads a file or pipe that contains a passphrase or a key.
    static func secret(_ path: String, kind: String) throws -> Data {
        let failure = "cannot read a \(kind) from \(Terminal.line(path))"
        let data = try contents(of: path, failure, limit: maximumSecretSize)
        guard !data.isEmpty else { throw CommandError(.badData, failure + ": it is empty") }
        return data
    }

    private static func contents(of path: String, _ failure: String, limit: Int = .max) throws -> Data {
        func error(_ cause: String, _ status: ExitStatus = .badData) -> CommandError {
            CommandError(status, "\(failure): \(cause)")
        }
        guard let status = FileStatus(path) else {
            throw error(String(cString: strerror(errno)), .noInput)
        }
        guard !status.isFolder else { throw error("it is a folder; give a file, or use `roost ingest`") }
        guard !status.isDevice else { throw error("it is a device; give - for standard input") }
        // Without this option, opening a pipe waits for a program that writes to it.
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw error(String(cString: strerror(errno)), .noInput) }
        defer { close(file) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= limit {
            try Task.checkCancellation()
            let count = Foundation.read(file, &buffer, buffer.count)
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                guard !status.isPipe || !data.isEmpty else { throw error("no program writes to the pipe") }
                return data
            } else if errno == EAGAIN {
                var input = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
                poll(&input, 1, 100)
            } else if errno != EINTR {
                throw error("I/O error", .noInput)
            }
        }
        throw error("it is larger than \(limit >> 10) KiB")
    }
}

enum StandardInput {
    /// Reads the next bytes. Ctrl-C ends the wait for them.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    static func read(into buffer: inout [UInt8]) throws -> Int {
        while true {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // Ctrl-C is handled by another thread, so a blocking read would not notice it.
            guard poll(&input, 1, 100) > 0 else { continue }
            let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw CommandError(
                    .inputOutput, "cannot read standard input: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Reads until the end of the stream.
    ///
    /// - Parameter limit: The maximum size in bytes; by default, the limit for ingested files.
    static func readToEnd(limit: Int? = nil) throws -> Data {
        let maximum = limit ?? RecordReader().maximumFileSize
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try read(into: &buffer)
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
            guard data.count <= maximum else {
                throw RoostError(
                    .badInput,
                    "cannot read standard input: it is larger than \(maximum >> 20) MB"
                        + (limit == nil ? "; write it to a file, and give the name of the file" : ""))
            }
        }
    }
}

enum PathList {
    /// Returns the paths in a file: separated by null characters if it contains one, as `find -print0` and
    /// `roost list -0` write them, or else one per line.
    static func read(_ file: String) throws -> [String] {
        let data = try InputFile.read(file)
        let name = file == "-" ? "standard input" : file
        guard !data.contains(0) else {
            return try data.split(separator: 0).map { try RecordReader.text($0, name: name) }
        }
        return try RecordReader.text(data, name: name).split(whereSeparator: \.isNewline).map(String.init)
    }
}
