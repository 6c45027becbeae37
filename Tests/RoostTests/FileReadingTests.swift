import Foundation
import RoostDocuments
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of files that change while they are read.
@Suite(.temporaryFolders) struct FileContentsTests {
    private static let line = "a line of text\n"
    /// A text that is longer than the part of a file that is read first.
    private static let text = String(repeating: line, count: 2000)

    /// Reads a file that changes after its beginning has been read.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of a text.
    ///   - maximumBinarySize: The maximum size of a binary file; `nil` if the file must be a text.
    private func read(
        maximumSize: Int = 1 << 20, maximumBinarySize: Int? = nil, changing change: (URL) throws -> Void
    ) throws -> String {
        let file = try TemporaryFolder().url.appendingPathComponent("a.txt")
        try Data(Self.text.utf8).write(to: file)
        let data = try FileContents.read(file, maximumSize: maximumSize) { start in
            #expect(start.count < Self.text.utf8.count)
            #expect(throws: Never.self) { try change(file) }
            return maximumBinarySize
        }
        return String(decoding: data, as: UTF8.self)
    }

    private func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `a file that grows is read to its end`() throws {
        #expect(try read { try append("the end", to: $0) } == Self.text + "the end")
    }

    @Test(arguments: [(1 << 20, nil), (1 << 30, 1 << 20)] as [(Int, Int?)])
    func `a file that grows beyond the limit is refused`(limit: Int, binaryLimit: Int?) {
        let more = String(repeating: Self.line, count: 200_000)
        let error = #expect(throws: RoostError.self) {
            try read(maximumSize: limit, maximumBinarySize: binaryLimit) { try append(more, to: $0) }
        }
        #expect(error?.code == .badInput && error?.message.contains("larger than 1 MB") == true)
    }

    @Test func `a file that is emptied or replaced gives text that it contained`() throws {
        let start = try read { #expect(truncate($0.path, 0) == 0) }
        #expect(!start.isEmpty && Self.text.hasPrefix(start))
        let former = try read { try Data("new".utf8).write(to: $0, options: .atomic) }
        #expect(former == Self.text)
    }
}

/// Tests that reads of files do not block the threads of Swift's cooperative pool.
@Suite(.temporaryFolders) struct BlockingReadTests {
    @Test func `an import from a pipe blocks no thread of the cooperative pool`() async throws {
        let folder = try TemporaryFolder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let file = folder.url.appendingPathComponent("entries.json")
        let wasFree = try await BlockedReads.run(of: file) { _ = try? await store.importEntries(from: file) }
        #expect(wasFree)
    }

    @Test func `an import reads a pipe to its end, and states why a file cannot be read`() async throws {
        let folder = try TemporaryFolder()
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let id = "8a3f1e52-0000-4000-8000-000000000001"
        let writer = Thread {
            // Opening the pipe waits for the reader. The archive exceeds the buffer of the pipe.
            let text = "{\"id\":\"\(id)\",\"content\":\"\(String(repeating: "swift ", count: 20_000))\"}"
            try? FileHandle(forWritingAtPath: pipe.path)?.write(contentsOf: Data(text.utf8))
        }
        writer.start()
        #expect(try await store.importEntries(from: pipe).new == 1)
        let missing = folder.url.appendingPathComponent("none.json")
        for (file, cause) in [(missing, "No such file or directory"), (folder.url, "Is a directory")] {
            let error = await #expect(throws: RoostError.self) { try await store.importEntries(from: file) }
            #expect(error?.code == .noInput && error?.message.contains(cause) == true)
        }
    }

    /// Reads a pipe when it is asked about a document, which takes as long as reading a slow file.
    private struct SlowReader: DocumentReader {
        let pipe: URL
        let types: [DocumentType] = []

        func recognizedType(of input: DocumentInput) -> DocumentType? {
            // `Data(contentsOf:)` refuses pipes.
            _ = try? FileHandle(forReadingFrom: pipe).readToEnd()
            return nil
        }

        func read(_ input: DocumentInput, as type: DocumentType) async throws -> DocumentContents { [] }
    }

    @Test func `the read of a document blocks no thread of the cooperative pool`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("note.md")
        try Data("the swifts are back".utf8).write(to: file)
        let pipe = folder.url.appendingPathComponent("pipe")
        var reader = RecordReader()
        reader.readers = DocumentReaders([SlowReader(pipe: pipe)])
        let wasFree = try await BlockedReads.run(of: pipe) { [reader] in
            _ = try? await reader.read(file)
        }
        #expect(wasFree)
        #expect(try await RecordReader().read(file).entries.map(\.content) == ["the swifts are back"])
    }
}

/// Tests of the treatment of symbolic links in ingested folders.
@Suite(.temporaryFolders) struct FileFinderTests {
    /// Creates a folder `notes` with a file, and links to files and folders inside and outside of it.
    private func prepare() throws -> URL {
        let manager = FileManager.default
        let base = try TemporaryFolder().url
        let (notes, other) = (
            base.appendingPathComponent("notes"), base.appendingPathComponent("notes-other")
        )
        for folder in [notes, notes.appendingPathComponent("sub"), other] {
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        func write(_ url: URL) throws {
            try "text of \(url.lastPathComponent)".write(to: url, atomically: true, encoding: .utf8)
        }
        try write(notes.appendingPathComponent("a.md"))
        try write(notes.appendingPathComponent("inside.data"))
        try write(other.appendingPathComponent("secret.md"))
        for (name, target) in [
            ("out.md", "../notes-other/secret.md"), ("absolute.md", other.path + "/secret.md"),
            ("in.md", "inside.data"), ("chain.md", "out.md"), ("broken.md", "nowhere"),
            ("folder", "../notes-other"), ("sub/parent", ".."), ("sub/up.md", "../a.md"),
        ] {
            try manager.createSymbolicLink(
                atPath: notes.appendingPathComponent(name).path, withDestinationPath: target)
        }
        return notes
    }

    private func names(_ urls: [URL], below folder: URL) -> [String] {
        urls.map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    @Test func `links that lead out of a folder are not followed`() throws {
        let notes = try prepare()
        let found = try FileFinder().find(notes)
        #expect(names(found.files, below: notes) == ["a.md", "broken.md", "in.md", "sub/up.md"])
        let skipped = found.skipped.filter { $0.reason == FileFinder.linkReason }.map(\.source)
        #expect(
            skipped
                == ["absolute.md", "chain.md", "folder", "out.md", "sub/parent"].map {
                    notes.appendingPathComponent($0).path
                })
    }

    @Test func `files without an extension are found if their text is recognized`() throws {
        let folder = try TemporaryFolder().url
        let message = "Received: by host\nFrom: ann@example.org\nSubject: Roof\nMIME-Version: 1.0\n\nRain.\n"
        for (path, text) in [
            ("Inbox", "From ann Mon Jan  6 10:00:00 2025\n" + message),
            ("message", message), ("mail/cur/17.M1P2.host:2,S", message),
            ("page", "<!DOCTYPE html><html><title>Rain</title><p>Rain.</html>"),
            ("script", "#!/usr/bin/env python3\nprint(1)\n"), ("README", "Words."), ("words", "Words."),
            ("empty", ""), ("page.unknown", "<!DOCTYPE html><p>Rain."),
        ] {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try FileManager.default.copyItem(
            at: Fixtures.folder.appendingPathComponent("Documents/files/report.docx"),
            to: folder.appendingPathComponent("report"))
        // A pipe without a writer would block if it was opened.
        #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
        let found = try FileFinder().find(folder)
        #expect(
            names(found.files, below: folder) == [
                "Inbox", "README", "mail/cur/17.M1P2.host:2,S", "message", "page", "script",
            ])
        let skipped = found.skipped.map { String($0.source.dropFirst(folder.path.count + 1)) }
        #expect(skipped == ["empty", "page.unknown", "pipe", "report", "words"])
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `the files of a store are not read, above it and in its folder`(
        provider: StoreManifest.Provider
    ) async throws {
        let notes = try prepare()
        let folder = notes.appendingPathComponent("sub/store")
        let store = try await KnowledgeStore.create(
            at: folder, provider: provider, embedder: LexicalEmbedder())
        try await store.ingest(folder: notes)
        try await store.close()
        let found = try FileFinder().find(notes)
        #expect(names(found.files, below: notes) == ["a.md", "broken.md", "in.md", "sub/up.md"])
        #expect(found.skipped.filter { $0.reason == FileFinder.storeReason }.map(\.source) == [folder.path])
        // The folder of a store can be that of a project.
        let work = folder.appendingPathComponent("Work")
        try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
        try Data("a plan".utf8).write(to: work.appendingPathComponent("plan.md"))
        let own = try FileFinder().find(folder)
        #expect(names(own.files, below: folder) == ["Work/plan.md"])
        #expect(own.skipped.map(\.reason) == [FileFinder.storeReason])
        // A file with the name of the manifest alone is a file of the user.
        let data = notes.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data("{}".utf8).write(to: data.appendingPathComponent("store.json"))
        #expect(names(try FileFinder().find(notes).files, below: notes).contains("data/store.json"))
    }

    @Test func `links are followed on request, and cycles end`() throws {
        let notes = try prepare()
        var finder = FileFinder()
        finder.followsLinks = true
        let found = try finder.find(notes)
        let names = names(found.files, below: notes)
        #expect(names.contains("out.md") && names.contains("folder/secret.md"), "\(names)")
        #expect(found.skipped.contains { $0.reason == "a symbolic link to one of its parent folders" })
    }

    @Test func `a folder or file that is itself a link is read if it is named`() throws {
        let notes = try prepare()
        for (name, count) in [("folder", 1), ("out.md", 1)] {
            #expect(try FileFinder().find(notes.appendingPathComponent(name)).files.count == count)
        }
    }

    @Test func `an ignore file that is a pipe does not stop the search`() throws {
        let folder = try TemporaryFolder().url
        #expect(mkfifo(folder.appendingPathComponent(".gitignore").path, 0o600) == 0)
        try "text".write(to: folder.appendingPathComponent("a.md"), atomically: true, encoding: .utf8)
        #expect(try FileFinder().find(folder).files.count == 1)
    }
}
