import Foundation
import Testing

@testable import RoostDocuments

/// Tests of the XML parser that the readers of office documents, books and feeds use.
@Suite struct XMLPullTests {
    /// Returns the events of a document: `<name attribute=value>`, `</>` and texts.
    private static func events(_ data: Data) throws -> (events: [String], isDamaged: Bool) {
        let parser = try XMLPull(xml: data, isCancelled: { false })
        var events: [String] = []
        while let event = try parser.next() {
            switch event {
            case .start(let element):
                let attributes = element.attributes.sorted { $0.key < $1.key }.map { " \($0)=\($1)" }
                events.append("<\(element.name)\(attributes.joined())>")
            case .end: events.append("</>")
            case .text(let text): events.append(text)
            }
        }
        return (events, parser.isDamaged)
    }

    @Test func `Elements, attributes and texts are read in order`() throws {
        let xml =
            "<?xml version='1.0'?><!-- c --><a:r xmlns:a='u' b='1' a:b='2' a:c='&lt;3'>x<![CDATA[<y>]]>&amp;z<e/></a:r>"
        let (events, isDamaged) = try Self.events(Data(xml.utf8))
        #expect(events == ["<r a:b=2 a:c=<3 b=1 c=<3>", "x<y>&z", "<e>", "</>", "</>"])
        #expect(!isDamaged)
    }

    @Test func `A text that is longer than a part of the document is one event`() throws {
        let text = String(repeating: "Grüße ", count: 40_000)
        let (events, _) = try Self.events(Data("<a>\(text)<b/></a>".utf8))
        #expect(events == ["<a>", text, "<b>", "</>", "</>"])
    }

    @Test(arguments: [String.Encoding.utf16, .isoLatin1])
    func `Other encodings are read`(encoding: String.Encoding) throws {
        let name = encoding == .utf16 ? "UTF-16" : "ISO-8859-1"
        let xml = "<?xml version='1.0' encoding='\(name)'?><a>Größe</a>"
        #expect(try Self.events(#require(xml.data(using: encoding))).events == ["<a>", "Größe", "</>"])
    }

    @Test(arguments: [
        "", "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'http://www.w3.org/xhtml11.dtd'>",
    ])
    func `Named characters of HTML are read`(type: String) throws {
        let (events, isDamaged) = try Self.events(Data("\(type)<a b='1&nbsp;2'>&eacute;t&eacute;</a>".utf8))
        #expect(events == ["<a b=1 2>", "été", "</>"] && !isDamaged)
    }

    @Test func `A fault, and an element that is nested too deeply, end the document`() throws {
        let fault = try Self.events(Data("<a><b>x</b><c></a>".utf8))
        #expect(fault.events == ["<a>", "<b>", "x", "</>", "<c>"] && fault.isDamaged)
        let deep = try Self.events(Data(String(repeating: "<a>", count: 300).utf8))
        #expect(deep.events.count == 256 && deep.isDamaged)
    }

    @Test(arguments: [
        "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<!DOCTYPE a [<!ATTLIST a b CDATA 'c'>]>",
        "<!--\(String(repeating: "x", count: 70_000))--><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>",
    ])
    func `A document that declares entities or attributes is refused`(start: String) throws {
        #expect(throws: DocumentError.self) { try Self.events(Data("\(start)<a>&b;</a>".utf8)) }
    }

    @Test(arguments: ["", "<!-- <x ' -->"])
    func `Very many attributes are read in a short time`(start: String) throws {
        let attributes = (0..<20_000).map { "a\($0)='1'" }.joined(separator: " ")
        let before = ReaderDetailTests.threadSeconds()
        _ = try Self.events(Data("\(start)<a \(attributes)/>".utf8))
        #expect(ReaderDetailTests.threadSeconds() - before < 5)
    }
}
