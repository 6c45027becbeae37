import Foundation

/// The objects that a page describes in JSON-LD. They are read as data; contexts are not loaded.
struct StructuredData {
    /// The types of the objects in lowercase letters, without the address of the vocabulary.
    private(set) var types: Set<String> = []
    private(set) var headline: String?
    private(set) var author: String?
    private(set) var published: String?
    private(set) var modified: String?
    /// The longest text of an article or description of a product.
    private(set) var text: String?

    /// The maximum number of bytes of a script that is parsed.
    private static let maximumLength = 2 << 20
    /// The maximum number of objects that are examined.
    private static let maximumObjects = 10_000

    /// Reads all scripts with JSON-LD of a page.
    init(_ tree: HTMLTree) {
        var objects = 0
        for index in tree.nodes.indices where tree.nodes[index].tag == "script" {
            guard tree.nodes[index].attribute("type")?.lowercased().hasPrefix("application/ld+json") == true
            else {
                continue
            }
            let end = tree.nodes[index].end
            let text = tree.nodes[index..<end].lazy.filter(\.isText).map(\.text).joined(separator: "")
            guard text.utf8.count <= Self.maximumLength, !Self.isTooDeep(text) else { continue }
            // Many pages contain invalid JSON-LD; it is only one of several sources.
            guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { continue }
            read(value, &objects)
        }
    }

    /// Returns whether brackets are nested more deeply than the parser, which is recursive, should read.
    private static func isTooDeep(_ text: String) -> Bool {
        var depth = 0
        for byte in text.utf8 {
            if byte == 0x7B || byte == 0x5B { depth += 1 }
            if byte == 0x7D || byte == 0x5D { depth -= 1 }
            if depth > 64 { return true }
        }
        return false
    }

    private mutating func read(_ value: Any, _ objects: inout Int) {
        objects += 1
        guard objects < Self.maximumObjects else { return }
        if let array = value as? [Any] {
            for element in array { read(element, &objects) }
        } else if let object = value as? [String: Any] {
            read(object)
            for (key, element) in object.sorted(by: { $0.key < $1.key })
            where key == "@graph" || key.hasPrefix("mainEntity") || key == "hasPart" {
                read(element, &objects)
            }
        }
    }

    private mutating func read(_ object: [String: Any]) {
        let names = ((object["@type"] as? [String]) ?? [object["@type"] as? String].compactMap { $0 })
            .map { ($0.split { "/:#".contains($0) }.last.map(String.init) ?? $0).lowercased() }
        types.formUnion(names)
        let isWork = names.contains {
            $0.hasSuffix("article") || $0.hasSuffix("posting")
                || ["webpage", "report", "question"].contains($0)
        }
        if isWork {
            headline = headline ?? (object["headline"] as? String)
            author = author ?? Self.name(object["author"])
            published =
                published ?? (object["datePublished"] as? String) ?? (object["dateCreated"] as? String)
            modified = modified ?? (object["dateModified"] as? String)
        }
        let isDescribed =
            isWork || names.contains("product") || names.contains("jobposting") || names.contains("recipe")
        for key in ["articleBody", "text", "description"] where isDescribed {
            guard let value = object[key] as? String, value.utf8.count > (text?.utf8.count ?? 0) else {
                continue
            }
            text = value
        }
    }

    private static func name(_ value: Any?) -> String? {
        switch value {
        case let text as String: text
        case let object as [String: Any]: object["name"] as? String
        case let array as [Any]:
            array.prefix(8).compactMap(name).joined(separator: ", ")
        default: nil
        }
    }
}
