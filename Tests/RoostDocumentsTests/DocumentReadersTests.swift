import Foundation
import RoostDocuments
import Testing

/// Tests of the choice of a reader.
@Suite struct DocumentReadersTests {
    /// A reader that recognizes contents that begin with `%MAGIC`.
    private struct SignatureReader: DocumentReader {
        static let type = DocumentType(name: "magic", title: "Magic", extensions: ["magic"])
        let types = [Self.type]

        func recognizedType(of input: DocumentInput) -> DocumentType? {
            input.data.starts(with: "%MAGIC".utf8) ? Self.type : nil
        }

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] { [] }
    }

    private let readers = DocumentReaders([PlainTextReader(), SignatureReader()])

    @Test func `The contents determine the type before the name does`() {
        let disguised = DocumentInput(data: Data("%MAGIC 1".utf8), path: "/notes/a.txt")
        #expect(readers.match(disguised)?.type.name == "magic")
        let plain = DocumentInput(data: Data("hello".utf8), path: "/notes/A.TXT")
        #expect(readers.match(plain)?.type.name == "text")
    }

    @Test func `A media type determines the type of a document without an extension`() {
        let input = DocumentInput(data: Data("hello".utf8), path: "page", mediaType: "text/plain")
        #expect(readers.match(input)?.type.name == "text")
        #expect(readers.match(DocumentInput(data: Data("hello".utf8), path: ".txt")) == nil)
    }
}
