import Foundation
import Roost
import RoostDocuments
import TestSupport
import Testing

/// Tests of the ingest of documents: metadata, dates, and the parts that are embedded.
@Suite(.temporaryFolders) struct DocumentIngestTests {
    private let folder = TemporaryFolder.unusedURL()
    private let embedder = RecordingEmbedder()

    /// A reader of a format of its own: the first line is the title, and each line `> name` is a link.
    private struct CardReader: DocumentReader {
        let types = [DocumentType(name: "card", title: "Card", extensions: ["card"], format: .plain)]
        var version = 1

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
            let text = String(decoding: input.data, as: UTF8.self)
            guard !text.contains("broken") else { throw DocumentError.damaged("the card is torn") }
            let lines = text.split(separator: "\n").map(String.init)
            return [
                Document(
                    title: lines.first, text: text, format: .plain,
                    metadata: ["colour": "red", "links": "three", "year": 1999], tags: ["card/small"],
                    aliases: ["Karte"],
                    links: lines.filter { $0.hasPrefix("> ") }.map {
                        DocumentLink(kind: .wiki, target: String($0.dropFirst(2)))
                    }, createdAt: Date(timeIntervalSince1970: 1_000_000),
                    unreadParts: ["the back of the card"])
            ]
        }
    }

    private func write(_ text: String, to name: String, changed: Double? = nil) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        if let changed {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: changed)], ofItemAtPath: file.path)
        }
        return file
    }

    private func store(_ provider: StoreManifest.Provider = .sqlite) async throws -> KnowledgeStore {
        let store = try await KnowledgeStore.create(
            at: TemporaryFolder.unusedURL(), provider: provider, embedder: embedder)
        // A new store embeds a text that identifies the model.
        _ = embedder.takeTexts()
        return store
    }

    private func entries(_ store: KnowledgeStore) async throws -> [Entry] {
        try await store.storage.fetchEntries().sorted { ($0.source ?? "") < ($1.source ?? "") }
    }

    private func reader(version: Int = 1) -> RecordReader {
        var reader = RecordReader()
        reader.readers.readers.insert(CardReader(version: version), at: 0)
        return reader
    }

    @Test(arguments: [StoreManifest.Provider.sqlite, .json])
    func `a reader of the caller provides text, metadata, tags, links and dates`(
        provider: StoreManifest.Provider
    ) async throws {
        _ = try write("Swifts\n> Birds\n> Nests\n", to: "a.card", changed: 2_000_000)
        _ = try write("a broken one", to: "b.card")
        let store = try await store(provider)
        let report = try await store.ingest(folder: folder, reader: reader())
        #expect(report.new == 1)
        #expect(report.skipped.map(\.reason) == ["the card is torn"])
        let entry = try #require(try await entries(store).first)
        #expect(entry.title == "Swifts" && entry.tags == ["card/small"])
        #expect(entry.metadata["links"] == ["Birds", "Nests"] && entry.metadata["aliases"] == ["Karte"])
        #expect(entry.metadata["document.links"] == "three" && entry.metadata["year"] == 1999)
        #expect(entry.metadata["unreadParts"] == ["the back of the card"])
        #expect(entry.createdAt == Date(timeIntervalSince1970: 1_000_000))
        #expect(entry.updatedAt == Date(timeIntervalSince1970: 2_000_000))
        let links = EntryCondition.metadata("links")
        for (condition, count) in [(links == "Nests", 1), (links == "Hills", 0), (links != "Nests", 0)] {
            let found = try await store.storage.snapshot().rows(matching: [condition])
            #expect(found.count == count, "\(condition)")
        }
        #expect(try await store.ingest(folder: folder, reader: reader()).unchanged == 1)
    }

    /// A reader with a document for each line; the line `…` stands for a rest that is not read, and `!` for a fault.
    private struct LineReader: DocumentReader {
        let types = [DocumentType(name: "lines", title: "Lines", extensions: ["lines"], format: .plain)]
        let version = 1

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents {
            let lines = String(decoding: input.data, as: UTF8.self).split(separator: "\n").map(String.init)
            let documents = lines.filter { !"…!".contains($0) }.map {
                Document(key: $0, text: $0, format: .plain)
            }
            let faults =
                lines.contains("!") ? [DocumentContents.Fault(position: "line 2", reason: "torn")] : []
            return DocumentContents(documents, faults: faults, isComplete: !lines.contains("…"))
        }
    }

    @Test func `entries in a part that is not read are kept`() async throws {
        var reader = RecordReader()
        reader.readers.readers.insert(LineReader(), at: 0)
        let store = try await store()
        let texts = [("a\nb\nc\n", 0, 3), ("a\nd\n…\n", 0, 4), ("a\nd\n", 2, 2), ("e\n!\n", 0, 3)]
        for (text, removed, count) in texts {
            let file = try write(text, to: "a.lines")
            let report = try await store.ingest(folder: folder, reader: reader)
            let faults =
                text.contains("!")
                ? [IngestReport.Finding(kind: .row, source: "\(file.path), line 2", reason: "torn")] : []
            #expect(report.removed == removed && report.skipped == faults)
            #expect(try await entries(store).count == count)
        }
        let page = "<!doctype html><body><p>Swifts sleep on the wing, high above the roofs of the town.</p>"
        let rest = String(repeating: "<i></i>", count: 300_000)
        let draft = try await RecordReader().read(try write(page + rest, to: "a.html"))
        #expect(draft.keepsMissingEntries && !draft.entries.isEmpty)
    }

    @Test func `a part that cannot be read is reported, and its source counts it`() async throws {
        let cell = #"{"cell_type": "markdown", "source": "Swifts"}"#
        let store = try await store()
        for (cells, parts) in [("\(cell), \(cell)", []), ("\(cell), 7", ["cell 2"]), ("\(cell)", [])] {
            _ = try write("{\"cells\": [\(cells)]}", to: "a.ipynb")
            let notices = try await store.ingest(folder: folder, reader: RecordReader()).notices
            #expect(notices.count == parts.count)
            #expect(notices.first?.reason.contains(parts.first ?? "") ?? parts.isEmpty)
            let source = try await store.storage.snapshot().sources().first
            #expect(source?.findings == (parts.isEmpty ? [:] : ["part": 1]))
            #expect(try await store.ingest(folder: folder, reader: RecordReader()).unchanged == 1)
        }
    }

    @Test func `a line that is not UTF-8 does not keep other rows from being read`() async throws {
        let file = try write("", to: "a.jsonl")
        try Data("{\"text\":\"a\"}\n{\"text\":\"".utf8 + [0xFF] + "\"}\n{\"text\":\"c\"}\n".utf8).write(
            to: file)
        let draft = try await RecordReader().read(file)
        #expect(draft.entries.map(\.content) == ["a", "c"])
        #expect(draft.skipped.map(\.source) == ["\(file.path), line 2"])
    }

    @Test func `an unclear date is reported, and the date of the file does not replace it`() async throws {
        let file = try write("---\ndate: 3/4/2025\n---\nSwifts\n", to: "a.md")
        let old = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
        let store = try await store()
        let report = try await store.ingest(folder: folder, reader: RecordReader())
        let reason = "its date is not clear: 3/4/2025; write it as 2026-01-31"
        #expect(report.notices == [.init(kind: .date, source: file.path, reason: reason)])
        let entry = try #require(try await entries(store).first)
        #expect(entry.createdAt > old && entry.metadata["date"] == "3/4/2025")
    }

    @Test func `a newer version of a reader reads its files again`() async throws {
        _ = try write("Swifts\n", to: "a.card")
        let store = try await store()
        _ = try await store.ingest(folder: folder, reader: reader())
        let first = try #require(try await entries(store).first)
        var changes = EntryChanges()
        changes.metadata = ["colour": "blue"]
        try await store.update(first.id, changes)
        #expect(try await store.ingest(folder: folder, reader: reader()).updated == 0)
        _ = embedder.takeTexts()
        #expect(try await store.ingest(folder: folder, reader: reader(version: 2)).updated == 1)
        #expect(embedder.takeTexts().isEmpty, "the text is the same")
        let second = try #require(try await entries(store).first)
        #expect(second.id == first.id && second.metadata["colour"] == "blue")
        #expect(try await store.ingest(folder: folder, reader: reader(version: 2)).unchanged == 1)
    }

    @Test func `entries have the dates of their files`() async throws {
        let file = try write("# Swifts\n\nThey are back.\n", to: "a.md", changed: 1_600_000_000)
        let store = try await store()
        _ = try await store.ingest(folder: folder)
        var entry = try #require(try await entries(store).first)
        #expect(entry.updatedAt == Date(timeIntervalSince1970: 1_600_000_000))
        #expect(entry.createdAt == entry.updatedAt, "a file is not newer than its contents")
        _ = try write("# Swifts\n\nThey are gone.\n", to: "a.md", changed: 1_700_000_000)
        #expect(try await store.ingest(folder: folder).updated == 1)
        entry = try #require(try await entries(store).first)
        #expect(entry.updatedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(entry.createdAt == Date(timeIntervalSince1970: 1_600_000_000))
        // Only the date of the file differs.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: file.path)
        #expect(try await store.ingest(folder: folder).unchanged == 1)
    }

    @Test func `the day in the name of a file is its date if the document states none`() async throws {
        _ = try write("Met Ben.\n", to: "2024-03-05.md")
        _ = try write("---\ndate: 2020-01-01\n---\nText.\n", to: "2024-03-06 note.md")
        let store = try await store()
        _ = try await store.ingest(folder: folder)
        #expect(
            try await entries(store).map(\.createdAt) == [
                Date(timeIntervalSince1970: 1_709_596_800), Date(timeIntervalSince1970: 1_577_836_800),
            ])
    }

    @Test func `text in windows-1252 is read, also if it is large`() async throws {
        let line = "Der Bär läuft über die Brücke. Größe: fünf Meter.\n"
        for (name, count) in [("a.txt", 1), ("b.c", 1), ("c.md", 1), ("d.txt", 60_000), ("e.md", 60_000)] {
            let text = String(repeating: line, count: count)
            let file = try write("", to: name)
            try (#require(text.data(using: .windowsCP1252))).write(to: file)
        }
        let store = try await store()
        #expect(try await store.ingest(folder: folder).skipped.isEmpty)
        let contents = try await entries(store).map(\.content)
        #expect(contents.count { $0 == line } == 3)
        let large = contents.filter { $0 != line }
        #expect(large.map(\.utf8.count).reduce(0, +) == 2 * 60_000 * line.utf8.count)
    }

    @Test func `no document or row is marked as a message of a conversation`() async throws {
        _ = try write("---\nkind: message\n---\nA note.\n", to: "a.md")
        _ = try write("---\nkind: [message, note]\n---\nAnother note.\n", to: "b.md")
        _ = try write("---\nkind: memo\n---\nA memo.\n", to: "c.md")
        _ = try write(#"{"text": "A row.", "kind": "message"}"# + "\n", to: "d.jsonl")
        _ = try write("text,kind\nA line.,message\n", to: "e.csv")
        let store = try await store()
        _ = try await store.ingest(folder: folder)
        let entries = try await entries(store)
        #expect(entries.count == 5)
        #expect(entries.compactMap { $0.metadata["kind"] } == ["memo"])
        let renamed = entries.compactMap { $0.metadata["document.kind"] }
        #expect(renamed.filter { $0 == "message" }.count == 3 && renamed.contains(["message", "note"]))
    }

    @Test func `hidden parts are neither embedded nor searched, but stored`() async throws {
        let text = """
            ---
            title: Swifts
            publish: zebra
            ---
            The swifts are back. %% quokka %% <!-- walrus --> They nest under [roofs](https://okapi.example).

            """
        _ = try write(text, to: "a.md")
        let store = try await store()
        _ = try await store.ingest(folder: folder)
        let embedded = embedder.takeTexts().joined()
        #expect(embedded.contains("swifts are back") && embedded.contains("roofs"))
        for word in ["zebra", "quokka", "walrus", "okapi"] {
            #expect(!embedded.contains(word), "\(word)")
            var search = EntrySearch(word)
            search.mode = .text
            #expect(try await store.search(search).hits.isEmpty, "\(word)")
        }
        #expect(try await entries(store).first?.content == text)
        let hit = try #require(try await store.search("swifts roofs").hits.first)
        #expect(hit.location.line == 5, "the passage begins after the front matter")
    }

    @Test func `a note of hidden parts only is found by its title`() async throws {
        _ = try write("---\ntitle: Herons of the lake\n---\n", to: "a.md")
        let store = try await store()
        #expect(try await store.ingest(folder: folder).new == 1)
        #expect(embedder.takeTexts() == ["Herons of the lake"])
        #expect(try await store.search("herons").hits.count == 1)
    }

    @Test func `equal contents share vectors only if they are treated equally`() async throws {
        let text = "Swifts are back. <!-- not yet -->\n"
        _ = try write(text, to: "a.md")
        let store = try await store()
        _ = try await store.ingest(folder: folder)
        #expect(embedder.takeTexts() == ["Swifts are back."])
        _ = try write(text, to: "b.txt")
        _ = try await store.ingest(folder: folder)
        #expect(embedder.takeTexts() == [text], "plain text has no comments")
        _ = try write(text, to: "c.md")
        #expect(try await store.ingest(folder: folder).reused == 1)
        #expect(embedder.takeTexts().isEmpty)
    }

    @Test func `editing and embedding again give the same passages as an ingest`() async throws {
        let words = (0..<120).map { "word\($0)" }.joined(separator: " ")
        let text =
            "# One\n\n\(words) <!-- hidden -->\n\n## Two\n\n```\n\(words)\n```\n\n| a | b |\n|---|---|\n"
        _ = try write(text, to: "a.md")
        let short = RecordingEmbedder(maximumTokens: 64)
        let store = try await KnowledgeStore.create(at: TemporaryFolder.unusedURL(), embedder: short)
        _ = short.takeTexts()
        _ = try await store.ingest(folder: folder)
        let ingested = try #require(try await entries(store).first)
        #expect(ingested.passages.count > 3)
        let texts = short.takeTexts()
        #expect(!texts.joined().contains("hidden"))
        try await store.update(ingested.id, EntryChanges(content: "another text"))
        _ = short.takeTexts()
        try await store.update(ingested.id, EntryChanges(content: text))
        #expect(short.takeTexts() == texts)
        let edited = try #require(try await entries(store).first)
        #expect(edited.passages == ingested.passages && edited.title == "One")
    }

    @Test func `each part of a large note has its own links and tags`() async throws {
        let line = "A line about swifts and their nests under the roofs of old houses.\n"
        let filler = String(repeating: line, count: 40_000)
        let text =
            "---\ntags: [big]\n---\nSee [[First]].\n\n\(filler)\n---\n\nSee [[Last]] and #Big and #end.\n"
        let draft = try await RecordReader().read(try write(text, to: "large.md"))
        let (first, last) = (try #require(draft.entries.first), try #require(draft.entries.last))
        #expect(draft.entries.count > 1)
        #expect(first.metadata["links"] == ["First"] && first.tags == ["big"])
        #expect(last.metadata["links"] == ["Last"] && last.tags == ["big", "end"])
        #expect(draft.entries.dropFirst().dropLast().allSatisfy { $0.metadata["links"] == nil })
        let code = String(repeating: "let x = \"[[Name]] #tag\"\n", count: 120_000)
        let source = try await RecordReader().read(try write(code, to: "large.swift"))
        #expect(source.entries.count > 1 && source.entries.allSatisfy { $0.tags.isEmpty })
    }
}
