import CXML
import Foundation

/// Reads an XML document as a sequence of events.
///
/// The parser loads no DTD or other file, reads no document that declares entities or attributes, and limits the depth
/// of elements to 256. A fault ends the document and sets ``isDamaged``.
final class XMLPull {
    struct Element {
        var name: String
        /// The values of the attributes, by their qualified names and by their local names. If several
        /// attributes have the same local name, the one without a prefix takes precedence, or else the first.
        var attributes: [String: String]

        subscript(_ attribute: String) -> String? { attributes[attribute] }
    }

    enum Event {
        case start(Element)
        case end
        case text(String)
    }

    /// Whether the document is not well-formed, so that a part of it may be missing.
    private(set) var isDamaged = false
    /// The number of elements whose beginning, but not whose end, ``next()`` has returned.
    private(set) var depth = 0

    private let data: Data
    private let isCancelled: () -> Bool
    /// The offset of the first byte that the parser has not received.
    private var offset: Int
    private var parser: xmlParserCtxtPtr?
    /// The events that ``next()`` has not returned, the next one last.
    private var events: [Event] = []
    /// The events of the present part of the document.
    private var received: [Event] = []
    /// The text after the last event, which the next part of the document may continue.
    private var pendingText: [UInt8] = []
    private var openElements = 0
    /// Whether the parser has reported the end or a fault.
    private var hasEnded = false
    private var declaresEntities = false
    /// The character for which a named entity of HTML stands. The parser uses it at once.
    private let entity = UnsafeMutablePointer<xmlEntity>.allocate(capacity: 1)
    private let entityText = UnsafeMutablePointer<xmlChar>.allocate(capacity: 8)

    private static let initialized: Void = xmlInitParser()
    private static let maximumDepth = 256
    /// The number of bytes that the parser receives at once. Its buffers, and the events, need several times as much.
    private static let partSize = 1 << 16

    init(xml data: Data, isCancelled: @escaping () -> Bool) throws {
        Self.initialized
        (self.data, self.isCancelled) = (data, isCancelled)
        entity.initialize(to: xmlEntity())
        // The parser determines the encoding from the first four bytes.
        offset = min(data.endIndex, data.startIndex + 4)
        var handler = Self.handler
        let start = data[..<offset].map { CChar(bitPattern: $0) }
        parser = Self.withoutMessages {
            xmlCreatePushParserCtxt(
                &handler, Unmanaged.passUnretained(self).toOpaque(), start, Int32(start.count), nil)
        }
        guard parser != nil else { throw DocumentError.damaged("its XML cannot be read") }
        // Without the option to recover, a fault ends the document: later elements could be misplaced.
        xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_NOWARNING.rawValue))
    }

    deinit {
        // A declaration of an entity, at which the parser stops, creates a document.
        if let document = parser?.pointee.myDoc { xmlFreeDoc(document) }
        xmlFreeParserCtxt(parser)
        entity.deallocate()
        entityText.deallocate()
    }

    /// Calls a closure while this thread ignores faults that belong to no parser, such as those of an
    /// encoding. libxml2 would write them to the standard error of the program.
    private static func withoutMessages<Result>(_ body: () -> Result) -> Result {
        let (handler, context) = (__xmlStructuredError().pointee, __xmlStructuredErrorContext().pointee)
        defer { xmlSetStructuredErrorFunc(context, handler) }
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        return body()
    }

    /// Returns the next event; `nil` at the end of the document.
    func next() throws -> Event? {
        while events.isEmpty, !hasEnded { try parsePart() }
        let event = events.popLast()
        switch event {
        case .start: depth += 1
        case .end: depth -= 1
        case .text, nil: break
        }
        return event
    }

    private func parsePart() throws {
        if isCancelled() { throw CancellationError() }
        let end = min(data.endIndex, offset + Self.partSize)
        let isLast = end == data.endIndex
        data[offset..<end].withUnsafeBytes { bytes in
            Self.withoutMessages {
                _ = xmlParseChunk(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
                    isLast ? 1 : 0)
            }
        }
        offset = end
        if declaresEntities {
            throw DocumentError.unsupported(
                "it declares XML entities or attributes, which Roost does not read")
        }
        if parser?.pointee.wellFormed == 0 { isDamaged = true }
        hasEnded = isLast || parser?.pointee.disableSAX != 0
        if hasEnded { endText() }
        events = received.reversed()
        received = []
    }

    private func endText() {
        guard !pendingText.isEmpty else { return }
        received.append(.text(String(decoding: pendingText, as: UTF8.self)))
        pendingText.removeAll(keepingCapacity: true)
    }

    private func stop() { xmlStopParser(parser) }

    /// Calls a closure for each child of the element that was started last, and `text` for its own text.
    ///
    /// The closure may read the contents of the child; the rest of the child is skipped. At the beginning of
    /// the document, the only child is the root element.
    func children(_ body: (Element) throws -> Void, text: (String) throws -> Void = { _ in }) throws {
        let base = depth
        while let event = try next() {
            switch event {
            case .start(let element):
                try body(element)
                while depth > base, try next() != nil {}
            case .end:
                if depth < base { return }
            case .text(let string): try text(string)
            }
        }
    }

    /// Calls a closure for each descendant of the element that was started last. The closure may read the
    /// contents of the descendant, which is then not visited.
    func descendants(_ body: (Element) throws -> Void) throws {
        let base = depth
        while let event = try next() {
            if case .start(let element) = event { try body(element) }
            if depth < base { return }
        }
    }

    /// Returns the text of the element that was started last, with that of all its descendants.
    func text() throws -> String {
        var result = ""
        let base = depth
        while let event = try next() {
            if case .text(let string) = event { result += string }
            if depth < base { break }
        }
        return result
    }
}

// MARK: Calls of the parser

extension XMLPull {
    /// The functions that the parser calls. It builds no tree, whose time is quadratic in the number of the attributes of
    /// an element, and stops at the first declaration, because entities can expand to text of any length.
    nonisolated(unsafe) private static let handler: xmlSAXHandler = {
        var handler = xmlSAXHandler()
        handler.initialized = XML_SAX2_MAGIC
        handler.startElementNs = { context, name, prefix, _, _, _, count, _, attributes in
            XMLPull.of(context)?.start(
                name, prefix, UnsafeBufferPointer(start: attributes, count: Int(count) * 5))
        }
        handler.endElementNs = { context, _, _, _ in XMLPull.of(context)?.end() }
        handler.characters = { context, bytes, count in
            XMLPull.of(context)?.pendingText += UnsafeBufferPointer(start: bytes, count: Int(count))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = handler.characters
        handler.getEntity = { context, name in XMLPull.of(context)?.entity(named: name) }
        handler.entityDecl = { context, _, _, _, _, _ in XMLPull.of(context)?.refuseDeclaration() }
        handler.unparsedEntityDecl = { context, _, _, _, _ in XMLPull.of(context)?.refuseDeclaration() }
        handler.attributeDecl = { context, _, _, _, _, _, values in
            xmlFreeEnumeration(values)
            XMLPull.of(context)?.refuseDeclaration()
        }
        handler.serror = { context, error in
            guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue,
                error.pointee.domain != XML_FROM_NAMESPACE.rawValue,
                // An unknown entity of a document whose DTD is not read
                error.pointee.code != XML_WAR_UNDECLARED_ENTITY.rawValue
            else { return }
            XMLPull.of(context)?.isDamaged = true
        }
        return handler
    }()

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLPull? {
        context.map { Unmanaged<XMLPull>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Receives the beginning of an element. Each attribute consists of its name, its prefix, the address of the
    /// prefix, and the first byte of its value and the one after the last.
    private func start(
        _ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?,
        _ attributes: UnsafeBufferPointer<UnsafePointer<xmlChar>?>
    ) {
        guard openElements < Self.maximumDepth else {
            isDamaged = true
            return stop()
        }
        endText()
        openElements += 1
        var element = Element(name: Self.string(name), attributes: [:])
        for index in stride(from: 0, to: attributes.count, by: 5) {
            guard let first = attributes[index + 3], let last = attributes[index + 4] else { continue }
            let value = String(
                decoding: UnsafeBufferPointer(start: first, count: last - first), as: UTF8.self)
            let name = Self.string(attributes[index])
            if let prefix = attributes[index + 1] {
                element.attributes[Self.string(prefix) + ":" + name] = value
                if element.attributes[name] == nil { element.attributes[name] = value }
            } else {
                element.attributes[name] = value
            }
        }
        received.append(.start(element))
    }

    private func end() {
        endText()
        openElements -= 1
        received.append(.end)
    }

    private static func string(_ text: UnsafePointer<xmlChar>?) -> String {
        text.map { String(cString: $0) } ?? ""
    }

    /// Returns the character of a named entity of HTML, which books use without declaring it. The parser copies only the
    /// first byte of a character into an attribute, where all become spaces.
    private func entity(named name: UnsafePointer<xmlChar>?) -> xmlEntityPtr? {
        guard !declaresEntities, let found = htmlEntityLookup(name),
            let scalar = Unicode.Scalar(found.pointee.value)
        else { return nil }
        let isInAttribute = parser?.pointee.instate == XML_PARSER_ATTRIBUTE_VALUE
        let bytes = Array(String(Character(isInAttribute ? " " : scalar)).utf8)
        for (index, byte) in (bytes + [0]).enumerated() { entityText[index] = byte }
        entity.pointee.etype = XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.content = entityText
        entity.pointee.length = Int32(bytes.count)
        return entity
    }

    private func refuseDeclaration() {
        declaresEntities = true
        stop()
    }
}
