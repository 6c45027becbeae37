/// A pattern that selects files or folders below a folder, in the form of `.gitignore`.
///
/// A pattern without a slash matches names at any depth; one with a slash at the beginning or in the middle
/// matches paths relative to the folder, and `./` at the beginning has the same meaning. A slash at the end
/// matches folders only.
struct PathPattern: Sendable {
    private let pattern: GlobPattern
    private let matchesFoldersOnly: Bool

    init(_ text: String) {
        matchesFoldersOnly = text.hasSuffix("/")
        var form = Substring(text)
        let isRelative = form.hasPrefix("./") || form.dropLast().contains("/")
        if form.hasPrefix("./") { form = form.dropFirst(2) }
        while form.first == "/" { form.removeFirst() }
        while form.last == "/" { form.removeLast() }
        pattern = GlobPattern(isRelative ? form : "**/" + form)
    }

    /// Returns whether a pattern contains a brace without a backslash before it.
    static func containsBraces(_ text: String) -> Bool {
        var isEscaped = false
        for character in text {
            if !isEscaped, character == "{" || character == "}" { return true }
            isEscaped = !isEscaped && character == "\\"
        }
        return false
    }

    /// Returns whether the pattern matches a file or folder itself.
    ///
    /// - Parameter path: The path relative to the folder.
    func matches(_ path: String, isFolder: Bool) -> Bool {
        (isFolder || !matchesFoldersOnly) && pattern.matches(path)
    }

    /// Returns whether the pattern matches a file itself, or a folder above it.
    func contains(_ path: String) -> Bool {
        if matches(path, isFolder: false) { return true }
        guard matchesFoldersOnly else { return false }
        return path.indices.contains { path[$0] == "/" && matches(String(path[..<$0]), isFolder: true) }
    }
}
