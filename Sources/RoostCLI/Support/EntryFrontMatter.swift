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
    /// If the content begins with front matter, its lines are kept, and the keys in it are not added: of two
    /// blocks, the second one would be a part of the text, and YAML does not permit a key twice. A value that
    /// the lines do not contain, such as a tag that was added later, is written as `roost-KEY`.
    var text: String {
        let content = entry.content + (entry.content.utf8.last == UInt8(ascii: "\n") ? "" : "\n")
        guard let block = FrontMatterBlock(content) else {
            return "---\n" + lines(besides: nil).joined(separator: "\n") + "\n---\n\n" + content
        }
        let added = lines(besides: block).map { $0 + block.lineBreak }.joined()
        return content[..<block.start] + added + content[block.start...]
    }

    /// Returns the lines of the properties and the metadata.
    ///
    /// - Parameter block: Existing front matter, to which the lines are added.
    private func lines(besides block: FrontMatterBlock?) -> [String] {
        let known = block?.keys ?? []
        var lines = properties.filter { !known.contains($0.key) }.map { "\($0.key): \($0.value)" }
        var used = known
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key }) where !known.contains(key) {
            let name = Self.ownKeys.contains(key) ? originalName(of: key, used) : key
            used.insert(name)
            lines.append("\(Self.json(name)): \(Self.json(value))")
        }
        guard let block else { return lines }
        // The dates of an entry are those of its front matter.
        let dates: Set = ["created", "updated"]
        for member in properties where known.contains(member.key) && !dates.contains(member.key) {
            let texts = member.key == "tags" ? entry.tags : [member.value]
            if !texts.allSatisfy(block.body.contains) { lines.append("roost-\(member.key): \(member.value)") }
        }
        for (key, value) in entry.metadata.sorted(by: { $0.key < $1.key })
        where known.contains(key) && !Self.ownKeys.contains(key) {
            guard let text = value.text, !block.body.contains(text) else { continue }
            lines.append("\(Self.json("roost-" + key)): \(Self.json(value))")
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
