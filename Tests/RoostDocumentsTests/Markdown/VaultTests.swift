import Foundation
import RoostDocuments
import RoostModel
import TestSupport
import Testing

/// Compares the notes of the sample vault with the expectations in `Fixtures/vault.json`, and resolves its links.
@Suite struct VaultTests {
    private static let folder = Fixtures.folder.appendingPathComponent("vault")

    private static func document(_ path: String) async throws -> Document {
        let data = try Data(contentsOf: folder.appendingPathComponent(path))
        let input = DocumentInput(data: data, path: folder.appendingPathComponent(path).path)
        let readers = DocumentReaders([MarkdownReader()])
        let match = try #require(readers.match(input))
        return try #require(try await match.reader.read(input, as: match.type).documents.first)
    }

    @Test func `The title, tags and dates of every note are the expected ones`() async throws {
        let expectations = try VaultExpectation.all()
        #expect(expectations.count == 199)
        for (path, expected) in expectations.sorted(by: { $0.key < $1.key }) {
            let document = try await Self.document(path)
            if expected.isInvalid == true {
                #expect(!document.unreadParts.isEmpty || path.hasPrefix("Templates/"), "\(path)")
                continue
            }
            #expect(document.title == expected.title, "\(path)")
            #expect(document.tags == expected.tags, "\(path)")
            #expect(document.createdAt?.timeIntervalSince1970 == expected.created, "\(path)")
            #expect(document.updatedAt?.timeIntervalSince1970 == expected.updated, "\(path)")
        }
    }

    @Test func `All links between notes are resolved, except for those to missing notes`() async throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path)
            .filter { $0.hasSuffix(".md") }.sorted()
        var notes: [LinkResolver.Note] = []
        var documents: [Document] = []
        for path in paths {
            let document = try await Self.document(path)
            notes.append(LinkResolver.Note(path: path, aliases: document.aliases))
            documents.append(document)
        }
        let resolver = LinkResolver(notes: notes, root: "")
        var broken: Set<String> = []
        var resolvedCount = 0
        for (path, document) in zip(paths, documents) {
            for link in document.links where !link.isExternal && !link.namesAttachment {
                if resolver.resolve(link, from: path) != nil {
                    resolvedCount += 1
                } else {
                    broken.insert(link.target)
                }
            }
        }
        #expect(resolvedCount > 300)
        #expect(
            broken == ["missing note", "also missing", "{{date-1d}}", "{{date+1d}}"],
            "unexpected broken links: \(broken)")
    }

    // MARK: A vault without front matter

    /// `ingest/til-vault` in the folder that the environment variable `ROOST_EVAL` names.
    private static let tilVault: URL? = ProcessInfo.processInfo.environment["ROOST_EVAL"]
        .map { URL(fileURLWithPath: $0).appendingPathComponent("ingest/til-vault") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    @Test(.enabled(if: tilVault != nil, "no ingest/til-vault in the folder that ROOST_EVAL names"))
    func `Notes without front matter have the title of their first heading`() async throws {
        let folder = try #require(Self.tilVault)
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        where path.hasSuffix(".md") {
            let data = try Data(contentsOf: folder.appendingPathComponent(path))
            let input = DocumentInput(data: data, path: path)
            let document = try #require(
                try await MarkdownReader().read(input, as: MarkdownReader.type).documents.first)
            let heading = document.text.split(separator: "\n").first { $0.hasPrefix("# ") }?.dropFirst(2)
            // Quotation marks of code and backslashes are markup.
            let expected = heading?.replacing("`", with: "").replacing("\\", with: "")
                .trimmingCharacters(in: .whitespaces)
            let title = document.title?.replacing("\\", with: "")
            #expect(title == expected.map { $0.split(separator: " ").joined(separator: " ") }, "\(path)")
            #expect(document.unreadParts.isEmpty, "\(path)")
            count += 1
        }
        #expect(count > 1_500)
    }
}

/// The expected values of a note of the sample vault.
struct VaultExpectation: Decodable {
    static let file = Fixtures.folder.appendingPathComponent("vault.json")

    var title: String?
    var tags: [String]?
    var created: Double?
    var updated: Double?
    var isInvalid: Bool?

    static func all() throws -> [String: VaultExpectation] {
        try JSONDecoder().decode([String: VaultExpectation].self, from: Data(contentsOf: file))
    }
}
