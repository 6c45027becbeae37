import Foundation
import RoostDocuments
import TestSupport
import Testing

/// The generated documents in `Fixtures/Documents/files`.
enum DocumentFixture {
    static let folder = Fixtures.folder.appendingPathComponent("Documents/files")

    static let readers = DocumentReaders.standard

    static func input(_ name: String) throws -> DocumentInput {
        DocumentInput(data: try Data(contentsOf: folder.appendingPathComponent(name)), path: "/notes/" + name)
    }

    static func documents(_ name: String) async throws -> [Document] { try await documents(try input(name)) }

    static func documents(_ input: DocumentInput) async throws -> [Document] {
        let match = try #require(readers.match(input))
        return try await match.reader.read(input, as: match.type).documents
    }

    static func document(_ text: String, name: String) async throws -> Document {
        let documents = try await documents(DocumentInput(data: Data(text.utf8), path: name))
        return try #require(documents.first)
    }

    static func document(_ name: String) async throws -> Document {
        let documents = try await documents(name)
        #expect(documents.count == 1)
        return try #require(documents.first)
    }
}
