import Foundation
import TestSupport
import Testing

/// Compares the lists of libraries that an installation needs.
@Suite struct PackageListTests {
    private func text(of path: String) throws -> String {
        try String(contentsOf: Fixtures.repository.appendingPathComponent(path), encoding: .utf8)
    }

    @Test func `the guide names the packages of the Homebrew formula`() throws {
        let formula = try text(of: "Packaging/roost.rb.in")
        // The packages of an indented section are only for Linux.
        let needed = formula.matches(of: /\n  depends_on "(?<name>[^"]+)"/).map { String($0.name) }
        let guide = try text(of: "Documentation/Guides/Installing.md")
        let command = try #require(guide.firstMatch(of: /brew install (?<names>.+)/))
        #expect(command.names.split(whereSeparator: \.isWhitespace).map(String.init) == needed)
    }

    @Test func `the manifest names the packages of Debian that the setup installs`() throws {
        let setup = try text(of: "Scripts/setup")
        let needed = try text(of: "Package.swift").matches(of: /\.apt\(\[(?<names>[^\]]+)\]\)/)
            .flatMap { $0.names.matches(of: /"(?<name>[^"]+)"/).map { String($0.name) } }
        #expect(needed.count > 10)
        for name in needed { #expect(setup.contains(name), "\(name)") }
    }

    @Test(arguments: ["Packaging/roost.service", "Documentation/Guides/Folders.md"])
    func `a service runs the program that the Debian package installs`(path: String) throws {
        // `Scripts/package` replaces this path in the unit of the tarball.
        let programs = try text(of: path).matches(of: /ExecStart=(?<program>\S+)/).map { String($0.program) }
        #expect(programs == ["/usr/bin/roost"])
    }
}
