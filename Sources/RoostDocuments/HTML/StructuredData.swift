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
    /// The texts of articles, recipes, instructions and questions.
    private(set) var statedText = StatedText()

    /// The different prices of products.
    private(set) var prices: Set<ProductPrice> = []

    /// The maximum number of bytes of a script that is parsed.
    private static let maximumLength = 2 << 20
    /// The maximum number of objects that are examined.
    private static let maximumObjects = 10_000
    /// The types of the works that a page can consist of, other than articles and postings. Books, films,
    /// images and videos are not among them: a page about a book has not been written by the author of the
    /// book.
    private static let workTypes: Set<String> = [
        "webpage", "report", "question", "recipe", "howto", "course", "learningresource", "guide", "thesis",
        "dataset", "creativework",
    ]

    /// The names of the objects with an identifier, to which other objects can refer.
    private var names: [String: String] = [:]
    /// The reviews.
    private var reviews: [[String: Any]] = []

    /// Reads all scripts with JSON-LD of a page.
    init(_ tree: HTMLTree) {
        var values: [Any] = []
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
            values.append(value)
        }
        var objects: [[String: Any]] = []
        var count = 0
        for value in values { Self.collect(value, &objects, &count) }
        for object in objects {
            if let id = object["@id"] as? String, let name = object["name"] as? String { names[id] = name }
        }
        for object in objects { read(object) }
        // Several reviews, and those of a product that the page offers, are by customers.
        if reviews.count == 1, !types.contains("product") { readWork(reviews[0]) }
        names = [:]
        reviews = []
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

    /// Collects the objects that a page consists of.
    private static func collect(_ value: Any, _ objects: inout [[String: Any]], _ count: inout Int) {
        count += 1
        guard count < maximumObjects else { return }
        if let array = value as? [Any] {
            for element in array { collect(element, &objects, &count) }
        } else if let object = value as? [String: Any] {
            objects.append(object)
            for (key, element) in object.sorted(by: { $0.key < $1.key })
            where key == "@graph" || key.hasPrefix("mainEntity") || key == "hasPart" {
                collect(element, &objects, &count)
            }
        }
    }

    private mutating func read(_ object: [String: Any]) {
        let names = ((object["@type"] as? [String]) ?? [object["@type"] as? String].compactMap { $0 })
            .map { ($0.split { "/:#".contains($0) }.last.map(String.init) ?? $0).lowercased() }
        types.formUnion(names)
        let isWork = names.contains {
            $0.hasSuffix("article") || $0.hasSuffix("posting") || Self.workTypes.contains($0)
        }
        if isWork {
            readWork(object)
        } else if names.contains(where: { $0.hasSuffix("review") }) {
            reviews.append(object)
        }
        statedText.read(object, types: names)
        if names.contains("product"), let price = ProductPrice(offers: object["offers"]) {
            prices.insert(price)
        }
        let isDescribed = isWork || names.contains("product")
        for key in ["articleBody", "text", "description"] where isDescribed {
            guard let value = object[key] as? String, value.utf8.count > (text?.utf8.count ?? 0) else {
                continue
            }
            text = value
        }
    }

    private mutating func readWork(_ object: [String: Any]) {
        headline = headline ?? (object["headline"] as? String)
        author = author ?? name(object["author"])
        // An offer of a job has a date of its own.
        for key in ["datePublished", "datePosted", "dateCreated"] where published == nil {
            published = object[key] as? String
        }
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
