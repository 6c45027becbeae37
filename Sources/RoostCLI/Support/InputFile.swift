import Foundation
import Roost

/// Reads files that are named on the command line.
enum InputFile {
    /// Reads a file; `-` stands for standard input.
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
