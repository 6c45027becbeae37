import Foundation
import RoostFiles

enum Output {
    /// Writes to a file, or to standard output if the path is `nil` or `-`.
    ///
    /// A regular file is replaced atomically and keeps its permissions; symbolic links are followed.
    ///
    /// - Throws: ``CommandError`` if the file cannot be written.
    static func write(_ path: String?, _ body: ((Data) throws -> Void) throws -> Void) throws {
        guard let path, path != "-" else { return try body { Terminal.write($0) } }
        let status = FileStatus(path)
        do {
            if let status, !status.isRegular {
                // A device or a pipe cannot be replaced, so the data is written to it directly.
                let file = try FileDescriptor(path, O_WRONLY)
                return try body { data in try data.withUnsafeBytes { try file.write($0) } }
            }
            let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
            try AtomicFile.write(to: target) { file in
                if let status { _ = fchmod(file.raw, status.permissions) }
                try body { data in try data.withUnsafeBytes { try file.write($0) } }
            }
        } catch let error as FileError {
            throw CommandError(.cannotCreate, error.description)
        }
    }
}
