import Foundation
import RoostDocuments
import TestSupport
import Testing

/// The generated documents in `Fixtures/Documents/files`.
enum DocumentFixture {
    static let folder = Fixtures.folder.appendingPathComponent("Documents/files")

    static let readers = DocumentReaders.standard

    /// Returns an input with the contents of a fixture.
    static func input(_ name: String) throws -> DocumentInput {
        DocumentInput(data: try Data(contentsOf: folder.appendingPathComponent(name)), path: "/notes/" + name)
    }

    /// Reads a fixture.
    static func documents(_ name: String) async throws -> [Document] { try await documents(try input(name)) }

    /// Reads an input with the reader that supports it.
    static func documents(_ input: DocumentInput) async throws -> [Document] {
        let match = try #require(readers.match(input))
        return try await match.reader.read(input, as: match.type).documents
    }

    /// Reads a text as a file with a name.
    static func document(_ text: String, name: String) async throws -> Document {
        let documents = try await documents(DocumentInput(data: Data(text.utf8), path: name))
        return try #require(documents.first)
    }

    /// Reads a fixture with one document.
    static func document(_ name: String) async throws -> Document {
        let documents = try await documents(name)
        #expect(documents.count == 1)
        return try #require(documents.first)
    }
}
