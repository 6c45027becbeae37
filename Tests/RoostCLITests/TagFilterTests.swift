import Foundation
import TestSupport
import Testing

/// Tests of tags on the command line.
@Suite(.temporaryFolders) struct TagFilterTests {
    private let cli = CommandLineDriver()

    private func list(_ tag: String) throws -> String {
        let outcome = try cli.roost("list", "--store=s", "--tag", tag)
        #expect(outcome.status == 0, "\(outcome.error)")
        return outcome.output
    }

    @Test func `a tag is added once and removed in any spelling`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let id = String(try cli.roost("add", "a swift", "--tag", "Birds", "--store=s").output.prefix(8))
        func tag(_ options: String...) throws -> CommandLineDriver.Outcome {
            try cli.roost(["edit", id, "--store=s"] + options)
        }
        #expect(try tag("--add-tag=birds").error.contains("added birds to 0 of 1 entry"))
        #expect(try tag("--add-tag=#birds/swifts").error.contains("to 1 of 1 entry"))
        #expect(try tag("--add-tag=two   words").status == 0)
        let csv = try cli.roost("list", "--store=s", "--format=csv").output
        #expect(csv.contains("Birds;birds/swifts;two words"), "\(csv)")
        #expect(try tag("--remove-tag=BIRDS").error.contains("from 1 of 1 entry"))
        #expect(try list("birds").contains("swift"))
        #expect(try tag("--add-tag= ").status == 64)
        #expect(try cli.roost("undo", "--store=s").status == 0)
        #expect(try cli.roost("list", "--store=s", "--format=csv").output.contains("Birds;birds/swifts"))
    }
}
