import Foundation
import RoostBackups
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
        #expect(shown.contains("passages  1 of 1 token; none omitted"), "\(shown)")
    }

    @Test func `a count of one is followed by the singular`() {
        #expect(Count.text(1, "entry", "entries") == "1 entry" && Count.text(0, "word") == "0 words")
        let losses = BackupLosses()
        let (id, sources) = (UUID(), "record of a source; the next ingest of this source reads it as new")
        let all: [BackupLoss] = [
            .vectors([id]), .unknownEntries(1), .assignments(1), .sources(1), .originals,
        ]
        for loss in all {
            losses.add(loss)
        }
        #expect(losses.lines.dropFirst().first?.hasPrefix("restored without vectors: 1 entry; ") == true)
        let others = losses.lines.filter { !$0.hasPrefix("restored") }
        #expect(
            others == [
                "missing: 1 entry whose id is damaged, too", "missing: 1 entry's assignment to a cluster",
                "missing: 1 \(sources)", "missing: 1 list of original files",
            ])
        for loss: BackupLoss in [.sources(1), .unknownEntries(2)] { losses.add(loss) }
        #expect(losses.lines.first == "missing: 3 entries whose ids are damaged, too")
        #expect(losses.lines.contains { $0.hasPrefix("missing: 2 records of sources; ") })
    }
}
