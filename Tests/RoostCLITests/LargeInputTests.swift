import Foundation
import Roost
import TestSupport
import Testing

/// Tests with very large files.
@Suite(.temporaryFolders) struct LargeInputTests {
    private let cli = CommandLineDriver()

    /// Returns about the given number of bytes of numbered lines, with an empty line after every tenth.
    private static func text(bytes: Int) -> String {
        var text = ""
        var number = 0
        while text.utf8.count < bytes {
            text += "line \(number) about the swift number \(number &* 2_654_435_761 % 100_003)\n"
            if number % 10 == 9 { text += "\n" }
            number += 1
        }
        return text
    }

    @Test func `a large text becomes several entries, of which an edit changes only one`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        let text = Self.text(bytes: 5 << 20)
        try Data(("\u{FEFF}" + text).utf8).write(to: file)
        let drafts = try await RecordReader().read(file).entries
        #expect(drafts.count > 4 && drafts.allSatisfy { $0.content.utf8.count <= 1 << 20 })
        #expect(drafts.map(\.content).joined() == text)
        var line = 1
        for draft in drafts {
            #expect(draft.sourceLocation?.line == line && draft.key == nil)
            line += draft.content.utf8.count { $0 == UInt8(ascii: "\n") }
        }
        let edited = "a new first line\n" + text
        try Data(edited.utf8).write(to: file)
        let again = try await RecordReader().read(file).entries
        #expect(again.map(\.content).joined() == edited)
        #expect(Set(drafts.map(\.content)).subtracting(again.map(\.content)).count <= 2)
        // A smaller file still becomes one entry.
        try Data(text.utf8.prefix(2 << 20)).write(to: file)
        let smaller = try await RecordReader().read(file).entries
        #expect(smaller.map(\.key) == [EntryID.wholeFileKey])
    }

    @Test func `a large text without line breaks is cut between characters`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        let text = String(repeating: "äé漢🐦", count: 250_000)
        try Data(text.utf8).write(to: file)
        let drafts = try await RecordReader().read(file).entries
        #expect(drafts.count >= 3 && drafts.map(\.content).joined() == text)
        var invalid = Data(text.utf8)
        invalid[invalid.count / 2 - invalid.count / 2 % 12] = 0xFF
        try invalid.write(to: file)
        await #expect(throws: RoostError.self) { try await RecordReader().read(file) }
    }

    @Test func `a UTF-16 text is refused before it is decoded if it is too large`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("large.txt")
        var text = Data([0xFF, 0xFE])
        for unit in "swifts in spring".utf16 { text += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        try text.write(to: file)
        #expect(try await RecordReader().read(file).entries.map(\.content) == ["swifts in spring"])
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 65 << 20)
        try handle.close()
        let error = await #expect(throws: RoostError.self) { try await RecordReader().read(file) }
        #expect(error?.code == .badInput && error?.message.contains("larger than 64 MB") == true)
    }

    @Test func `a text that cannot be divided is refused if it is too large`() throws {
        try FileManager.default.createDirectory(at: cli.home, withIntermediateDirectories: true)
        let text = String(repeating: "a swift ", count: (9 << 20) / 8)
        #expect(try cli.roost("init", "--store=s", "--model=lexical").status == 0)
        let added = try cli.roost(["add", "-", "--store=s"], input: text)
        #expect(added.status == 65 && added.error.contains("maximum is 8 MB"), "\(added.error)")
        try Data("{\"text\": \"small\"}\n{\"text\": \"\(text)\"}\n".utf8)
            .write(to: cli.home.appendingPathComponent("t.jsonl"))
        let rows = try cli.roost("ingest", "t.jsonl", "--store=s")
        #expect(rows.output.hasPrefix("1 new") && rows.error.contains("line 2"), "\(rows.error)")
    }

    @Test func `binary files are recognized before they are read completely`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("image.txt")
        for start in ["", "text at the beginning\n"] {
            try Data(start.utf8).write(to: file)
            // A file of this size takes seconds to read and would not fit into the memory of the test.
            #expect(truncate(file.path, 1 << 30) == 0)
            await #expect { try await RecordReader().read(file) } throws: {
                "\($0)".contains("binary") || ($0 as? RoostError)?.message.contains("binary") == true
            }
        }
    }
}
