import CXML
import Foundation

/// Reads an XML document as a sequence of events.
///
/// The parser loads no DTD or other file, substitutes no entities that the document declares, and limits
/// the depth of elements to 256. A fault ends the document and sets ``isDamaged``.
final class XMLPull {
    /// The beginning of an element.
    struct Element {
        /// The name without its prefix.
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
    /// The number of elements that are open.
    private(set) var depth = 0

    private let reader: OpaquePointer
    /// The document, from which the parser reads.
    private let source: XMLSource
    private let isCancelled: () -> Bool
    private var mustEnd = false
    /// Whether the parser has reported the end or a fault. It may report nodes again if it is called after
    /// that.
    private var hasEnded = false
    private var events = 0

    private static let initialized: Void = xmlInitParser()

    /// Creates a parser of an XML document.
    ///
    /// - Throws: ``DocumentError`` if the document declares entities, is too large, or has no contents.
    init(xml data: Data, isCancelled: @escaping () -> Bool) throws {
        Self.initialized
        guard !Self.declaresEntities(data) else {
            throw DocumentError.unsupported("it declares XML entities, which Roost does not expand")
        }
        // The parser compares each attribute of an element with all others.
        guard !Self.hasManyAttributes(data) else {
            throw DocumentError.limitExceeded(
                "an XML element has more than \(Self.maximumAttributes) attributes")
        }
        let source = XMLSource(data)
        // Without the option to recover, a fault ends the document: later elements could be misplaced.
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOWARNING.rawValue
        let created = Self.withoutMessages {
            xmlReaderForIO(
                { XMLSource.read($0, $1, $2) }, nil, Unmanaged.passUnretained(source).toOpaque(), nil, nil,
                Int32(options))
        }
        guard let reader = created else { throw DocumentError.damaged("its XML cannot be read") }
        self.reader = reader
        self.source = source
        self.isCancelled = isCancelled
        observeErrors()
    }

    deinit { xmlFreeTextReader(reader) }

    /// Returns whether the prolog declares entities. They could expand to text of any length.
    private static func declaresEntities(_ data: Data) -> Bool {
        for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
            guard let type = "<!DOCTYPE".data(using: encoding), let entity = "<!ENTITY".data(using: encoding)
            else { continue }
            // A document type precedes the root element, so it is near the beginning.
            if let start = data.prefix(1 << 16).range(of: type),
                data[start.upperBound...].range(of: entity) != nil
            {
                return true
            }
        }
        return false
    }

    private static let maximumAttributes = 5000

    /// Returns whether a tag contains more quoted values than ``maximumAttributes``.
    ///
    /// - Complexity: O(length of data).
    private static func hasManyAttributes(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var (quote, values, isTag, isFirst) = (UInt8(0), 0, false, false)
            for byte in bytes {
                if quote != 0 {
                    if byte == quote {
                        (quote, values) = (0, values + 1)
                        if values > maximumAttributes { return true }
                    }
                } else if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") {
                    (isTag, values) = (byte == UInt8(ascii: "<"), 0)
                } else if isTag, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if isFirst, byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") {
                    // A comment, a character data section or a declaration
                    isTag = false
                }
                isFirst = isTag && byte == UInt8(ascii: "<")
            }
            return false
        }
    }

    private func observeErrors() {
        let handler: xmlStructuredErrorFunc = { context, error in
            guard let context, let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else {
                return
            }
            // Named entities of HTML need a DTD in XML. `next` replaces them itself.
            let code = Int(error.pointee.code)
            let ignored = [XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY].map { Int($0.rawValue) }
            if ignored.contains(code) || error.pointee.domain == XML_FROM_NAMESPACE.rawValue { return }
            Unmanaged<XMLPull>.fromOpaque(context).takeUnretainedValue().isDamaged = true
        }
        xmlTextReaderSetStructuredErrorHandler(reader, handler, Unmanaged.passUnretained(self).toOpaque())
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
        if mustEnd {
            mustEnd = false
            depth -= 1
            return .end
        }
        while !hasEnded {
            events += 1
            if events & 1023 == 0, isCancelled() { throw CancellationError() }
            let state = Self.withoutMessages { xmlTextReaderRead(reader) }
            guard state == 1 else {
                hasEnded = true
                if state < 0 { isDamaged = true }
                return nil
            }
            switch xmlTextReaderNodeType(reader) {
            case 1:
                depth += 1
                mustEnd = xmlTextReaderIsEmptyElement(reader) == 1
                return .start(element())
            case 15:
                depth -= 1
                return .end
            case 3, 4, 13, 14:
                if let value = xmlTextReaderConstValue(reader) { return .text(String(cString: value)) }
            case 5:
                if let name = xmlTextReaderConstName(reader), let entity = htmlEntityLookup(name),
                    let scalar = Unicode.Scalar(entity.pointee.value)
                {
                    return .text(String(Character(scalar)))
                }
            default: break
            }
        }
        return nil
    }

    private func element() -> Element {
        let name = xmlTextReaderConstLocalName(reader).map { String(cString: $0) } ?? ""
        var element = Element(name: name, attributes: [:])
        guard xmlTextReaderHasAttributes(reader) == 1 else { return element }
        while xmlTextReaderMoveToNextAttribute(reader) == 1 {
            guard let qualified = xmlTextReaderConstName(reader), let value = xmlTextReaderConstValue(reader)
            else { continue }
            let name = String(cString: qualified)
            let text = String(cString: value)
            element.attributes[name] = text
            if let colon = name.lastIndex(of: ":") {
                let local = String(name[name.index(after: colon)...])
                if element.attributes[local] == nil { element.attributes[local] = text }
            }
        }
        xmlTextReaderMoveToElement(reader)
        return element
    }

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

/// The bytes of an XML document, which the parser requests in small parts. If it had the whole document in
/// its own buffer, the memory would be several times the size of the document.
final class XMLSource {
    private let data: Data
    private var offset: Int

    init(_ data: Data) { (self.data, offset) = (data, data.startIndex) }

    /// Copies the next bytes into a buffer of the parser, and returns their number. libxml2 calls this
    /// function with the source as the context.
    static func read(
        _ context: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ length: Int32
    ) -> Int32 {
        guard let context, let buffer, length > 0 else { return 0 }
        let source = Unmanaged<XMLSource>.fromOpaque(context).takeUnretainedValue()
        let start = source.offset
        source.offset = min(source.data.endIndex, start + Int(length))
        buffer.withMemoryRebound(to: UInt8.self, capacity: Int(length)) {
            source.data.copyBytes(to: $0, from: start..<source.offset)
        }
        return Int32(source.offset - start)
    }
}
