import Foundation
import RoostFiles

/// How far the last commit went: a small file that is overwritten after each commit, so that a journal that
/// lost its end to something else than a crash is noticed. It is not synchronised: it may lag behind, and
/// is ignored where it cannot be read.
struct CommitMark {
    var generation: Int
    /// The journal's length.
    var length: Int

    private static let size = 64

    static func url(_ directory: URL) -> URL { directory.appendingPathComponent("committed") }

    static func read(_ directory: URL) -> CommitMark? {
        guard let data = try? LocalFiles.contents(of: url(directory)), data.count >= size else { return nil }
        let fields = String(decoding: data.prefix(size), as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let generation = Int(fields[0]), let length = Int(fields[1]),
            fields[2].prefix(8) == checksum(generation, length)
        else { return nil }
        return CommitMark(generation: generation, length: length)
    }

    /// Best effort: a commit has succeeded before its mark is written.
    func write(_ directory: URL, _ files: FileSystem) {
        let text = "\(generation) \(length) \(Self.checksum(generation, length))"
        let line = text + String(repeating: " ", count: max(0, Self.size - 1 - text.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(Self.url(directory).path, O_WRONLY | O_CREAT, files: files)
        else {
            return
        }
        try? Array(line.utf8).withUnsafeBytes { try file.write($0) }
    }

    private static func checksum(_ generation: Int, _ length: Int) -> String {
        let sum = Array("\(generation) \(length)".utf8).withUnsafeBytes { CRC32C.checksum($0) }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
