import Foundation
import Roost

/// Finds the line numbers of entries that came from rows of files. An entry stores only the key of its row,
/// so the file is read again.
final class SourceLines {
    /// The maximum size of files that are read to show line numbers: 16 MiB, which takes a fraction of a
    /// second.
    private static let maximumFileSize = 16 << 20
    private var lines: [String: [Entry.ID: Int]] = [:]

    /// Returns the line number, from 1, of a byte of an entry's content; `nil` if it is unknown.
    func line(of byte: Int, in entry: Entry) -> Int? {
        let own = entry.line(ofByte: byte)
        guard entry.key != EntryID.wholeFileKey else { return own }
        guard let path = entry.path, let first = rows(path)[entry.id] else { return nil }
        // A row of JSON Lines is one line, even if its text contains line breaks.
        let isLine = ["jsonl", "ndjson"].contains((path as NSString).pathExtension.lowercased())
        return isLine ? first : first + own - 1
    }

    private func rows(_ path: String) -> [Entry.ID: Int] {
        if let known = lines[path] { return known }
        let url = URL(fileURLWithPath: path)
        var found: [Entry.ID: Int] = [:]
        let size = (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? .max
        if size <= Self.maximumFileSize, let draft = try? RecordReader().read(url) {
            var occurrences: [ContentDigest: Int] = [:]
            for row in draft.entries {
                let digest = ContentDigest(of: row.content)
                let key = row.key ?? EntryID.contentKey(digest, occurrence: occurrences[digest, default: 0])
                if row.key == nil { occurrences[digest, default: 0] += 1 }
                found[EntryID.derived(source: draft.id, key: key)] = row.line
            }
        }
        lines[path] = found
        return found
    }
}
