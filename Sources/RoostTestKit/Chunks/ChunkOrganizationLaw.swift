import Foundation
public import RoostChunks

/// What every organization of chunks must do. One law is one test case:
///
///     @Test(arguments: ChunkOrganizationLaw.allCases)
///     func `my organization obeys`(law: ChunkOrganizationLaw) throws { try law.check(MyOrganization()) }
public enum ChunkOrganizationLaw: String, Sendable, CaseIterable {
    case pathsLeadBackToTheirIdentifiers
    case differentIdentifiersHaveDifferentPaths
    case pathsStayInTheFolder
    case whatIsNoPathIsRefused

    /// Identifiers that make trouble: separators, dots, case, forms of one letter, length.
    public static let identifiers: [ChunkIdentifier] =
        [
            "a", "ab", "abc", "abcd", "abcde", "A", "AB", "aB", "a1b2c3d4...", ".", "..", "...",
            "../../etc/passwd",
            "/etc/passwd", "//", "a/b", "a\\b", "C:\\x", "con", "a b", " ", "a\nb", "a\u{0}b", "%", "%2e",
            "%41",
            "+", "a+", "=", "==", "~", "-", "--help", "é", "e\u{301}", "日本語", "😀", ".metadata", "x.tmp",
            String(repeating: "a", count: 64), String(repeating: "a", count: 179),
            String(repeating: "a", count: 180), String(repeating: "a", count: 181),
            String(repeating: "a", count: 361), String(repeating: "é", count: 90),
            String(repeating: "/", count: 100),
        ].map(ChunkIdentifier.init(id:)) + [ChunkIdentifier(hashing: Data("roost".utf8))]

    /// Texts that are no paths of an organization that writes each identifier in one way.
    private static let noPaths = ["", "/", ".", "..", "../x", "/x", "x/", "x//y", "./x", "x/./y", "x/../x"]

    /// - Throws: ``ChunkLawViolation``.
    public func check(_ organization: any ChunkStorageOrganization) throws {
        let paths = Self.identifiers.map { ($0, organization.storagePath(for: $0)) }
        func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
            if !condition { throw ChunkLawViolation(law: rawValue, message: message()) }
        }
        switch self {
        case .pathsLeadBackToTheirIdentifiers:
            for (identifier, path) in paths {
                try require(
                    organization.isValidPath(path), "'\(path)' of '\(identifier)' is said to be no path")
                let found = organization.identifier(from: path)
                try require(found == identifier, "'\(path)' of '\(identifier)' leads to \(found as Any)")
            }
        case .differentIdentifiersHaveDifferentPaths:
            var seen: [String: ChunkIdentifier] = [:]
            for (identifier, path) in paths {
                let folded = path.lowercased().precomposedStringWithCanonicalMapping
                let other = seen.updateValue(identifier, forKey: folded)
                try require(
                    other == nil,
                    "'\(identifier)' and '\(other?.id ?? "")' are one file where case does not count: \(path)"
                )
            }
            for (_, path) in paths {
                let isFolder = paths.contains { $0.1.hasPrefix(path + "/") }
                try require(!isFolder, "'\(path)' is a chunk, and a folder with others")
            }
        case .pathsStayInTheFolder:
            for (identifier, path) in paths {
                let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                let isInside = parts.allSatisfy {
                    !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\\") && !$0.utf8.contains(0)
                        && $0.utf8.count <= 255
                }
                try require(isInside, "the path of '\(identifier)' is '\(path)'")
            }
        case .whatIsNoPathIsRefused:
            for path in Self.noPaths + paths.flatMap({ ["/" + $0.1, $0.1 + "/", "../" + $0.1, "./" + $0.1] })
            {
                let found = organization.identifier(from: path)
                try require(found == nil, "'\(path)' is said to be the path of '\(found?.id ?? "")'")
                try require(!organization.isValidPath(path), "'\(path)' is said to be a path")
            }
        }
    }
}
