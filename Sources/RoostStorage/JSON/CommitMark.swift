import Foundation
import RoostFiles

/// The length of the journal after the last commit, stored in a small file that each commit overwrites.
///
/// The mark reveals whether the journal has lost its end for a reason other than a crash. The mark file is
/// not synchronized, so it may be older than the journal. It is ignored if it is unreadable.
struct CommitMark {
    var generation: Int
    /// The length of the journal in bytes.
    var length: Int

    /// The fixed size of the file in bytes, which makes it possible to overwrite the file without truncating
    /// it.
    private static let size = 64

    init(generation: Int, length: Int) {
        self.generation = generation
        self.length = length
    }

    /// Reads the mark of a store. Returns `nil` if the mark is missing or unreadable.
    init?(in folder: StoreFolder) {
        guard let data = try? StoreFolder.contents(of: folder.mark), data.count >= Self.size else {
            return nil
        }
        let fields = String(decoding: data.prefix(Self.size), as: UTF8.self)
            .split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let generation = Int(fields[0]), let length = Int(fields[1]),
            fields[2].prefix(8) == Self.checksum(generation, length)
        else { return nil }
        self.init(generation: generation, length: length)
    }

    /// Writes the mark. Errors are ignored, because the commit has already succeeded.
    func write(to folder: StoreFolder, _ files: FileSystem) {
        let text = "\(generation) \(length) \(Self.checksum(generation, length))"
        let line = text + String(repeating: " ", count: max(0, Self.size - 1 - text.utf8.count)) + "\n"
        guard let file = try? FileDescriptor(folder.mark.path, O_WRONLY | O_CREAT, files: files) else {
            return
        }
        try? Array(line.utf8).withUnsafeBytes { try file.write($0) }
    }

    private static func checksum(_ generation: Int, _ length: Int) -> String {
        let sum = Array("\(generation) \(length)".utf8).withUnsafeBytes { CRC32C.checksum($0) }
        return Hexadecimal.text(sum, count: 8)
    }
}
