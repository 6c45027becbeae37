import Foundation
import RoostChunks
import RoostModel
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of the nouns after counts.
@Suite(.temporaryFolders) struct CountTests {
    @Test func `an entry of one token has one token`() throws {
        let commands = CommandLineDriver()
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        let id = try commands.roost("add", "swift", "--store", "s").output
        let shown = try commands.roost("show", String(id.prefix(36)), "--store", "s").output
        #expect(shown.contains("passages  1, 1 token; none omitted"), "\(shown)")
    }

    @Test func `a count of one is followed by the singular`() {
        #expect(Count.text(1, "entry", "entries") == "1 entry" && Count.text(0, "word") == "0 words")
    }
}
