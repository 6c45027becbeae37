import Foundation
import RoostFiles

/// A small file that each commit overwrites with numbers that describe the last commit.
///
/// The file reveals that the end of a log was lost for a reason other than a crash. It is not synchronized, so it
/// may be older than the log, and it is ignored if it is unreadable. It consists of fields, separated by spaces,
/// and their CRC-32C.
struct MarkFile {
    let path: String
    /// The size of the file in bytes. It is fixed, so that the file never needs to be truncated.
    let size: Int

    func read() -> [String]? {
        guard let file = try? FileDescriptor(path, O_RDONLY),
            let data = try? file.read(at: 0, count: size + 1), data.count == size
        else { return nil }
        let fields = String(decoding: data, as: UTF8.self)
            .split { $0 == " " || $0 == "\n" }.map(String.init)
        let text = fields.dropLast().joined(separator: " ")
        return fields.last == Self.checksum(text) ? fields.dropLast() : nil
    }

    /// Writes the fields. Errors are ignored, because the commit has already succeeded.
    func write(_ fields: [String], files: FileSystem = .standard) {
        let text = fields.joined(separator: " ")
        let line = "\(text) \(Self.checksum(text))"
        let padded = line + String(repeating: " ", count: max(0, size - 1 - line.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(path, O_WRONLY | O_CREAT, files: files) else { return }
        try? Array(padded.utf8).withUnsafeBytes { try file.write($0) }
    }

    private static func checksum(_ text: String) -> String {
        Hexadecimal.text(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }, count: 8)
    }
}
