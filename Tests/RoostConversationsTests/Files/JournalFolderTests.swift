import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostConversations

@Suite(.temporaryFolders) struct JournalFolderTests {
    private struct Record: Codable, Sendable {}

    private static func folder(_ url: URL) -> JournalFolder<Record> {
        JournalFolder(directory: url, kind: "tests", files: .standard)
    }

    /// Reads twice, because a writer seems to have disturbed the first attempt.
    private static func readTwice(_ folder: JournalFolder<Record>) async throws -> Bool {
        try await folder.read { _, isFinal in
            guard isFinal else { throw JournalFolder<Record>.Disturbed() }
            return true
        }
    }

    @Test func `a read is repeated with the lock`() async throws {
        let folder = Self.folder(try TemporaryFolder().url)
        #expect(try await Self.readTwice(folder))
    }

    @Test func `a read of a folder that does not exist needs no lock`() async throws {
        let folder = Self.folder(try TemporaryFolder().url.appendingPathComponent("missing"))
        #expect(try await Self.readTwice(folder))
    }
}
