import Foundation
import RoostDocuments
import TestSupport
import Testing

@testable import Roost

/// Ingests and finds a file of each supported type.
@Suite(.temporaryFolders) struct DocumentWorkflowTests {
    private struct File {
        var name: String
        var data: Data
        var phrase: String
    }

    /// Texts with their names. The longest series of words of each is a phrase that it stores.
    private static let texts = [
        ("note.md", "---\ntags: [birds]\n---\n# Birds\n\nA kingfisher waits in Markdown.\n"),
        ("page.html", "<html><title>Birds</title><p>Grey herons stand on a web page.</p></html>"),
        (
            "cells.ipynb",
            #"{"cells":[{"cell_type":"markdown","source":["Herring gulls in a cell"]}],"nbformat":4}"#
        ),
        ("array.json", #"[{"name": "Wren", "text": "a wren in an array"}]"#),
        ("lines.jsonl", #"{"text": "an egret in a line of JSON"}"# + "\n"),
        ("rows.csv", "text,topic\na bittern in a row,birds\n"),
        ("tabs.tsv", "text\ttopic\na curlew in a column\tbirds\n"),
        ("map.yaml", "bird: a plover in a mapping\n"), ("keys.toml", "bird = \"a lapwing in a key\"\n"),
        ("feather.xml", "<birds><bird>a dunlin in an element</bird></birds>"),
        ("talk.srt", "1\n00:00:01,000 --> 00:00:02,000\na redshank in captions\n"),
        ("talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\na snipe in a cue\n"),
        ("tasks.org", "* Birds\nA godwit wades in Org.\n"),
        ("manual.rst", "Birds\n=====\n\nAn avocet in reStructuredText.\n"),
        ("paper.tex", "\\begin{document}\nAn oystercatcher in LaTeX.\n\\end{document}\n"),
        ("guide.adoc", "= Birds\n\nA whimbrel in AsciiDoc.\n"),
        ("main.swift", "/// A teal swims in a comment of code.\nfunc main() {}\n"),
        ("plain.txt", "A turnstone in plain text.\n"),
    ]

    private static let documents = [
        "report.pdf": "two hundred litres", "report.docx": "two hundred litres",
        "slides.pptx": "two hundred litres", "table.xlsx": "North 200 green",
        "report.odt": "two hundred litres", "table.ods": "North 200 green", "book.epub": "two hundred litres",
        "reply.eml": "two hundred litres", "archive.mbox": "two hundred litres",
    ]

    /// Creates the files: documents, source code, and texts.
    private static func files() throws -> [File] {
        let fixtures = Fixtures.folder.appendingPathComponent("Documents")
        var files = try documents.map { name, phrase in
            let url = fixtures.appendingPathComponent("files/" + name)
            return File(name: name, data: try Data(contentsOf: url), phrase: phrase)
        }
        let names = ["office", "text", "draw"].map { "xmlns:\($0)='\($0)'" }.joined(separator: " ")
        let box = "<draw:text-box><text:p>A pintail on a slide.</text:p></draw:text-box>"
        let slide = "<draw:page><draw:frame>\(box)</draw:frame></draw:page>"
        let body = "<office:body><office:presentation>\(slide)</office:presentation></office:body>"
        let content = "<office:document-content \(names)>\(body)</office:document-content>"
        let slides = StoredArchive.data([
            ("mimetype", "application/vnd.oasis.opendocument.presentation"), ("content.xml", content),
        ])
        files.append(File(name: "slides.odp", data: slides, phrase: "A pintail on a slide"))
        for (name, text) in texts {
            let phrases = text.matches(of: /[A-Za-z]+(?: [A-Za-z]+)+/).map { String(text[$0.range]) }
            let phrase = try #require(phrases.max { $0.count < $1.count }, "\(name)")
            files.append(File(name: name, data: Data(text.utf8), phrase: phrase))
        }
        return files
    }

    @Test func `files of all types are ingested and found`() async throws {
        let files = try Self.files()
        let folder = try TemporaryFolder().url
        for file in files { try file.data.write(to: folder.appendingPathComponent(file.name)) }
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let report = try await store.ingest(folder: folder)
        #expect(report.skipped.isEmpty && report.new >= files.count, "\(report.skipped)")
        let types = DocumentReaders.standard.types
        let entries = Dictionary(grouping: try await store.storage.fetchEntries()) {
            URL(string: $0.source ?? "")?.lastPathComponent ?? ""
        }
        var readTypes: Set<String> = []
        for file in files {
            let fileExtension = URL(fileURLWithPath: file.name).pathExtension
            // Rows are not read as documents.
            let isRow = RecordReader.rowExtensions.contains(fileExtension)
            let type = isRow ? nil : types.first { $0.extensions.contains(fileExtension) }
            if let type { readTypes.insert(type.name) }
            let found = entries[file.name, default: []]
            #expect(!found.isEmpty && (isRow || type != nil), "\(file.name)")
            #expect(found.allSatisfy { !$0.content.isEmpty }, "\(file.name)")
            let hits = try await store.search(EntrySearch("\"\(file.phrase)\"", limit: 100)).hits
            let isFound = hits.contains { $0.entry.source?.hasSuffix("/" + file.name) == true }
            #expect(isFound, "\(file.name): \(file.phrase)")
        }
        #expect(readTypes == Set(types.map(\.name)), "each type has a file in this test")
    }
}
