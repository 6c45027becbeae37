import Foundation
import RoostModel

/// An Office Open XML package (ECMA-376, part 2): its main part, and the parts to which that refers.
struct OfficePackage {
    let archive: ZipArchive
    let part: String
    let relationships: Relationships

    private let root: Relationships

    init(_ archive: ZipArchive, defaultPart: String) throws {
        self.archive = archive
        root = try Relationships(of: "", in: archive)
        part = root.targets(ofType: "officeDocument").first ?? defaultPart
        relationships = try Relationships(of: part, in: archive)
    }

    func mainPart() throws -> XMLPull {
        guard let xml = try archive.xml(part) else {
            throw DocumentError.damaged("its part \(part) is missing")
        }
        return xml
    }

    /// Returns a parser of the first part with a type of relationship; `nil` if no part has it.
    func xml(ofType type: String) throws -> XMLPull? {
        try relationships.targets(ofType: type).first.flatMap { try archive.xml($0) }
    }

    func properties() throws -> CoreProperties {
        guard let part = root.targets(ofType: "core-properties").first else { return CoreProperties() }
        return try CoreProperties.read(try archive.xml(part))
    }
}

struct Relationships {
    struct Relationship {
        /// The last component of the type's URI, such as `slide`.
        var type: String
        /// The path of the target within the package, or its address.
        var target: String
        var isExternal: Bool
    }

    private(set) var byID: [String: Relationship] = [:]
    /// The ids in the order of the file.
    private var order: [String] = []

    /// Reads the relationships of a part; of the package if `part` is empty.
    init(of part: String, in archive: ZipArchive) throws {
        let components = part.split(separator: "/")
        let folder = components.dropLast().map { $0 + "/" }.joined()
        guard let xml = try archive.xml("\(folder)_rels/\(components.last ?? "").rels") else { return }
        try xml.descendants { element in
            guard element.name == "Relationship", let id = element["Id"], let target = element["Target"],
                let type = element["Type"]?.split(separator: "/").last
            else { return }
            let isExternal = element["TargetMode"] == "External"
            guard let path = isExternal ? target : PartPath.resolve(target, from: part) else { return }
            if byID[id] == nil { order.append(id) }
            byID[id] = Relationship(type: String(type), target: path, isExternal: isExternal)
        }
    }

    /// Returns the paths of the parts with a type of relationship, in order.
    func targets(ofType type: String) -> [String] {
        order.compactMap { byID[$0] }.filter { $0.type == type && !$0.isExternal }.map(\.target)
    }
}

enum PartPath {
    /// Returns the path of a part that another part names by a relative address.
    ///
    /// Escaped characters are decoded, and the fragment is removed. Returns `nil` for addresses of other
    /// files and servers, and for paths that leave the archive.
    static func resolve(_ address: String, from part: String) -> String? {
        let withoutFragment = address.prefix { $0 != "#" && $0 != "?" }
        guard !withoutFragment.isEmpty, !withoutFragment.contains(":") else { return nil }
        let decoded = String(withoutFragment).removingPercentEncoding ?? String(withoutFragment)
        var components = decoded.hasPrefix("/") ? [] : part.split(separator: "/").dropLast().map(String.init)
        for component in decoded.split(separator: "/") {
            switch component {
            case ".": continue
            case "..":
                guard !components.isEmpty else { return nil }
                components.removeLast()
            default: components.append(String(component))
            }
        }
        return components.isEmpty ? nil : components.joined(separator: "/")
    }
}

/// The properties that a document states about itself: of Office Open XML, OpenDocument or EPUB.
struct CoreProperties {
    private var title: String?
    private var authors: [String] = []
    private var initialAuthor: String?
    private var keywords: [String] = []
    private var values: [String: String] = [:]
    private var createdAt: Date?
    private var updatedAt: Date?

    /// Adds a property by the local name of its element. Unknown names are ignored.
    mutating func add(_ name: String, _ text: String) {
        let value = MarkdownText.singleLine(text)
        guard !value.isEmpty else { return }
        switch name {
        case "title": if title == nil { title = value }
        case "creator": if !authors.contains(value) { authors.append(value) }
        case "initial-creator": initialAuthor = value
        case "keywords", "keyword":
            if keywords.count < KeywordList.maximumCount { keywords += KeywordList.keywords(in: text) }
        case "created", "creation-date": createdAt = Date(written: value)
        case "modified", "date": updatedAt = Date(written: value)
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
        guard let xml else { return properties }
        try xml.children { root in
            try xml.children { element in
                if group == nil {
                    properties.add(element.name, try xml.text())
                } else if element.name == group {
                    try xml.children { properties.add($0.name, try xml.text()) }
                }
            }
        }
        return properties
    }
}

extension MarkdownOutput {
    /// Appends the paragraphs of diagrams (SmartArt) and the titles of charts, which are in separate parts.
    mutating func addDrawings(_ relationships: Relationships, in archive: ZipArchive) throws {
        let parts = ["diagramData", "chart"].flatMap { relationships.targets(ofType: $0) }
        var known: Set<String> = []
        for part in parts where known.insert(part).inserted {
            guard let xml = try archive.xml(part) else { continue }
            try xml.descendants { element in
                guard element.name == "p" else { return }
                var text = ""
                try xml.descendants { run in if run.name == "t" { text += try xml.text() } }
                let line = MarkdownText.singleLine(text)
                if !line.isEmpty { try add("- " + MarkdownText.escaped(line), isListItem: true) }
            }
            endBlock()
        }
    }

    /// Returns a comment as hidden text.
    static func hidden(_ comment: String) -> String {
        "%% \(comment.replacingOccurrences(of: "%%", with: "% %")) %%"
    }
}
