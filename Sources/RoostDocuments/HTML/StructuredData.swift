import Foundation

/// The statements about a page in its JSON-LD. They are read as data; contexts are not loaded.
struct StructuredData {
    private(set) var headline: String?
    private(set) var author: String?
    private(set) var published: String?
    private(set) var modified: String?

    /// The maximum number of bytes of a script that is parsed.
    private static let maximumLength = 2 << 20
    /// The maximum depth of brackets in a script: the parser is recursive.
    private static let maximumDepth = 64
    /// The maximum number of objects that are examined.
    private static let maximumObjects = 10_000
    /// The types of the works that a page can consist of, other than articles and postings. Books, films,
    /// images and videos are not among them: a page about a book has not been written by the author of the
    /// book.
    private static let workTypes: Set<String> = [
        "WebPage", "Report", "Question", "Recipe", "HowTo", "Course", "LearningResource", "Guide", "Thesis",
        "Dataset", "CreativeWork", "Review",
    ]

    /// The names of the objects with an identifier, to which other objects can refer.
    private var names: [String: String] = [:]

    init(_ tree: HTMLTree) {
        var objects: [[String: Any]] = []
        for (index, node) in tree.nodes.enumerated() where node.tag == "script" {
            guard node.attribute("type")?.lowercased().hasPrefix("application/ld+json") == true else {
                continue
            }
            let text = tree.nodes[index..<node.end].map(\.text).joined()
            guard text.utf8.count <= Self.maximumLength, Self.depth(of: text) <= Self.maximumDepth,
                let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
            else { continue }
            Self.collect(value, &objects)
        }
        for object in objects {
            if let id = object["@id"] as? String, let name = object["name"] as? String { names[id] = name }
        }
        let types = objects.map(Self.types)
        // The authors of reviews of a product are customers.
        let isProduct = types.contains { $0.contains("Product") }
        for (object, types) in zip(objects, types) where types.contains(where: Self.isWork) {
            if !isProduct || !types.contains("Review") { read(object) }
        }
    }

    private static func depth(of text: String) -> Int {
        var (depth, maximum) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
            maximum = max(maximum, depth)
        }
        return maximum
    }

    /// Collects the objects that a page consists of.
    private static func collect(_ value: Any, _ objects: inout [[String: Any]]) {
        guard objects.count < maximumObjects else { return }
        if let array = value as? [Any] {
            for element in array { collect(element, &objects) }
        } else if let object = value as? [String: Any] {
            objects.append(object)
            for key in ["@graph", "mainEntity", "hasPart"] {
                if let element = object[key] { collect(element, &objects) }
            }
        }
    }

    private static func types(of object: [String: Any]) -> [String] {
        ((object["@type"] as? [String]) ?? [object["@type"] as? String].compactMap(\.self))
            .compactMap { $0.split { "/:#".contains($0) }.last.map(String.init) }
    }

    private static func isWork(_ type: String) -> Bool {
        type.hasSuffix("Article") || type.hasSuffix("Posting") || workTypes.contains(type)
    }

    private mutating func read(_ object: [String: Any]) {
        headline = headline ?? (object["headline"] as? String)
        author = author ?? name(object["author"])
        published = published ?? (object["datePublished"] as? String)
        modified = modified ?? (object["dateModified"] as? String)
    }

    /// Returns the name of a person or an organization, or the names of several. An object with only an
    /// identifier refers to another object of the page.
    private func name(_ value: Any?) -> String? {
        switch value {
        case let text as String: return names[text] ?? text
        case let object as [String: Any]:
            return (object["name"] as? String) ?? (object["@id"] as? String).flatMap { names[$0] }
        case let array as [Any]:
            let found = array.prefix(8).compactMap(name)
            return found.isEmpty ? nil : found.joined(separator: ", ")
        default: return nil
        }
    }
}
