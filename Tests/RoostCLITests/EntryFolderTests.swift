import Foundation
import Roost
import TestSupport
import Testing

@testable import RoostCLI

@Suite(.temporaryFolders) struct EntryFolderTests {
    @Test func `a file that appears during an export is kept`() throws {
        let target = try TemporaryFolder().url.appendingPathComponent("notes")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
        let folder = try EntryFolder(target)
        try folder.add(Entry(content: "A wren sings."))
        let draft = target.appendingPathComponent("draft.md")
        try Data("mine".utf8).write(to: draft)
        #expect(throws: CommandError.self) { try folder.finish() }
        #expect(try String(contentsOf: draft, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(at: draft)
        #expect(try folder.finish() == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path).count == 1)
    }
}
