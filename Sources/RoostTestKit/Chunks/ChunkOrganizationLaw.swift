import Foundation
public import RoostChunks

/// A guarantee that every chunk organization must give. Each law is a separate test case:
///
///     @Test(arguments: ChunkOrganizationLaw.allCases)
///     func `my organization obeys`(law: ChunkOrganizationLaw) throws { try law.check(MyOrganization()) }
public enum ChunkOrganizationLaw: String, Sendable, CaseIterable {
    /// The identifier of a chunk can be computed from its path.
    case pathsIdentifyChunks
    /// The paths of different identifiers differ in more than case and Unicode normalization, and no path is
    /// a parent folder of another.
    case differentIdentifiersHaveDifferentPaths
    /// No path leads out of the folder that contains the chunks.
    case pathsStayInFolder
    /// Texts that are not paths of the organization are not mapped to an identifier.
    case invalidPathsAreRejected

    /// Identifiers that are difficult to use in paths because of their separators, dots, case, normalization
    /// or length.
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

    /// Texts that are invalid as paths in any organization that has exactly one path for each identifier.
    private static let invalidPaths = [
        "", "/", ".", "..", "../x", "/x", "x/", "x//y", "./x", "x/./y", "x/../x",
    ]

    /// Checks the law with an organization.
    ///
    /// - Throws: ``LawViolation``.
    public func check(_ organization: any ChunkStorageOrganization) throws {
        let paths = Self.identifiers.map { ($0, organization.storagePath(for: $0)) }
        switch self {
        case .pathsIdentifyChunks:
            for (identifier, path) in paths {
                try require(
                    organization.isValidPath(path),
                    "'\(path)', the path of '\(identifier)', is reported as invalid")
                let found = organization.identifier(from: path)
                try require(
                    found == identifier,
                    "'\(path)', the path of '\(identifier)', identifies \(found as Any)")
            }
        case .differentIdentifiersHaveDifferentPaths:
            var seen: [String: ChunkIdentifier] = [:]
            for (identifier, path) in paths {
                let folded = path.lowercased().precomposedStringWithCanonicalMapping
                let other = seen.updateValue(identifier, forKey: folded)
                try require(
                    other == nil,
                    "'\(identifier)' and '\(other?.id ?? "")' share a path on case-insensitive volumes: "
                        + "\(path)")
            }
            for (_, path) in paths {
                let isFolder = paths.contains { $0.1.hasPrefix(path + "/") }
                try require(!isFolder, "'\(path)' is the path of a chunk and a folder of other chunks")
            }
        case .pathsStayInFolder:
            for (identifier, path) in paths {
                let parts = path.split(separator: "/", omittingEmptySubsequences: false)
                let isInside = parts.allSatisfy {
                    !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("\\") && !$0.utf8.contains(0)
                        && $0.utf8.count <= 255
                }
                try require(isInside, "the path of '\(identifier)' is '\(path)'")
            }
        case .invalidPathsAreRejected:
            for path in Self.invalidPaths
                + paths.flatMap({ ["/" + $0.1, $0.1 + "/", "../" + $0.1, "./" + $0.1] })
            {
                let found = organization.identifier(from: path)
                try require(found == nil, "the invalid path '\(path)' identifies '\(found?.id ?? "")'")
                try require(!organization.isValidPath(path), "'\(path)' is reported as a valid path")
            }
        }
    }
}
