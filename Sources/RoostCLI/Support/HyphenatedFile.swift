import Foundation

/// Recognizes names of files that begin with a hyphen, which ArgumentParser would read as options: `-dash.md`
/// contains `-h`, which asks for the help.
enum HyphenatedFile {
    /// Checks that no argument before `--` is a name of a file that begins with a hyphen.
    ///
    /// An argument is such a name if the file exists, or if it is not the value of an option and contains a
    /// full stop, as no option does.
    /// - Throws: ``CommandError`` with the forms in which the file can be named.
    static func check(
        _ arguments: [String], exists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) throws {
        var previous = ""
        for argument in arguments {
            if argument == "--" { return }
            defer { previous = argument }
            guard argument.hasPrefix("-"), argument.count > 2, Double(argument) == nil else { continue }
            let isValue = previous.hasPrefix("-") && !previous.contains("=")
            let name = argument.prefix { $0 != "=" }
            guard exists(argument) || !isValue && name.contains(".") else { continue }
            let shown = Terminal.line(argument, limit: 200)
            throw CommandError(
                .usage,
                "'\(shown)' is not an option; name the file with ./\(shown), or after --: `-- \(shown)`")
        }
    }
}
