import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An XML response of an object store, reduced to the name of its root element and the texts of selected
/// elements.
struct S3Document {
    let root: String
    private let texts: [String: [String]]

    /// - Returns: `nil` if the data is not well-formed XML.
    init?(_ data: Data, _ names: Set<String>) {
        let reader = Reader(names)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        guard parser.parse(), let root = reader.root else { return nil }
        (self.root, texts) = (root, reader.texts)
    }

    /// Returns the texts of all elements with the given name, in document order.
    subscript(name: String) -> [String] { texts[name] ?? [] }

    private final class Reader: NSObject, XMLParserDelegate {
        private let names: Set<String>
        private var current: (name: String, text: String)?
        var root: String?
        var texts: [String: [String]] = [:]

        init(_ names: Set<String>) { self.names = names }

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            if root == nil { root = name }
            if names.contains(name) { current = (name, "") }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { current?.text += text }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard let found = current, found.name == name else { return }
            texts[name, default: []].append(found.text)
            current = nil
        }
    }
}
