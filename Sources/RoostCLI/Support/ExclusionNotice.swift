import Roost

/// The message about patterns of `--exclude` that exclude nothing, such as mistyped ones: the files that the
/// user did not want to add would be added silently.
enum ExclusionNotice {
    /// Shows the message, if there are such patterns.
    static func show(_ patterns: [String], _ options: StoreOptions) {
        guard !patterns.isEmpty else { return }
        let list = patterns.map { Terminal.line($0) }.joined(separator: "', '")
        options.note("no file or folder matches --exclude '\(list)'")
    }
}
