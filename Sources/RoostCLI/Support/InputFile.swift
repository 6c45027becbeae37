import Foundation
import Roost

enum InputFile {
    static func read(_ path: String) throws -> Data {
        guard path != "-" else { return try StandardInput.readToEnd() }
        guard let status = FileStatus(path) else { throw failure(path) }
        guard !status.isFolder else {
            throw RoostError(
                .badInput, "cannot read \(path): it is a folder; give a file, or use `roost ingest`")
        }
        guard !status.isDevice else {
            throw RoostError(.badInput, "cannot read \(path): it is a device; give - for standard input")
        }
        guard let file = FileHandle(forReadingAtPath: path) else { throw failure(path) }
        do {
            return try file.readToEnd() ?? Data()
        } catch {
            throw RoostError(.noInput, "cannot read \(path): I/O error")
        }
    }

    private static func failure(_ path: String) -> RoostError {
        RoostError(.noInput, "cannot read \(path): \(String(cString: strerror(errno)))")
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
    ///
    /// - Parameter file: The path of the file; `-` for standard input.
    static func read(_ file: String) throws -> [String] {
        let data = try InputFile.read(file)
        let name = file == "-" ? "standard input" : file
        guard !data.contains(0) else {
            return try data.split(separator: 0).map { try RecordReader.text($0, name: name) }
        }
        return try RecordReader.text(data, name: name).split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// Reads files that contain a passphrase or a key.
enum SecretFile {
    /// The maximum size in bytes. The limit prevents the command from reading a large file, or a device, that
    /// was named by mistake.
    static let maximumSize = 64 << 10

    /// Returns all bytes of a file, which may also be a pipe.
    static func read(_ path: String, kind: String) throws -> Data {
        func failure(_ cause: String, _ status: ExitStatus = .noInput) -> CommandError {
            CommandError(status, "cannot read a \(kind) from \(Terminal.line(path)): \(cause)")
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw failure(String(cString: strerror(errno)))
        }
        var data = Data()
        do {
            while data.count <= maximumSize, let part = try file.read(upToCount: maximumSize), !part.isEmpty {
                data += part
            }
        } catch {
            throw failure("I/O error")
        }
        guard data.count <= maximumSize else {
            throw failure("it is larger than \(maximumSize >> 10) KiB", .badData)
        }
        guard !data.isEmpty else { throw failure("it is empty", .badData) }
        return data
    }
}
