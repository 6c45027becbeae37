import Foundation
import RoostModel

/// The properties that a document states about itself: of Office Open XML, OpenDocument or EPUB.
struct CoreProperties {
    private var title: String?
    private var authors: [String] = []
    private var knownAuthors: Set<String> = []
    private var initialAuthor: String?
    private var keywords: [String] = []
    private var values: [String: String] = [:]
    private var createdAt: Date?
    private var updatedAt: Date?

    /// Adds a property by the local name of its element. Unknown names are ignored.
    mutating func add(_ name: String, _ text: String, _ attributes: [String: String] = [:]) {
        let value = MarkdownText.singleLine(text)
        guard !value.isEmpty else { return }
        switch name {
        case "title": if title == nil { title = value }
        case "creator": if knownAuthors.insert(value).inserted { authors.append(value) }
        case "initial-creator": initialAuthor = value
        case "keywords", "keyword":
            if keywords.count < KeywordList.maximumCount { keywords += KeywordList.keywords(in: text) }
        case "created", "creation-date": createdAt = DocumentDate.date(value)
        case "modified", "date": updatedAt = DocumentDate.date(value)
        case "subject", "description", "language", "category", "publisher":
            if values[name] == nil { values[name] = value }
        default: break
        }
    }

    /// Adds the properties to a document. A title that is only the name of a file is ignored.
    func apply(to document: inout Document) {
        document.title = title.flatMap { PDFProperties.isMeaningful(title: $0) ? $0 : nil } ?? document.title
        let names = initialAuthor.map { [$0] } ?? authors
        if names.count == 1 { document.metadata["author"] = .string(names[0]) }
        if names.count > 1 { document.metadata["author"] = .array(names.map { .string($0) }) }
        for (key, value) in values { document.metadata[key] = .string(value) }
        var known = Set(document.tags)
        for keyword in keywords.prefix(KeywordList.maximumCount) where known.insert(keyword).inserted {
            document.tags.append(keyword)
        }
        document.createdAt = createdAt
        document.updatedAt = updatedAt
    }

    /// Reads the properties from a part of an archive: the children of the root element, or of a child with
    /// the name `group`.
    static func read(_ xml: XMLPull?, group: String? = nil) throws -> CoreProperties {
        var properties = CoreProperties()
        try xml?.children { root in
            try xml?.children { element in
                if let group, element.name == group {
                    try xml?.children { child in
                        properties.add(child.name, try xml?.text() ?? "", child.attributes)
                    }
                } else if group == nil {
                    properties.add(element.name, try xml?.text() ?? "", element.attributes)
                }
            }
        }
        return properties
    }

    /// Reads the properties of an Office Open XML package.
    static func read(package: Relationships, in archive: ZipArchive) throws -> CoreProperties {
        guard let part = package.targets(ofType: "core-properties").first else { return CoreProperties() }
        return try read(try archive.xml(part))
    }
}
