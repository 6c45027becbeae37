import Foundation
import Roost

enum StandardInput {
    /// Reads until the end of the stream.
    ///
    /// - Parameter limit: The maximum size in bytes; by default, the limit for ingested files.
    static func readToEnd(limit: Int? = nil) throws -> Data {
        let maximum = limit ?? RecordReader().maximumFileSize
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            // The signal handler runs on another thread, so a blocking read would not notice Ctrl-C.
            guard poll(&input, 1, 100) != 0 else { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw CommandError(
                    .inputOutput, "cannot read standard input: \(String(cString: strerror(errno)))")
            }
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
