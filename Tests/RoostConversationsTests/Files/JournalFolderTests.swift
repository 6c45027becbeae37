import Foundation
import RoostFiles
import TestSupport
import Testing

@testable import RoostConversations

@Suite(.temporaryFolders) struct JournalFolderTests {
    private static func folder(_ url: URL) -> JournalFolder {
        JournalFolder(directory: url, files: .standard)
    }

    /// Reads twice, because a writer seems to have disturbed the first attempt.
    private static func readTwice(_ folder: JournalFolder) async throws -> Bool {
        try await folder.read { _, isFinal in
            guard isFinal else { throw JournalFolder.Disturbed() }
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
