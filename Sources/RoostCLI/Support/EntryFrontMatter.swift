import Foundation
import Roost

/// The front matter of the Markdown file of an entry.
struct EntryFrontMatter {
    /// A key of the front matter, and its value as JSON, which YAML contains.
    private struct Member {
        var key: String
        var value: String
    }

    /// The keys of the properties of an entry.
    private static let ownKeys: Set = ["id", "source", "created", "updated", "tags"]

    private let entry: Entry

    /// Creates the front matter of an entry.
    init(of entry: Entry) { self.entry = entry }

    /// The content of the entry with its properties and metadata as YAML front matter.
    ///
    /// If the content begins with front matter, the lines are added to it: of two blocks, the second one
    /// would be a part of the text, and YAML does not permit a key twice. The lines of tags and values that
    /// were changed later are replaced, so that an ingest of the file reads the same ones. If Roost has not
    /// read the lines or cannot tell where a value ends, nothing is replaced, and the tags and values are
    /// written as `roost-KEY`. So are the `id` and `source` of the entry if the text has others. Tags in the
    /// text that were removed from the entry stay in the text.
    var text: String {
        let content = entry.content + (entry.content.utf8.last == UInt8(ascii: "\n") ? "" : "\n")
        guard let block = FrontMatterBlock(content) else {
            return "---\n" + lines(besides: []).joined(separator: "\n") + "\n---\n\n" + content
        }
        let read = MarkdownProperties(of: content)
        let changed = changedKeys(of: block, read)
        var replaced = canReplace(block, read) ? changed : []
        let kept = block.keys.subtracting(replaced)
        var added = lines(besides: kept)
        if replaced.isEmpty { added += separateLines(of: changed) }
        for (key, value) in [("id", entry.id.text), ("source", entry.source)] where kept.contains(key) {
            guard let value, read.metadata[key]?.text != value else { continue }
            added.append("roost-\(key): \(Self.json(value))")
            // An earlier export may have written the key.
            if block.isReplaceable { replaced.insert("roost-\(key)") }
        }
        let start = content[..<block.start] + added.map { $0 + block.lineBreak }.joined()
        return start + block.text(without: replaced) + content[block.end...]
    }

    /// Whether an ingest has read the tags and values of the text.
    private var wasRead: Bool { entry.textFormat == .markdown && entry.source?.contains("://") == true }

    private func canReplace(_ block: FrontMatterBlock, _ read: MarkdownProperties) -> Bool {
        wasRead && block.isReplaceable && read.metadata[DocumentKey.unreadParts] == nil
    }

    /// Returns lines with other names for the tags and values that differ from those of the text.
    private func separateLines(of changed: Set<String>) -> [String] {
        let hasTags = changed.contains { MarkdownProperties.isTagKey($0) }
        let tags = properties.filter { hasTags && $0.key == "tags" }.map { "roost-tags: \($0.value)" }
        return tags
            + changed.sorted().compactMap { key in
                guard !MarkdownProperties.isTagKey(key), let value = entry.metadata[key] else { return nil }
                return "\(Self.json("roost-" + key)): \(Self.json(value))"
            }
    }

    /// Returns the keys of front matter whose values are not those of the entry.
    ///
    /// - Parameter read: The properties that an ingest of the content reads.
    private func changedKeys(of block: FrontMatterBlock, _ read: MarkdownProperties) -> Set<String> {
        var changed = block.keys.filter { key in
            // An ingest derives these from the text, whatever values the front matter has.
            guard !Self.ownKeys.contains(key), ![DocumentKey.links, DocumentKey.unreadParts].contains(key)
            else { return false }
            // A value that was never read is not known to have been removed.
            guard let value = entry.metadata[key] else { return wasRead && read.metadata[key] != nil }
            return read.metadata[key] != value
        }
        if wasRead || !entry.tags.isEmpty,
            Set(read.tags.map { TagName($0) }) != Set(entry.tags.map { TagName($0) })
        {
            changed.formUnion(block.keys.filter { MarkdownProperties.isTagKey($0) })
        }
        return changed
    }

    /// Returns the lines of the properties and the metadata.
    ///
    /// - Parameter known: The keys of existing front matter, to which the lines are added.
    private func lines(besides known: Set<String>) -> [String] {
        let hasTags = known.contains { MarkdownProperties.isTagKey($0) }
        var lines = properties.filter { !known.contains($0.key) && !($0.key == "tags" && hasTags) }
            .map { "\($0.key): \($0.value)" }
        var used = known
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
            let name = Self.ownKeys.contains(key) ? originalName(of: key, used) : key
            used.insert(name)
            lines.append("\(Self.json(name)): \(Self.json(value))")
        }
        return lines
    }

    private var properties: [Member] {
        var members = [Member(key: "id", value: Self.json(entry.id.text))]
        if let source = entry.source { members.append(Member(key: "source", value: Self.json(source))) }
        members.append(Member(key: "created", value: Self.json(DateText.string(from: entry.createdAt))))
        members.append(Member(key: "updated", value: Self.json(DateText.string(from: entry.updatedAt))))
        if !entry.tags.isEmpty {
            let tags = entry.tags.map { Self.json($0) }.joined(separator: ", ")
            members.append(Member(key: "tags", value: "[\(tags)]"))
        }
        return members
    }

    /// Returns the name under which the value of a metadata key is written whose name is one of ``ownKeys``.
    ///
    /// - Parameter used: Further names that other values have.
    private func originalName(of key: String, _ used: Set<String>) -> String {
        var name = "original-\(key)"
        while used.contains(name) || entry.metadata[name] != nil { name = "original-\(name)" }
        return name
    }

    private static func json(_ value: some Encodable) -> String {
        let data = (try? Terminal.lineEncoder.encode([value]).escapingControlsInJSON()) ?? Data("[]".utf8)
        return String(String(decoding: data, as: UTF8.self).dropFirst().dropLast())
    }
}
