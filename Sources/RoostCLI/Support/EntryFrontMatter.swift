import Foundation
import Roost

/// The front matter of the Markdown file of an entry.
struct EntryFrontMatter {
    /// The keys of the properties of an entry.
    private static let ownKeys: Set = ["id", "source", "created", "updated", "tags"]

    private let entry: Entry

    init(of entry: Entry) { self.entry = entry }

    /// The content of the entry with its properties and metadata as YAML front matter.
    ///
    /// They contain the values of front matter that an ingest has read, so it is replaced. Text that no
    /// ingest has read is unchanged.
    var text: String {
        var content = entry.content[...]
        if entry.textFormat == .markdown, entry.source?.contains("://") == true {
            let hidden = TextTreatment(of: entry).structure.hiddenParts
            if let block = hidden.first(where: { $0.kind == .frontMatter }), block.range.lowerBound == 0 {
                content = Substring(content.utf8.dropFirst(block.range.upperBound)).drop { $0.isNewline }
            }
        }
        let end = content.utf8.last == UInt8(ascii: "\n") ? "" : "\n"
        return "---\n" + lines.joined(separator: "\n") + "\n---\n\n" + content + end
    }

    /// The lines of the properties and the metadata. The values are JSON, which YAML contains.
    private var lines: [String] {
        var lines = ["id: \(Self.json(entry.id.text))"]
        if let source = entry.source { lines.append("source: \(Self.json(source))") }
        lines.append("created: \(Self.json(DateText.string(from: entry.createdAt)))")
        lines.append("updated: \(Self.json(DateText.string(from: entry.updatedAt)))")
        if !entry.tags.isEmpty {
            lines.append("tags: [\(entry.tags.map { Self.json($0) }.joined(separator: ", "))]")
        }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key }) {
            let name = Self.ownKeys.contains(key) ? "original-" + key : key
            lines.append("\(Self.json(name)): \(Self.json(value))")
        }
        return lines
    }

    private static func json(_ value: some Encodable) -> String {
        let data = (try? Terminal.lineEncoder.encode([value]).escapingControlsInJSON()) ?? Data("[]".utf8)
        return String(String(decoding: data, as: UTF8.self).dropFirst().dropLast())
    }
}
