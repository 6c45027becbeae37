/// A pattern that selects files or folders below a folder, in the forms of `.gitignore` and rsync, with
/// alternatives in braces.
///
/// A pattern without a slash matches names at any depth; one with a slash at the beginning or in the middle
/// matches paths relative to the folder, and `./` at the beginning has the same meaning. A slash at the end
/// matches folders only. `{a,b}` matches `a` or `b`; a backslash before a brace makes it an ordinary
/// character.
struct PathPattern: Sendable {
    /// The pattern as the user wrote it.
    let text: String
    /// The patterns of the alternatives, for complete paths relative to the folder.
    private let alternatives: [GlobPattern]
    /// Whether each of ``alternatives`` matches folders only.
    private let matchesFoldersOnly: [Bool]

    /// The maximum number of alternatives. Braces multiply them, and each is compared with each path.
    private static let maximumAlternatives = 1000

    init(_ text: String) {
        self.text = text
        let forms = Self.alternatives(Substring(text)) ?? [text]
        matchesFoldersOnly = forms.map { $0.hasSuffix("/") }
        alternatives = forms.map(Self.pattern)
    }

    /// Returns whether the pattern matches a file or folder itself.
    ///
    /// - Parameter path: The path relative to the folder.
    func matches(_ path: String, isFolder: Bool) -> Bool {
        alternatives.indices.contains {
            (isFolder || !matchesFoldersOnly[$0]) && alternatives[$0].matches(path)
        }
    }

    /// Returns whether the pattern matches a file itself, or a folder above it.
    func contains(_ path: String) -> Bool {
        if matches(path, isFolder: false) { return true }
        guard matchesFoldersOnly.contains(true) else { return false }
        return path.indices.contains { path[$0] == "/" && matches(String(path[..<$0]), isFolder: true) }
    }

    /// Returns whether the pattern concerns a file or folder: it matches it, or everything in the folder.
    func concerns(_ path: String, isFolder: Bool) -> Bool {
        matches(path, isFolder: isFolder) || (isFolder && alternatives.contains { $0.matches(path + "/") })
    }

    private static func pattern(_ form: String) -> GlobPattern {
        var form = Substring(form)
        let isRelative = form.hasPrefix("./") || form.dropLast().contains("/")
        if form.hasPrefix("./") { form = form.dropFirst(2) }
        while form.first == "/" { form.removeFirst() }
        while form.last == "/" { form.removeLast() }
        return GlobPattern(isRelative ? form : "**/" + form)
    }

    // MARK: Braces

    /// Returns the texts in which each pair of braces with a comma is replaced with one of its alternatives;
    /// `nil` if there are too many.
    ///
    /// - Parameter depth: The number of pairs of braces before or around the text. Each of them adds at least
    ///   one alternative, so the maximum number of alternatives limits the depth of the recursion, too.
    private static func alternatives(_ text: Substring, depth: Int = 0) -> [String]? {
        guard let braces = braces(in: text) else { return [String(text)] }
        guard depth < maximumAlternatives,
            let rests = alternatives(text[text.index(after: braces.end)...], depth: depth + 1)
        else { return nil }
        var result: [String] = []
        for part in braces.parts {
            guard let middles = alternatives(part, depth: depth + 1),
                middles.count * rests.count <= maximumAlternatives
            else { return nil }
            for middle in middles { result += rests.map { String(text[..<braces.start]) + middle + $0 } }
            guard result.count <= maximumAlternatives else { return nil }
        }
        return result
    }

    /// Returns the first pair of braces that contains a comma, and the parts between its commas.
    private static func braces(
        in text: Substring
    ) -> (start: Substring.Index, end: Substring.Index, parts: [Substring])? {
        var start: Substring.Index?
        var (depth, parts) = (0, [] as [Substring])
        var partStart = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            switch text[index] {
            case "\\" where next < text.endIndex:
                index = text.index(after: next)
                continue
            case "{":
                if depth == 0 { (start, partStart, parts) = (index, next, []) }
                depth += 1
            case "," where depth == 1:
                parts.append(text[partStart..<index])
                partStart = next
            case "}" where depth > 0:
                depth -= 1
                if depth == 0, let start, !parts.isEmpty {
                    return (start, index, parts + [text[partStart..<index]])
                }
            default: break
            }
            index = next
        }
        return nil
    }
}
