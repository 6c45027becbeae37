import Foundation
import RoostModel

struct FrontMatterFields {
    var title: String?
    /// The tags without `#`, in order and without duplicates.
    var tags: [String] = []
    var aliases: [String] = []
    var createdAt: Date?
    var unclearDate: String?
    var updatedAt: Date?
    /// The values of all other keys.
    var metadata: [String: MetadataValue] = [:]
    var links: [DocumentLink] = []
    var unreadParts: [String]

    /// The maximum length of a key in UTF-8 bytes, as in stores.
    private static let maximumKeyLength = 4096
    /// The names of keys, in lowercase letters and without separators, in order of precedence.
    private static let createdKeys = [
        "created", "createdat", "datecreated", "date", "published", "datepublished",
    ]
    private static let updatedKeys = [
        "updated", "updatedat", "modified", "datemodified", "lastmodified", "lastmod",
    ]
    private static let tagKeys: Set<String> = ["tags", "tag"]
    private static let aliasKeys: Set<String> = ["aliases", "alias"]

    init(_ frontMatter: FrontMatter) {
        unreadParts = frontMatter.unreadParts
        var used: Set<Int> = []
        let names = frontMatter.entries.map { Self.normalized($0.key) }
        func firstDate(_ keys: [String]) -> Date? {
            for key in keys {
                for (index, name) in names.enumerated() where name == key {
                    guard let text = frontMatter.entries[index].value.dateText,
                        let date = Date(written: text)
                    else { continue }
                    used.insert(index)
                    return date
                }
            }
            return nil
        }
        createdAt = firstDate(Self.createdKeys)
        updatedAt = firstDate(Self.updatedKeys)
        if createdAt == nil {
            let unclear = zip(names, frontMatter.entries).first { Self.createdKeys.contains($0.0) }?.1
            unclearDate = unclear?.value.dateText.flatMap { $0.trimmed.isEmpty ? nil : $0 }
        }
        for (index, entry) in frontMatter.entries.enumerated() where !used.contains(index) {
            add(entry.key, name: names[index], entry.value)
        }
        for entry in frontMatter.entries { addLinks(entry.value) }
    }

    private static func normalized(_ key: String) -> String {
        String(key.lowercased().filter { $0 != " " && $0 != "_" && $0 != "-" && $0 != "." })
    }

    private mutating func add(_ key: String, name: String, _ value: FrontMatterValue) {
        if name == "title", let text = value.text ?? value.bracketedName, !text.trimmed.isEmpty {
            title = text.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
        } else if name == "title", case .scalar = value {
            return
        } else if Self.tagKeys.contains(name), !value.isObject {
            var known = Set(tags)
            for tag in Self.tags(value) where known.insert(tag).inserted { tags.append(tag) }
        } else if Self.aliasKeys.contains(name), !value.isObject {
            let names = value.bracketedName.map { [$0] } ?? value.texts
            var known = Set(aliases)
            for alias in names.map(\.trimmed) where !alias.isEmpty && known.insert(alias).inserted {
                aliases.append(alias)
            }
        } else if key.utf8.count > Self.maximumKeyLength {
            unreadParts.append("front matter: a key is longer than \(Self.maximumKeyLength) bytes")
        } else {
            metadata[key] = value.metadata
        }
    }

    /// Returns the tags of a list, or of a text in which commas or, without commas, spaces separate them.
    private static func tags(_ value: FrontMatterValue) -> [String] {
        let texts: [String]
        if let text = value.text {
            let hasComma = text.contains(",")
            texts = text.split { hasComma ? $0 == "," : $0.isWhitespace }.map(String.init)
        } else {
            texts = value.texts
        }
        return texts.map { text in
            var tag = Substring(text.trimmed)
            // The brackets are those of a list that is not valid YAML.
            while let first = tag.first, "#[".contains(first) { tag.removeFirst() }
            while let last = tag.last, "/]".contains(last) { tag.removeLast() }
            return String(tag).trimmed
        }.filter { !$0.isEmpty }
    }

    private mutating func addLinks(_ value: FrontMatterValue) {
        if let name = value.bracketedName {
            addLinks(in: "[[\(name)]]")
            return
        }
        switch value {
        case .scalar(_, let text): addLinks(in: text)
        case .array(let values): for element in values { addLinks(element) }
        case .object(let members): for member in members { addLinks(member.value) }
        }
    }

    // Several threads can use a regular expression at the same time.
    nonisolated(unsafe) private static let link = #/\[\[([^\[\]\n]*)\]\]/#

    /// Adds the wiki links in a text. Values can be commands, which nothing marks as code: white space within
    /// both pairs of brackets is a test of a shell, such as `[[ -f x ]]`, which requires it.
    private mutating func addLinks(in text: String) {
        for match in text.matches(of: Self.link) {
            let content = Array(match.output.1.utf8)
            let isTest = content.first?.isMarkdownSpace == true && content.last?.isMarkdownSpace == true
            if !isTest, let link = WikiLink(content, 0..<content.count, isEmbed: false) {
                links.append(link.link)
            }
        }
    }
}

extension FrontMatterValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }

    /// The text of a date: a scalar, a bracketed name, or the only element of a list.
    fileprivate var dateText: String? {
        if let text { return text }
        if let bracketedName { return bracketedName }
        if case .array(let values) = self, values.count == 1 { return values[0].text }
        return nil
    }
}
