import Foundation
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of `--template`.
@Suite(.temporaryFolders) struct RowTemplateTests {
    private let cli = CommandLineDriver()
    private struct Document: Encodable {
        var metadata = ["year": 2024, "a.b": 7]
    }

    private func line(_ template: String) throws -> String {
        let row = ListRow(cells: ["12", "A {title}"], document: Document())
        return try RowTemplate(template).line(of: row, columns: ["id", "title"], JSONEncoder())
    }

    @Test func `Names are replaced, and braces and escapes are text`() throws {
        #expect(try line("{id}\\t{title}\\n{{id}} \\\\ \\x") == "12\tA {title}\n{id} \\ \\x")
        #expect(try line("{metadata.year} {metadata.a.b} {metadata.none}|") == "2024 7 |")
        #expect(try line("no names") == "no names")
        for text in ["{", "{id", "{}", "a {"] { #expect(throws: (any Error).self) { try RowTemplate(text) } }
        let error = #expect(throws: CommandError.self) { try line("{titel}") }
        #expect(error?.message.contains("did you mean 'title'?") == true && error?.status == .usage)
    }

    @Test func `Lists and hits can have the form of a template`() throws {
        #expect(try cli.roost("add", "swifts return", "--tag", "birds", "--meta", "year=2024").status == 0)
        let template = "--template={tags} {metadata.year}: {title}"
        let expected = "birds 2024: swifts return\n"
        #expect(try cli.roost("list", template).output == expected)
        #expect(try cli.roost("list", "--format=template", template).output == expected)
        #expect(try cli.roost("query", "swifts", "--template", "{title}").output == "swifts return\n")
        for (arguments, part) in [
            (["list", "--format=template"], "--template '{id} {title}'"),
            (["list", "--json", template], "only one of"),
            (["list", "--format=csv", template], "only one of"),
            (["list", "--template={nope}"], "use id, title, path, tags, created or updated"),
            (["list", "--template={"], "--template needs a column name"),
        ] {
            let outcome = try cli.roost(arguments)
            #expect(outcome.status == 64 && outcome.error.contains(part), "\(arguments): \(outcome)")
        }
    }
}
