import Foundation

/// A text in a markup language that is converted to Markdown, line by line.
struct ConvertedMarkup {
    /// The maximum number of UTF-8 bytes of a line whose inline markup is converted. Longer lines are data.
    static let maximumLineLength = 1 << 16

    /// The lines, one for each line of the text.
    var lines: [String] = []
    var title: String?
    var author: String?
    /// The date as written.
    var date: String?
    /// The values of properties of parts of the document, each once.
    private(set) var properties: [String: [String]] = [:]
    private(set) var tags: [String] = []
    private var knownTags: Set<String> = []
    var links: [DocumentLink] = []
    /// The other names of the document, each once.
    private(set) var aliases: [String] = []
    private var knownAliases: Set<String> = []

    /// Sets the title if the document does not have one yet.
    mutating func setTitle(_ text: String) {
        let line = MarkdownText.singleLine(text)
        if title == nil && !line.isEmpty { title = line }
    }

    /// The maximum number of values of a property.
    private static let maximumValues = 100

    /// Adds a value of a property that parts of the document have, such as a date. Only the first 100 are
    /// kept.
    mutating func addProperty(_ name: String, _ value: String) {
        let values = properties[name, default: []]
        if values.count < Self.maximumValues, !value.isEmpty, !values.contains(value) {
            properties[name] = values + [value]
        }
    }

    /// Appends the tags of the whole document.
    mutating func addTags(_ names: [String]) {
        tags += names
        knownTags.formUnion(names)
    }

    /// Appends a tag if the document does not have it yet.
    mutating func addTag(_ name: String) {
        if knownTags.insert(name).inserted { tags.append(name) }
    }

    /// The maximum number of aliases. In Org, each heading can have an id.
    private static let maximumAliases = 10_000

    /// Adds another name of the document.
    mutating func addAlias(_ name: String) {
        guard aliases.count < Self.maximumAliases, !name.isEmpty, knownAliases.insert(name).inserted else {
            return
        }
        aliases.append(name)
    }

    /// Appends a line that is kept in the text but not embedded.
    mutating func addHidden(_ line: some StringProtocol) {
        let text = line.trimmingCharacters(in: .whitespaces)
        lines.append(text.isEmpty ? "" : "<!-- " + text.replacingOccurrences(of: "--", with: "- -") + " -->")
    }

    /// Appends the link of a line and returns its Markdown.
    mutating func link(_ address: Substring, _ text: Substring) -> String {
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let label = MarkdownText.singleLine(String(text))
        links.append(
            DocumentLink(
                kind: .address, target: parts.first.map(String.init) ?? "",
                fragment: parts.count > 1 ? String(parts[1]) : nil, text: label.isEmpty ? nil : label))
        // Without the brackets, an address with spaces would not be a link.
        let needsBrackets = address.contains(" ") && !address.contains { $0 == "<" || $0 == ">" }
        return needsBrackets ? "[\(label)](<\(address)>)" : "[\(label)](\(address))"
    }
}
