import Foundation
import Roost

/// Where rows stand in their files, for people: a row's entry knows its name, and its file is asked for the
/// line.
final class SourceLines {
    /// Files larger than this are not read to show a line.
    private static let largest = 16 << 20
    private var lines: [String: [Entry.ID: Int]] = [:]

    /// The line, from 1, that a byte of an entry's content is on; `nil` where it is not known.
    func line(of byte: Int, in entry: Entry) -> Int? {
        let own = entry.line(ofByte: byte)
        guard entry.key != EntryID.wholeFileKey else { return own }
        guard let path = entry.path, let first = rows(path)[entry.id] else { return nil }
        // A row of JSON Lines is one line, whatever line ends its text has.
        let isLine = ["jsonl", "ndjson"].contains((path as NSString).pathExtension.lowercased())
        return isLine ? first : first + own - 1
    }

    private func rows(_ path: String) -> [Entry.ID: Int] {
        if let known = lines[path] { return known }
        let url = URL(fileURLWithPath: path)
        var found: [Entry.ID: Int] = [:]
        let size = (try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? .max
        if size <= Self.largest, let draft = try? RecordReader().read(url) {
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
