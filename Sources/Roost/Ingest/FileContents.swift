import Foundation
import RoostFiles

enum FileContents {
    /// The length of a file's beginning that is searched for a zero byte, which text files do not contain.
    /// Git uses the same test and length.
    static let binaryTestLength = 8192
    /// The maximum number of bytes that are reserved before anything has been read.
    private static let largestReservation = 256 << 20
    private static let blockSize = 1 << 20

    /// Returns the contents of a file or pipe, whatever its size.
    static func readToEnd(_ url: URL) throws(RoostError) -> Data {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY)
            return try withExtendedLifetime(file) {
                // `Data(contentsOf:)` refuses pipes, and reports a missing permission.
                try FileHandle(fileDescriptor: file.raw, closeOnDealloc: false).readToEnd() ?? Data()
            }
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            let number = (error as? FileError)?.errno ?? underlying.map { Int32(clamping: $0.code) } ?? EIO
            throw RoostError(.noInput, "cannot read \(url.path): \(cause(number))")
        }
    }

    /// Returns the contents of a regular file.
    ///
    /// A binary file that must not be read is detected before the rest of it is read.
    static func read(_ url: URL, maximumSize: Int, maximumBinarySize: (Data) -> Int?) throws -> Data {
        do {
            let file = try FileDescriptor(url.path, O_RDONLY | O_NONBLOCK)
            let status = try file.status()
            guard status.isRegularFile else {
                let reason = status.isFolder ? "it is a folder" : "it is not a regular file"
                throw RoostError(.badInput, "cannot read \(url.path): \(reason)")
            }
            try require(Int(status.st_size), upTo: maximumSize, of: url)
            var data = Data()
            data.reserveCapacity(min(Int(status.st_size), largestReservation))
            var (limit, mayBeBinary) = (maximumSize, false)
            while true {
                let isFirst = data.isEmpty
                let block = try file.read(at: data.count, count: isFirst ? binaryTestLength : blockSize)
                if block.isEmpty { return data }
                if isFirst, let binaryLimit = maximumBinarySize(Data(block)) {
                    (limit, mayBeBinary) = (min(maximumSize, binaryLimit), true)
                    try require(try file.size(), upTo: limit, of: url)
                }
                guard mayBeBinary || !isFirst || !block.contains(0) else { throw binaryFile(url) }
                data += block
                // The file may grow while it is read.
                try require(data.count, upTo: limit, of: url)
            }
        } catch let error as FileError {
            throw RoostError(.noInput, "cannot read \(url.path): \(cause(error.errno))")
        }
    }

    /// Returns up to `count` bytes from the beginning of a file. If it is a pipe, the call does not wait for a
    /// writer.
    static func beginning(of path: String, count: Int) throws -> Data {
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        return try file.read(at: 0, count: min(count, try file.size()))
    }

    /// Whether a file begins with the byte order mark of UTF-16, in which texts contain zero bytes.
    static func isUTF16(_ data: Data) -> Bool {
        data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
    }

    /// Returns the description of an error number in lowercase letters, such as `permission denied`.
    static func cause(_ number: Int32) -> String {
        number == EACCES ? "permission denied" : String(cString: strerror(number))
    }

    static func binaryFile(_ url: URL) -> RoostError {
        RoostError(.badInput, "cannot read \(url.path): it is a binary file")
    }

    private static func require(_ size: Int, upTo limit: Int, of url: URL) throws(RoostError) {
        guard size <= limit else {
            throw RoostError(.badInput, "cannot read \(url.path): it is larger than \(limit >> 20) MB")
        }
    }
}
